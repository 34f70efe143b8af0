# All isolated calls of all blocks: which share of them took at most so long. A panel for a small, a
# middle and the largest size. One picture per collective.
load dir.'/plots/run.gp'
load style

calls = dir.'/plots/ecdf.csv'
curve(i, g, bytes, col) = strcol('variant') eq V_name[i] && strcol('what') eq G_coll[g] && \
	column('bytes') == bytes ? column(col) : NaN
left = 0.085
right = many ? edge : 0.975
gap = 0.035
do for [g = 1:groups] {
	if (!detail || !E_panels[g]) { continue }
	set output sprintf('%s/plots/%s_%s_ecdf.png', dir, prefix, G_coll[g])
	set multiplot
	eval heading(g)
	set label 3 caption(g, sprintf('%d isolated calls in each of %s, shown up to the 99th percentile', \
		isolated_calls, plural(blocks, 'block'))) \
		at screen 0.5, screen 0.08 center textcolor rgb 0x555555
	set label 5 'share of calls, %' at screen 0.022, screen 0.53 center rotate by 90
	set label 6 'time per call, µs' at screen (left + right) / 2, screen 0.135 center
	eval key_only
	plot for [k = 1:variants] i = in_order(k), NaN with lines lw width(i) dt dash(i) \
		lc rgb color(i) title V_label[i]
	eval key_done
	eval drop_labels
	set grid xtics ytics ls 100 back
	set tmargin at screen roof - 0.03
	set bmargin at screen 0.225
	set yrange [0:100]
	set ytics 25 format '%g'
	do for [p = 1:E_panels[g]] {
		bytes = E_bytes[3 * (g - 1) + p]
		lo = E_lo[3 * (g - 1) + p]
		hi = E_hi[3 * (g - 1) + p]
		width_of = (right - left - (E_panels[g] - 1) * gap) / E_panels[g]
		set lmargin at screen left + (p - 1) * (width_of + gap)
		set rmargin at screen left + (p - 1) * (width_of + gap) + width_of
		set label 4 size_label(bytes) at graph 0.5, screen roof - 0.005 center font ',12'
		# Far apart on a logarithmic axis, else on a linear one.
		if (hi > 8 * lo) {
			set logscale x 10
			eval sprintf('set xrange [%g:%g]', lo / 1.1, hi * 1.1)
			eval sprintf('set xtics (%s)', time_tics(-4, hi / lo))
		} else {
			unset logscale x
			eval sprintf('set xrange [%g:%g]', lo - 0.04 * (hi - lo), hi + 0.04 * (hi - lo))
			eval sprintf('set xtics %g', nice_step(hi - lo))
		}
		plot for [k = 1:variants] i = in_order(k), calls using \
			(curve(in_order(k), g, bytes, 'time_us')):(100 * column('share')) \
			with lines lw width(i) dt dash(i) lc rgb color(i) notitle
		set ytics format ''
	}
	unset multiplot
	unset output
	set key
	unset label 4
}
