# Latency of isolated calls against size: the median as a line, a band from it up to the 95th
# percentile. Of many variants, a band for the first of each mode only. One picture per collective.
load dir.'/plots/run.gp'
load style

set ylabel 'time per call, µs'
figure(i, g, col) = pick(V_name[i], G_coll[g], 'isolated', col)
# The twin's band would only cover the reference's.
banded(i, g, col) = V_role[i] eq 'again' || !plain(i) ? NaN : figure(i, g, col)
do for [g = 1:groups] {
	if (!each || G_pace[g] ne 'isolated') { continue }
	set output sprintf('%s/plots/%s_%s_latency.png', dir, prefix, G_coll[g])
	eval heading(g)
	if (crowded) {
		set label 4 'More ranks than cores: the scheduler decides, no claim on latency.' \
			at graph 0.02, graph 0.95 textcolor rgb 0xAA0000
	}
	if (G_sizes[g] > 1) {
		set label 3 caption(g, sprintf('%d isolated calls, line p50, band %sup to p95', \
			isolated_calls, many ? 'of thick lines ' : '').over_blocks) at screen 0.5, screen 0.08 center textcolor rgb 0x555555
		eval size_axis(G_min[g], G_max[g])
		eval time_axis(G_time_lo[g], G_time_hi[g])
		set xlabel 'size per rank'
		plot for [k = 1:variants] i = in_order(k), csv \
				using 'bytes':(banded(in_order(k), g, 'p50_us')):(banded(in_order(k), g, 'p95_us')) \
				with filledcurves lc rgb color(i) + faint notitle, \
			for [k = 1:variants] i = in_order(k), csv using 'bytes':(figure(in_order(k), g, 'p50_us')) \
				with linespoints lw width(i) ps points(i) dt dash(i) pt shape(i) \
				lc rgb color(i) title V_label[i]
	} else {
		set label 3 caption(g, sprintf('%d isolated calls, p50, whisker to p95', \
			isolated_calls).over_blocks) at screen 0.5, screen 0.08 center textcolor rgb 0x555555
		eval bar_axis(variants)
		set xlabel size_label(G_max[g]).' per rank'
		do for [i = 1:variants] { set xtics add (V_label[i] i) }
		plot for [i = 1:variants] csv using (i):(figure(i, g, 'p50_us')) \
				with boxes lc rgb color(i) fs solid 0.85 noborder notitle, \
			for [i = 1:variants] csv using (i):(figure(i, g, 'p50_us')):(0):\
				(figure(i, g, 'p95_us') - figure(i, g, 'p50_us')) \
				with vectors nohead lw 1.5 lc rgb 0x333333 notitle, \
			for [i = 1:variants] csv using (i):(figure(i, g, 'p95_us')):\
				(sprintf('%.3g', figure(i, g, 'p50_us'))) with labels offset 0, 0.7 notitle
	}
	unset output
}
