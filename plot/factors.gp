# What each factor does to bandwidth: a row each, the largest effect on top, with its 95 % interval; a
# little below and paler, to latency, where that is judged. Grey: the interval does not lie wholly beyond
# the margin, which is the band. A placebo is a hollow diamond. No picture where no factor was measured.
load plot_dir.'/style.gp'

pale(side) = side > 0 ? 0xB2A3CC : side < 0 ? 0xEAAE7F : 0xCCCCCC
# Of a row of $factors its effect on bandwidth or latency, where it was tested; an end of its interval.
of(col, placebo) = column('placebo') == placebo && strcol('why') eq '' ? column(col) : NaN
do for [picture = 1:exists('effects_rows')] {
	name = prefix.'_factors'
	head = head_of((collectives == 1 ? G_coll[1] : plural(collectives, 'collective')), 'what each factor does')
	said = said_factors
	how = (blocks < 6 ? '' : '95 % intervals over '.plural(blocks, 'block').'; ').grey_means(blocks).\
		sprintf('; band: within %g %%', 100 * margin).\
		(factors_rows > effects_rows ? sprintf('; %d cannot be tested', factors_rows - effects_rows) : '')
	both = 0 # whether latency is judged
	do for [k = 1:effects_rows] { both = both || effects_latency[k] == effects_latency[k] }
	legend = both
	row_high = both ? 38.0 : 32.0
	body = row_high * (effects_rows + 0.2) + 56
	load begin
	left = 0
	do for [k = 1:effects_rows] {
		left = most(7.3 * strlen(effects_factor[k][1:32]), most(6.7 * strlen(effects_label[k][1:46]), left))
	}
	left = 26 + left
	wide = 146.0
	do for [k = 1:effects_rows] { wide = most(7.0 * strlen(effects_bandwidth_label[k]), most(7.0 * strlen(effects_latency_label[k]), wide)) }
	right = W - 24 - wide
	set key horizontal width key_wide
	set label 10 'after ÷ before' at screen x(right + 14), screen y(top - 2) textcolor rgb ink
	plot for [k = 1:legend] NaN with points pt 7 ps mark * 1.3 lc rgb ink title 'bandwidth', \
		for [k = 1:legend] NaN with points pt 7 ps mark * 1.1 lc rgb pale(0) title 'latency, before ÷ after'
	unset label 10
	load axes
	eval area(left, right, top + 4, top + body - 52)
	# At least 10 % both ways, so that nothing that is nearly equal fills the picture.
	eval nothing
	do for [col in 'effect effect_lo effect_hi latency latency_lo latency_hi'] {
		eval extent('$factors', "known('".col."')")
	}
	eval ratio_axis('x', least(lo, 0.9), most(hi, 1.1), 300)
	set xlabel 'above 1 is faster'.log_x offset 0, 0.4
	set grid noytics
	eval sprintf('set yrange [%d.6:0.4]', effects_rows)
	set ytics () scale 0
	do for [k = 1:effects_rows] { set ytics add (effects_factor[k][1:32] k) }
	set border 1 ls 101
	set object 1 rectangle from first 1 / (1 + margin), graph 0 to first 1 + margin, graph 1 \
		behind fs solid noborder fc rgb 0xEEEEEE
	set arrow 1 from first 1, graph 0 to first 1, graph 1 nohead lw 1.5 lc rgb several back
	apart = both ? 0.2 : 0
	do for [k = 1:effects_rows] {
		set label 100 + k effects_bandwidth_label[k] at screen x(right + 14), first k - apart
		if (both) { set label 200 + k effects_latency_label[k] at screen x(right + 14), first k + apart textcolor rgb grey }
		set label 300 + k effects_label[k][1:46] at screen x(left - 8), first k + 14 / row_high right textcolor rgb grey font font(8)
	}
	plot for [k = 0:1] $factors using (of('effect', k)):(column('nth') - apart):\
			(end('effect', '_lo')):(end('effect', '_hi')):(effect(side_of('verdict'))) \
			with xerrorbars lw 2.2 ps mark * (1.2 + 0.3 * k) pt (k ? 12 : 7) lc rgb variable notitle, \
		for [k = 0:both] $factors using (of('latency', k)):(column('nth') + apart):\
			(end('latency', '_lo')):(end('latency', '_hi')):(pale(side_of('latency_verdict'))) \
			with xerrorbars lw 1.8 ps mark * (1 + 0.3 * k) pt (k ? 12 : 7) lc rgb variable notitle
	eval finish
}
