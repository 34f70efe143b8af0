# What launching costs: the longest time from leaving the barrier until issue returns on any rank, per
# call. Of isolated calls where there are any. One picture per collective.
load dir.'/plots/run.gp'
load style

set ylabel 'launch cost per call, µs'
isolated(g) = sum [k = 1:groups] (G_coll[k] eq G_coll[g] && G_pace[k] eq 'isolated')
figure(i, g) = pick(V_name[i], G_coll[g], G_pace[g], 'launch_us')
do for [g = 1:groups] {
	if (!detail || (G_pace[g] ne 'isolated' && isolated(g))) { continue }
	set output sprintf('%s/plots/%s_%s_launch.png', dir, prefix, G_coll[g])
	eval heading(g)
	set label 3 caption(g, 'from the barrier until issue returns, slowest rank, '.G_pace[g].' calls'.\
		over_blocks) at screen 0.5, screen 0.08 center textcolor rgb 0x555555
	if (G_sizes[g] > 1) {
		eval size_axis(G_min[g], G_max[g])
		eval time_axis(G_launch_lo[g], G_launch_hi[g])
		set xlabel 'size per rank'
		plot for [k = 1:variants] i = in_order(k), csv using 'bytes':(figure(in_order(k), g)) \
			with linespoints lw width(i) ps points(i) dt dash(i) pt shape(i) \
			lc rgb color(i) title V_label[i]
	} else {
		eval bar_axis(variants)
		set xlabel size_label(G_max[g]).' per rank'
		do for [i = 1:variants] { set xtics add (V_label[i] i) }
		plot for [i = 1:variants] csv using (i):(figure(i, g)) \
				with boxes lc rgb color(i) fs solid 0.85 noborder notitle, \
			for [i = 1:variants] csv using (i):(figure(i, g)):(sprintf('%.3g', figure(i, g))) \
				with labels offset 0, 0.7 notitle
	}
	unset output
}
