# Each variant against the reference, with the 95 % interval at each size: below 1 is slower. Where
# some are far from 1, a panel above shows those near it. One picture per collective and pace.
load dir.'/plots/run.gp'
load style

figure(i, g, col) = i == first ? NaN : pick(V_name[i], G_coll[g], G_pace[g], col)
# Variants stand beside each other, so that their intervals can be told apart: over half an octave, of
# many over most of the way to the next size.
spread = 0.5
octaves(g, n) = log(real(word(G_list[g], n)) / real(word(G_list[g], n - 1))) / log(2)
beside(i) = 2 ** ((i - (variants + 1) / 2.0) * spread / variants)
panel_at(far, panel) = sprintf('set tmargin at screen %g; set bmargin at screen %g', \
	far && panel ? 0.43 : roof, far && !panel ? 0.475 : 0.225)
step(span) = span > 0.35 ? 0.1 : span > 0.16 ? 0.05 : span > 0.07 ? 0.02 : 0.01
do for [g = 1:groups] {
	if (!each || !comparable || variants < 2 || !carries_data) { continue }
	set output sprintf('%s/plots/%s_%s_ratio%s.png', dir, prefix, G_coll[g], \
		G_pace[g] eq 'stream' ? '' : '_'.G_pace[g])
	spread = many && G_sizes[g] > 1 ? 1.4 : 0.5
	do for [n = 2:G_sizes[g]] { spread = 0.7 * octaves(g, n) < spread ? 0.7 * octaves(g, n) : spread }
	far = G_ratio_lo[g] < 0.55 || G_ratio_hi[g] > 1.8
	# The panel of those near 1, or of all: symmetric only where it is a cut-out.
	low = far ? 1 / G_near[g] : G_ratio_lo[g]
	high = far ? G_near[g] : G_ratio_hi[g]
	low = (low > 0.98 ? 0.98 : low) - 0.1 * (high - low)
	high = (high < 1.02 ? 1.02 : high) + 0.1 * (high - low)
	set multiplot
	eval heading(g)
	set label 3 caption(g, G_pace[g].' calls, '.(blocks < 6 ? '' : '95 % intervals over ').\
		plural(blocks, 'block').(blocks < 6 ? ', too few for intervals' : '')) \
		at screen 0.5, screen 0.08 center textcolor rgb 0x555555
	set label 5 (G_pace[g] eq 'stream' ? 'bandwidth' : 'speed').' against '.reference.\
		', < 1: slower' at screen 0.022, screen 0.53 center rotate by 90
	# Of many the names are higher than the upper panel, which would cut them off.
	if (many) {
		eval key_only
		plot NaN with lines lw 1.5 lc rgb 0x333333 title reference.' = 1', \
			for [i = 1:variants] NaN with linespoints lw width(i) ps points(i) dt dash(i) pt shape(i) lc rgb color(i) \
			title i == first ? '' : V_label[i]
		eval key_done
		eval drop_labels
		set lmargin at screen 0.105
		set rmargin at screen edge
		set grid xtics ytics ls 100 back
	}
	do for [panel = 0:far] {
		eval panel_at(far, panel)
		bare = panel < far
		eval size_axis(G_min[g], G_max[g])
		if (spread > 0.5) {
			eval sprintf('set xrange [%.0f:%.0f]', G_min[g] / 2 ** spread, G_max[g] * 2 ** spread)
		}
		if (far && panel) {
			eval sprintf('set yrange [%g:%g]', G_ratio_lo[g] / 1.15, G_ratio_hi[g] * 1.15)
			set logscale y 2
			if (G_ratio_hi[g] > 4 * G_ratio_lo[g]) {
				set ytics (0.015625, 0.0625, 0.25, 0.5, 1, 2, 4, 16)
			} else {
				set ytics (0.25, 0.5, 0.75, 1, 1.5, 2, 3)
			}
		} else {
			eval sprintf('set yrange [%g:%g]', low, high)
			unset logscale y
			eval sprintf('set ytics %g', step(high - low))
		}
		if (panel == far) { set xlabel 'size per rank' } else { unset xlabel }
		plot 1 with lines lw 1.5 lc rgb 0x333333 title reference.' = 1', \
			for [i = 1:variants] csv using (column('bytes') * beside(i)):(figure(i, g, 'ratio')):\
				(figure(i, g, 'ratio_lo')):(figure(i, g, 'ratio_hi')) \
				with yerrorbars lw (plain(i) ? 1.4 : 1.1) ps points(i) pt shape(i) \
				lc rgb color(i) notitle, \
			for [i = 1:variants] csv using (column('bytes') * beside(i)):(figure(i, g, 'ratio')) \
				with linespoints lw width(i) ps points(i) dt dash(i) pt shape(i) lc rgb color(i) \
				title i == first ? '' : V_label[i]
		unset key
		do for [k in '1 2 3 5'] { eval 'unset label '.k }
	}
	unset multiplot
	unset output
	eval many ? key_beside : key_above
}
