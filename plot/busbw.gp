# Bus bandwidth against size, with the measured limit: one picture per collective. Where it spans much,
# a panel below shows the same on a logarithmic axis: small sizes are one line on the other.
load dir.'/plots/run.gp'
load style

MUCH = 30
unit = 'bus bandwidth, GB/s'
limit_title = sprintf('limit: copies, ≤ %.3g GB/s', limit_best)
figure(i, g) = pick(V_name[i], G_coll[g], 'stream', 'busbw_gbs')
highest(g) = limit_sizes > 0 && limit_best > G_busbw_hi[g] ? limit_best : G_busbw_hi[g]
# The upper of two panels, the lower, or the only one.
panel_at(two, panel) = sprintf('set tmargin at screen %g; set bmargin at screen %g', \
	two && panel ? 0.5 : roof, two && !panel ? 0.53 : two ? 0.185 : 0.225)
do for [g = 1:groups] {
	if (!each || !carries_data || G_pace[g] ne 'stream') { continue }
	two = G_sizes[g] > 1 && G_busbw_hi[g] > MUCH * G_busbw_lo[g]
	eval canvas(two ? 760 : 560)
	set output sprintf('%s/plots/%s_%s_busbw.png', dir, prefix, G_coll[g])
	if (two) { set multiplot }
	eval heading(g)
	set label 3 caption(g, sprintf('%d × %d calls back to back', stretches, calls).over_blocks) \
		at screen 0.5, screen (two ? 0.07 : 0.08) center textcolor rgb 0x555555
	eval panel_at(0, 0)
	unset logscale y
	set yrange [0:*]
	set ytics autofreq
	set ylabel unit
	if (G_sizes[g] > 1) {
		do for [panel = 0:two] {
			eval panel_at(two, panel)
			bare = panel < two
			eval size_axis(G_min[g], G_max[g])
			if (panel) { eval time_axis(G_busbw_lo[g], highest(g)) }
			if (panel) { set ylabel 'the same, logarithmic' }
			if (panel == two) { set xlabel 'size per rank' } else { unset xlabel }
			plot for [k = 1:variants] i = in_order(k), csv using 'bytes':(figure(in_order(k), g)) \
					with linespoints lw width(i) ps points(i) dt dash(i) pt shape(i) \
					lc rgb color(i) title V_label[i], \
				for [k = 1:limit_sizes > 1] csv using 'bytes':\
					(pick(limit_name, limit_coll, 'stream', 'busbw_gbs')) \
					with lines lw 2 dt 2 lc rgb limit_color title limit_title, \
				for [k = 1:limit_sizes == 1] limit_best \
					with lines lw 2 dt 2 lc rgb limit_color title limit_title
			unset key
			eval drop_labels
		}
		eval many ? key_beside : key_above
	} else {
		eval bar_axis(variants)
		set xlabel size_label(G_max[g]).' per rank'
		do for [i = 1:variants] { set xtics add (V_label[i] i) }
		plot for [i = 1:variants] csv using (i):(figure(i, g)) \
				with boxes lc rgb color(i) fs solid 0.85 noborder notitle, \
			for [k = 1:limit_sizes > 0] limit_best \
				with lines lw 2 dt 2 lc rgb limit_color title limit_title
	}
	if (two) { unset multiplot }
	unset output
}
