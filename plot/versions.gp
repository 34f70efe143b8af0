# Threads and processes by version of the library: bandwidth above, processes ÷ threads below. Filled:
# data goes straight into the peer's buffer; open: by way of a buffer of the library's own; faint: not
# known. No lines: nothing was measured between two versions. One picture per collective; none where
# there is one version only.
load dir.'/plots/run.gp'
load style

set lmargin at screen 0.115
set rmargin at screen 0.965
eval key_above
table = dir.'/plots/versions.csv'
modes = versions_modes > 2 ? 'threads single processes' : 'threads processes'
paint(mode) = mode eq 'single' ? 0xE69F00 : mode eq 'threads' ? 0x0072B2 : 0x009E73
# Modes stand a little beside each other, threads to the left and processes to the right: the further
# in a version's share of the width the narrower that is.
side(mode) = mode eq 'threads' ? -1 : mode eq 'single' ? 0 : 1
beside(mode) = column('nth_version') + 0.035 * (versions < 6 ? versions : 6) * side(mode)
here(g, mode) = strcol('collective') eq N_coll[g] && strcol('mode') eq mode
figure(g, mode, name) = here(g, mode) ? column(name) : NaN
on(g, mode, path) = here(g, mode) && strcol('data_path') eq path ? column('busbw_gbs') : NaN
known(path) = path eq 'direct' || path eq 'staged'
off(g, mode) = here(g, mode) && !known(strcol('data_path')) ? column('busbw_gbs') : NaN
number(x) = x < 1 ? sprintf('%.3f', x) : x < 10 ? sprintf('%.2f', x) : \
	x < 100 ? sprintf('%.1f', x) : sprintf('%.0f', x)
# Of threads above the point, of processes below, each away from the other: neither meets a point or
# whisker. As long as there is room, with the way that its data took.
few = versions <= 4
path_word(g, mode) = few && known(strcol('data_path')) ? \
	', '.strcol('data_path') : ''
entries = modes.(versions_paths ? ' direct staged' : '')
entry(k) = k eq 'direct' ? 'filled: direct' : k eq 'staged' ? 'open: staged' : k
# A verdict in one word, for the panel below.
word_of(v) = v eq 'slower' || v eq 'faster' ? v : v[1:2] eq 'no' ? 'alike' : 'undecided'
verdict_word(g) = sprintf('%.3f', figure(g, 'processes', 'ratio')).\
	(few ? ', '.word_of(strcol('verdict')) : '')
verdict_color(g) = strcol('verdict') eq 'slower' || strcol('verdict') eq 'faster' ? 0xD55E00 : 0x444444
# The interval's lower end, or where few blocks have none, the ratio.
low_end(g) = figure(g, 'processes', column('ratio_lo') == column('ratio_lo') ? 'ratio_lo' : 'ratio')
least(a, b) = a < b ? a : b
most(a, b) = a > b ? a : b

do for [g = 1:versions_pictures] {
	set output sprintf('%s/plots/%s_%s_versions.png', dir, prefix, N_coll[g])
	set multiplot
	set label 1 sprintf('%s: the gap by NCCL version, %s backend', N_coll[g], backend) \
		at screen 0.5, screen 0.965 center font ',13'
	set label 2 machine at screen 0.5, screen 0.035 center textcolor rgb 0x555555
	about = sprintf('%s, %s: %s; means over %s; whiskers: quartiles; band: ±%g %% margin', \
		N_coll[g], plural(N_ranks[g], 'rank'), N_about[g], plural(N_blocks[g], 'block'), \
		100 * versions_margin)
	set label 3 about at screen 0.5, screen 0.08 center textcolor rgb 0x555555 \
		font (strlen(about) > 120 && !many ? ',10' : ',11')
	eval sprintf('set xrange [0.5:%d.5]', versions)
	set xtics () scale 0
	do for [k = 1:versions] { set xtics add ('' k) }
	unset grid
	set grid ytics ls 100 back
	# Bandwidth: nothing that is nearly equal fills the panel.
	span = most(N_hi[g] - N_lo[g], 0.05 * N_hi[g])
	base = most(N_lo[g] - 0.35 * span, 0)
	eval sprintf('set yrange [%g:%g]', base, N_hi[g] + 0.35 * span)
	eval sprintf('set ytics %g', nice_step(1.7 * span))
	set ylabel 'bus bandwidth, GB/s'.(base > 0 ? "\n(not from 0)" : '') offset -0.5
	set key maxcols 6
	set tmargin at screen 0.86
	set bmargin at screen 0.43
	plot table using (beside('threads')):(figure(g, 'threads', 'busbw_gbs_hi')):\
			(number(figure(g, 'threads', 'busbw_gbs')).path_word(g, 'threads')) \
			with labels right offset 2, 1.15 font ',12' textcolor rgb paint('threads') notitle, \
		table using (beside('processes')):(figure(g, 'processes', 'busbw_gbs_lo')):\
			(number(figure(g, 'processes', 'busbw_gbs')).path_word(g, 'processes')) \
			with labels left offset -2, -1.15 font ',12' textcolor rgb paint('processes') notitle, \
		for [k = 1:few && versions_modes > 2] table using (beside('processes')):\
			(figure(g, 'single', 'busbw_gbs')):(number(figure(g, 'single', 'busbw_gbs'))) \
			with labels left offset 1.6, 0 font ',12' textcolor rgb paint('single') notitle, \
		for [mode in modes] table using (beside(mode)):(figure(g, mode, 'busbw_gbs')):\
			(figure(g, mode, 'busbw_gbs_lo')):(figure(g, mode, 'busbw_gbs_hi')) \
			with yerrorbars lw 2 pt -1 lc rgb paint(mode) notitle, \
		for [mode in modes] table using (beside(mode)):(on(g, mode, 'staged')) \
			with points pt filled(mode) ps 2.4 lc rgb 0xFFFFFF notitle, \
		for [mode in modes] table using (beside(mode)):(on(g, mode, 'staged')) \
			with points pt filled(mode) - 1 ps 2.2 lw 2.5 lc rgb paint(mode) notitle, \
		for [mode in modes] table using (beside(mode)):(on(g, mode, 'direct')) \
			with points pt filled(mode) ps 2.4 lc rgb paint(mode) notitle, \
		for [mode in modes] table using (beside(mode)):(off(g, mode)) \
			with points pt filled(mode) ps 2.4 lc rgb paint(mode) + 0xA0000000 notitle, \
		for [k in entries] NaN with points pt (k eq 'staged' ? 6 : k eq 'direct' ? 7 : filled(k)) ps 1.8 lw 2 \
			lc rgb (k eq 'staged' || k eq 'direct' ? 0x999999 : paint(k)) title entry(k)
	eval drop_labels
	unset key
	# The ratio, with the margin as a band.
	# The title has the word NCCL too. Names are not to touch.
	do for [k = 1:versions] { set xtics add ((versions < 8 ? 'NCCL ' : '').N_version[k] k) }
	eval sprintf("set xtics font ',%d' %s", few ? 12 : 10, versions < 14 ? 'norotate' : 'rotate by -30 left')
	far = most(most(N_ratio_hi[g] - 1, 1 - N_ratio_lo[g]), 2 * versions_margin)
	low = least(N_ratio_lo[g], 1 - versions_margin) - 0.7 * far
	high = most(N_ratio_hi[g], 1 + versions_margin) + 0.35 * far
	eval sprintf('set yrange [%g:%g]', low, high)
	eval sprintf('set ytics %g', nice_step(1.7 * (high - low)))
	set ylabel "processes ÷\nthreads" offset -0.5
	set tmargin at screen 0.385
	set bmargin at screen 0.17
	set object 1 rectangle from graph 0, first 1 / (1 + versions_margin) to \
		graph 1, first 1 + versions_margin behind fs solid noborder fc rgb 0xEEEEEE
	plot 1 with lines lw 1.5 lc rgb 0x333333 notitle, \
		table using 'nth_version':(figure(g, 'processes', 'ratio')):\
			(figure(g, 'processes', 'ratio_lo')):(figure(g, 'processes', 'ratio_hi')):(verdict_color(g)) \
			with yerrorbars lw 2.5 pt -1 lc rgb variable notitle, \
		table using 'nth_version':(figure(g, 'processes', 'ratio')):(verdict_color(g)) \
			with points pt 5 ps 1.2 lc rgb variable notitle, \
		table using 'nth_version':(low_end(g)):\
			(verdict_word(g)):(verdict_color(g)) \
			with labels center offset 0, -1.1 font ',12' textcolor rgb variable notitle
	unset object 1
	unset multiplot
	unset output
	set key
}
