# The gap that the experiment asks about, from one end to the other, one factor at a time: a bar from
# the bandwidth before a step to that after it. What no factor explains is grey. No picture where no gap
# is asked about, or where it was not measured.
load dir.'/plots/run.gp'
load style

# Green and vermilion of Okabe and Ito, told apart with any kind of colour vision.
step_color(k) = W_kind[k] eq 'rest' ? 0x999999 : W_kind[k] eq 'loss' ? 0xD55E00 : 0x009E73
level(k) = k == 0 ? waterfall_from : W_hi[k]
upper(k) = W_hi[k] > W_lo[k] ? W_hi[k] : W_lo[k]
number(x) = x < 1 ? sprintf('%.3f', x) : x < 10 ? sprintf('%.2f', x) : \
	x < 100 ? sprintf('%.1f', x) : sprintf('%.0f', x)
do for [picture = 1:waterfall_steps > 0] {
	n = waterfall_steps
	set output sprintf('%s/plots/%s_waterfall.png', dir, prefix)
	low = waterfall_from
	high = waterfall_from
	do for [k = 1:n] {
		low = W_hi[k] < low ? W_hi[k] : low
		high = W_hi[k] > high ? W_hi[k] : high
	}
	# Nothing that is nearly equal fills the picture; room above for the steps' figures.
	span = high - low < 0.05 * high ? 0.05 * high : high - low
	base = low - 0.15 * span < 0 ? 0 : low - 0.15 * span
	eval sprintf('set yrange [%g:%g]', base, high + 0.25 * span)
	eval sprintf('set xrange [0.4:%g]', n + 2.6)
	set rmargin at screen 0.965
	set ylabel 'bus bandwidth, GB/s'.(base > 0 ? ' (not from 0)' : '')
	unset key
	unset grid
	set grid ytics ls 100 back
	set tmargin at screen 0.9
	set bmargin at screen (n > 4 ? 0.27 : 0.2)
	set label 3 plural(waterfall_cells, 'cell').', geometric means over '.\
		plural(waterfall_blocks, 'block').\
		(waterfall_explained == waterfall_explained ? \
		sprintf('; factors explain %.0f %% of the gap (each step: grey)', \
		100 * waterfall_explained) : '; no gap to explain, or it is undecided') \
		at screen 0.5, screen 0.085 center textcolor rgb 0x555555
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
		set object k rectangle from first k + 0.7, first W_lo[k] to first k + 1.3, first W_hi[k] \
			fs solid noborder fc rgb step_color(k)
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
