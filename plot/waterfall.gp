# The gap that the experiment asks about, from one end to the other, one factor at a time: a bar from
# the bandwidth before a step to that after it, with the 95 % interval of where it ends. Grey: a step
# whose interval is not wholly beyond the margin. Hatched: what no factor explains. No picture where no gap is asked
# about, or where it was not measured.
load dir.'/plots/run.gp'
load style

# Green and vermilion of Okabe and Ito, told apart with any kind of colour vision.
step_color(k) = W_beyond[k] eq 'slower' ? 0xD55E00 : W_beyond[k] eq 'faster' ? 0x009E73 : 0x999999
level(k) = k == 0 ? waterfall_from : W_hi[k]
# Of numbers where one may not be known.
more(a, b) = a != a || b > a ? b : a
less(a, b) = a != a || b < a ? b : a
upper(k) = more(W_end_hi[k], more(W_lo[k], W_hi[k]))
number(x) = x < 1 ? sprintf('%.3f', x) : x < 10 ? sprintf('%.2f', x) : \
	x < 100 ? sprintf('%.1f', x) : sprintf('%.0f', x)
do for [picture = 1:waterfall_steps > 0] {
	n = waterfall_steps
	set output sprintf('%s/plots/%s_waterfall.png', dir, prefix)
	low = waterfall_from
	high = waterfall_from
	rest = 0
	grey = 0
	do for [k = 1:n] {
		low = less(W_end_lo[k], less(W_hi[k], low))
		high = more(W_end_hi[k], more(W_hi[k], high))
		rest = rest || W_rest[k]
		grey = grey || step_color(k) == 0x999999
	}
	# Nothing that is nearly equal fills the picture; room above for the steps' figures.
	span = high - low < 0.05 * high ? 0.05 * high : high - low
	base = low - 0.15 * span < 0 ? 0 : low - 0.15 * span
	eval sprintf('set yrange [%g:%g]', base, high + 0.25 * span)
	eval sprintf('set ytics %g', nice_step(1.4 * span))
	eval sprintf('set xrange [0.4:%g]', n + 2.6)
	set rmargin at screen 0.965
	set ylabel 'bus bandwidth, GB/s'.(base > 0 ? ' (not from 0)' : '')
	unset key
	unset grid
	set grid ytics ls 100 back
	set tmargin at screen 0.88
	set bmargin at screen (n > 4 ? 0.27 : 0.2)
	set label 3 plural(waterfall_cells, 'cell').', geometric means over '.\
		plural(waterfall_blocks, 'block').\
		(waterfall_blocks < 6 ? '' : '; whiskers: 95 % intervals of the step').\
		(grey ? '; '.waterfall_grey : '').\
		(rest ? '; hatched: no factor' : '') \
		at screen 0.5, screen 0.085 center textcolor rgb 0x555555 \
		font (grey && rest && !many ? ',9' : ',11') # all of it is long
	set label 4 waterfall_said at screen 0.5, screen 0.92 center
	set xtics () scale 0
	if (n > 4) { set xtics rotate by -20 left font ',10' }
	set xtics add (W_ends[1] 1)
	set xtics add (W_ends[2] n + 2)
	do for [k = 1:n] { set xtics add (W_name[k] k + 1) }
	set label 20 number(waterfall_from) at first 1, first waterfall_from center offset 0, 0.8
	set label 21 number(waterfall_to) at first n + 2, first waterfall_to center offset 0, 0.8
	do for [k = 1:n] {
		set label 30 + 2 * k W_change[k] at first k + 1, first upper(k) center offset 0, 0.8
		set label 31 + 2 * k W_share[k].(n > 3 || !strlen(W_share[k]) ? '' : ' of the gap') \
			at first k + 1, first upper(k) center offset 0, 1.9 font ',10' textcolor rgb 0x555555
		eval sprintf('set object %d rectangle from first %g, first %g to first %g, first %g '.\
			'fs %s fc rgb %d', k, k + 0.7, W_lo[k], k + 1.3, W_hi[k], \
			W_rest[k] ? 'pattern 4 border' : 'solid noborder', step_color(k))
		if (W_end_lo[k] == W_end_lo[k]) {
			set arrow n + 3 + k from first k + 1, first W_end_lo[k] to first k + 1, first W_end_hi[k] \
				heads size screen 0.006, 90 lw 1.5 lc rgb 0x333333 front
		}
	}
	do for [k = 0:n] {
		set arrow k + 1 from first k + 0.7, first level(k) to first k + 2.3, first level(k) \
			nohead lw 1 dt 3 lc rgb 0x666666
	}
	set arrow n + 2 from first 0.7, first waterfall_from to first 1.3, first waterfall_from \
		nohead lw 5 lc rgb 0x333333
	set arrow n + 3 from first n + 1.7, first waterfall_to to first n + 2.3, first waterfall_to \
		nohead lw 5 lc rgb 0x333333
	plot NaN notitle
	unset output
}
