# Bus bandwidth against size, with the measured limit: one picture per collective.
load dir.'/plots/run.gp'
load style

set ylabel 'bus bandwidth, GB/s'
set yrange [0:*]
limit_title = sprintf('limit: copies, ≤ %.3g GB/s', limit_best)
figure(i, g) = pick(V_name[i], G_coll[g], 'stream', 'busbw_gbs')
do for [g = 1:groups] {
	if (!each || !carries_data || G_pace[g] ne 'stream') { continue }
	set output sprintf('%s/plots/%s_%s_busbw.png', dir, prefix, G_coll[g])
	set label 3 caption(g, sprintf('%d × %d calls back to back', stretches, calls).over_blocks) \
		at screen 0.5, screen 0.08 center textcolor rgb 0x555555
	if (G_sizes[g] > 1) {
		eval size_axis(G_min[g], G_max[g])
		set xlabel 'size per rank'
		plot for [k = 1:variants] i = in_order(k), csv using 'bytes':(figure(in_order(k), g)) \
				with linespoints lw width(i) ps points(i) dt dash(i) pt shape(i) \
				lc rgb color(i) title V_label[i], \
			for [k = 1:limit_sizes > 1] csv using 'bytes':\
				(pick(limit_name, limit_coll, 'stream', 'busbw_gbs')) \
				with lines lw 2 dt 2 lc rgb limit_color title limit_title, \
			for [k = 1:limit_sizes == 1] limit_best \
				with lines lw 2 dt 2 lc rgb limit_color title limit_title
	} else {
		eval bar_axis(variants)
		set xlabel size_label(G_max[g]).' per rank'
		do for [i = 1:variants] { set xtics add (V_label[i] i) }
		plot for [i = 1:variants] csv using (i):(figure(i, g)) \
				with boxes lc rgb color(i) fs solid 0.85 noborder notitle, \
			for [k = 1:limit_sizes > 0] limit_best \
				with lines lw 2 dt 2 lc rgb limit_color title limit_title
	}
	unset output
}
