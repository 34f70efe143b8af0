# Threads and processes by version of the library, at one size: bandwidth above, processes ÷ threads below. Filled:
# data goes straight into the peer's buffer; open: by way of a buffer of the library's own; faint: not
# known. No lines: nothing was measured between two versions. One picture per collective; none where
# there is one version only.
load plot_dir.'/style.gp'

paint(mode) = mode_color(mode)
nversions = exists('versions_of_rows') ? words(versions_of_versions[1]) : 0
# Modes stand a little beside each other, threads to the left and processes to the right: the further
# in a version's share of the width the narrower that is.
side(mode) = mode eq 'threads' ? -1 : mode eq 'single' ? 0 : 1
beside(mode) = column('nth') + 0.035 * (nversions < 6 ? nversions : 6) * side(mode)
is_of(g) = strcol('metric') eq versions_of_metric[g] && strcol('collective') eq versions_of_collective[g]
figure(g, mode, col) = is_of(g) && strcol('mode') eq mode ? column(col) : NaN
is_known(path) = path eq 'direct' || path eq 'staged'
on(g, mode, path) = (is_known(strcol('path')) ? strcol('path') : '') eq path ? figure(g, mode, 'drawn_gbs') : NaN
# Of threads above the point, of processes below, each away from the other. As long as there is room, with the way that its data took.
brief = nversions <= 4
entry(k) = k eq 'direct' ? 'filled: direct' : k eq 'staged' ? 'open: staged' : k
# A verdict in one word, for the panel below.
said_of(g, mode) = number(figure(g, mode, 'drawn_gbs')).(brief && is_known(strcol('path')) ? ', '.strcol('path') : '')
verdict_word(g) = sprintf('%.3f', figure(g, 'processes', 'drawn_ratio')).(brief ? ', '.strcol('word') : '')
verdict_color(g) = side_of('word') != 0 ? effect(side_of('word')) : ink
extent_by(g, col) = extent('$versions', sprintf("is_of(%d) ? known('%s') : 0", g, col))
# The interval's ends, or where few blocks have none, the ratio.
ratio_end(g, to) = figure(g, 'processes', end_of('drawn_ratio', to))

# Bandwidth alone has a picture.
do for [g = 1:exists('versions_of_rows') ? versions_of_rows : 0] { if (versions_of_metric[g] eq 'busbw' && versions_of_blocks[g] > 0) {
	modes = versions_of_modes[g]
	eval nothing
	eval extent('$versions', "is_known(strcol('path'))")
	entries = modes.(hi > 0 ? ' direct staged' : '')
	name = prefix.'_'.versions_of_collective[g].'_versions'
	head = head_of(versions_of_collective[g].' of '.versions_of_drawn[g], 'by version')
	said = versions_of_caption[g]
	how = sprintf('%s; below: 95 %% intervals, band: within %g %%', \
		plural(versions_of_blocks[g], 'trial').' of each', 100 * margin)
	legend = 1
	body = 460.0
	load begin
	set key horizontal width key_wide
	plot for [k in entries] NaN with points pt (k eq 'staged' ? 6 : k eq 'direct' ? 7 : mode_shape(k)) ps mark * 1.8 lw 2 \
		lc rgb (k eq 'staged' || k eq 'direct' ? grey : paint(k)) title entry(k)
	load axes
	eval sprintf('set xrange [0.5:%d.5]', nversions)
	set xtics () scale 0
	do for [k = 1:nversions] { set xtics add ('' k) }
	set grid noxtics
	# Bandwidth: nothing that is nearly equal fills the panel.
	eval nothing
	eval extent_by(g, 'drawn_gbs')
	span = most(hi - lo, 0.05 * hi)
	base = most(lo - 0.35 * span, 0)
	eval sprintf('set yrange [%g:%g]; set ytics %g', base, hi + 0.35 * span, nice_step(1.7 * span))
	set ylabel 'bus bandwidth, GB/s'.(base > 0 ? "\n(not from 0)" : '') offset -0.5
	eval area(92, W - 20, top + 6, top + 262)
	plot $versions using (beside('threads')):(figure(g, 'threads', 'drawn_gbs')):\
			(said_of(g, 'threads')) \
			with labels right offset 2, 1.15 textcolor rgb paint('threads') notitle, \
		$versions using (beside('processes')):(figure(g, 'processes', 'drawn_gbs')):\
			(said_of(g, 'processes')) \
			with labels left offset -2, -1.15 textcolor rgb paint('processes') notitle, \
		for [k = 1:brief && words(modes) > 2] $versions using (beside('processes')):\
			(figure(g, 'single', 'drawn_gbs')):(number(figure(g, 'single', 'drawn_gbs'))) \
			with labels left offset 1.6, 0 textcolor rgb paint('single') notitle, \
		for [mode in modes] $versions using (beside(mode)):(on(g, mode, 'staged')) \
			with points pt mode_shape(mode) ps mark * 2.4 lc rgb 0xFFFFFF notitle, \
		for [mode in modes] $versions using (beside(mode)):(on(g, mode, 'staged')) \
			with points pt mode_shape(mode) - 1 ps mark * 2.2 lw 2.5 lc rgb paint(mode) notitle, \
		for [mode in modes] $versions using (beside(mode)):(on(g, mode, 'direct')) \
			with points pt mode_shape(mode) ps mark * 2.4 lc rgb paint(mode) notitle, \
		for [mode in modes] $versions using (beside(mode)):(on(g, mode, '')) \
			with points pt mode_shape(mode) ps mark * 2.4 lc rgb paint(mode) + 0xA0000000 notitle
	# The ratio, with the margin as a band. Names are not to touch.
	do for [k = 1:nversions] { set xtics add ((nversions < 8 ? library_name.' ' : '').word(versions_of_versions[g], k) k) }
	eval sprintf("set xtics %s", nversions < 14 ? 'norotate' : 'rotate by -30 left')
	eval nothing
	do for [col in 'drawn_ratio drawn_ratio_lo drawn_ratio_hi'] { eval extent_by(g, col) }
	far = most(most(hi - 1, 1 - lo), 2 * margin)
	low = least(lo, 1 - margin) - 0.7 * far
	high = most(hi, 1 + margin) + 0.35 * far
	eval sprintf('set yrange [%g:%g]; set ytics %g', low, high, nice_step(1.7 * (high - low)))
	set ylabel "processes ÷\nthreads" offset -0.5
	eval area(92, W - 20, top + 290, top + 430)
	set object 1 rectangle from graph 0, first 1 / (1 + margin) to graph 1, first 1 + margin \
		behind fs solid noborder fc rgb 0xEEEEEE
	plot 1 with lines lw 1.5 lc rgb several notitle, \
		$versions using (column('nth')):(figure(g, 'processes', 'drawn_ratio')):\
			(ratio_end(g, '_lo')):(ratio_end(g, '_hi')):(verdict_color(g)) \
			with yerrorbars lw 2.5 pt -1 lc rgb variable notitle, \
		$versions using (column('nth')):(figure(g, 'processes', 'drawn_ratio')):(verdict_color(g)) \
			with points pt 5 ps mark * 1.2 lc rgb variable notitle, \
		$versions using (column('nth')):(ratio_end(g, '_lo')):(verdict_word(g)):(verdict_color(g)) \
			with labels center offset 0, -1.1 textcolor rgb variable notitle
	eval finish
} }
