# The gap that the experiment asks about, from one end to the other, one factor at a time: a bar from
# the bandwidth before a step to that after it, with the 95 % interval of where it ends. Grey: a step
# whose interval is not wholly beyond the margin. Hatched: what no factor explains. No picture where no
# gap is asked about, or where it was not measured.
load plot_dir.'/style.gp'

level(k) = k == 0 ? waterfall_from : W_hi[k]
upper(k) = most(W_end_hi[k], most(W_lo[k], W_hi[k]))
do for [picture = 1:waterfall_steps > 0] {
	n = waterfall_steps
	low = waterfall_from
	high = waterfall_from
	hatched = 0
	unsure = 0
	do for [k = 1:n] {
		low = least(W_end_lo[k], least(W_hi[k], low))
		high = most(W_end_hi[k], most(W_hi[k], high))
		hatched = hatched || W_rest[k]
		unsure = unsure || !W_beyond[k]
	}
	name = prefix.'_waterfall'
	head = head_of((collectives == 1 ? G_coll[1] : plural(collectives, 'collective')), \
		'bus bandwidth from '.waterfall_from_name.' to '.waterfall_to_name)
	said = waterfall_said
	how = plural(waterfall_cells, 'cell').', geometric means over '.plural(waterfall_blocks, 'trial').' of each'.\
		(waterfall_blocks < 6 ? '' : '; whiskers: 95 % intervals').(unsure ? '; '.waterfall_grey : '').\
		(hatched ? '; hatched: no factor' : '')
	legend = 0
	body = n > 3 ? 410.0 : 360.0
	load begin
	plot NaN notitle
	load axes
	# Nothing that is nearly equal fills the picture; room above for the steps' figures.
	span = most(high - low, 0.05 * high)
	base = most(low - 0.15 * span, 0)
	eval sprintf('set yrange [%g:%g]; set ytics %g', base, high + 0.3 * span, nice_step(1.4 * span))
	eval sprintf('set xrange [0.4:%g]', n + 2.6)
	eval area(80, W - 20, top + 6, top + body - (n > 3 ? 86 : 30))
	set ylabel 'bus bandwidth, GB/s'.(base > 0 ? ' (not from 0)' : '')
	set grid noxtics
	set xtics () scale 0
	if (n > 3) { eval sprintf("set xtics rotate by -20 left font '%s'", font(9.5)) }
	set xtics add (waterfall_from_name 1)
	set xtics add (waterfall_to_name n + 2)
	do for [k = 1:n] { set xtics add (W_name[k] k + 1) }
	set label 20 number(waterfall_from) at first 1, first waterfall_from center offset 0, 0.8
	set label 21 number(waterfall_to) at first n + 2, first waterfall_to center offset 0, 0.8
	do for [k = 1:n] {
		set label 30 + 2 * k W_change[k] at first k + 1, first upper(k) center offset 0, 0.8
		set label 31 + k * 2 W_share[k] at first k + 1, first upper(k) center offset 0, 2 textcolor rgb 0x777777 font font(9)
		eval sprintf('set object %d rectangle from first %g, first %g to first %g, first %g fs %s fc rgb %d', k, \
			k + 0.7, W_lo[k], k + 1.3, W_hi[k], W_rest[k] ? 'pattern 4 border' : 'solid noborder', \
			W_beyond[k] ? effect(W_hi[k] - W_lo[k]) : grey)
		if (W_end_lo[k] == W_end_lo[k]) {
			set arrow n + 3 + k from first k + 1, first W_end_lo[k] to first k + 1, first W_end_hi[k] \
				heads size screen 0.006, 90 lw 1.5 lc rgb several front
		}
	}
	do for [k = 0:n] {
		set arrow k + 1 from first k + 0.7, first level(k) to first k + 2.3, first level(k) nohead lw 1 dt 3 lc rgb grey
	}
	set arrow n + 2 from first 0.7, first waterfall_from to first 1.3, first waterfall_from nohead lw 5 lc rgb several
	set arrow n + 3 from first n + 1.7, first waterfall_to to first n + 2.3, first waterfall_to nohead lw 5 lc rgb several
	plot NaN notitle
	eval finish
}
