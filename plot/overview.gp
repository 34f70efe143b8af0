# Bus bandwidth of every collective at its largest size, a bar per variant that the experiment is about,
# with the measured limit: one picture of a run with three collectives or more.
load plot_dir.'/style.gp'

streams = sum [g = 1:groups] (G_pace[g] eq 'stream')
place(g) = sum [k = 1:g] (G_pace[k] eq 'stream')
wide = 0.8 / main
# Further variants of a mode have its colour, paler.
depth(i) = most(0.85 * 0.58 ** V_family[i], 0.1)
# An end of its interval: the ratio's to the reference, at its bar.
at_end(i, g, col) = pick(i, g, 'busbw_gbs') * column(col) / column('ratio')
# More names than 40 cannot be read.
do for [picture = 1:(carries_data && streams >= 3 && streams <= 40)] {
	lowest = 0.0
	highest = 0.0
	letters = 0
	do for [g = 1:groups] {
		if (G_pace[g] ne 'stream') { continue }
		lowest = lowest == 0 || G_max[g] < lowest ? G_max[g] : lowest
		highest = G_max[g] > highest ? G_max[g] : highest
		letters = strlen(G_coll[g]) > letters ? strlen(G_coll[g]) : letters
	}
	letters = letters > 30 ? 30 : letters
	name = prefix.'_overview'
	head = head_of(plural(streams, 'collective'), 'bus bandwidth at '.\
		(lowest < highest ? size_label(lowest).' to '.size_label(highest) : size_label(highest)))
	said = exists('said_overview') ? said_overview : ''
	how = sprintf((comparable ? 'lines: 95 %% intervals against '.reference.'; ' : '').'%d × %d calls back to back, ', stretches, calls).over_blocks.\
		(main < variants ? sprintf('; %d of %d variants', main, variants + left_out) : '')
	upright = letters * streams <= 90
	legend = (main + (limit_sizes > 0) + 2) / 3
	body = upright ? 370.0 : 340.0 + 4.6 * letters
	load begin
	set key vertical maxrows legend maxcols 3 width key_wide samplen 2
	plot for [i = 1:main] NaN with boxes lc rgb color(i) fs solid depth(i) noborder title V_label[i], \
		for [k = 1:limit_sizes > 0] NaN with lines lw 2 dt 2 lc rgb grey \
			title sprintf('limit, up to %.3g GB/s', limit_best)
	load axes
	eval area(72, W - 16, top + 6, top + 326)
	set ylabel 'bus bandwidth, GB/s'
	set yrange [0:*]
	eval sprintf('set xrange [0.4:%d.6]', streams)
	set xtics () scale 0
	if (!upright) { eval sprintf("set xtics rotate by 35 right font '%s'", font(streams > 20 ? 8 : 9)) }
	do for [g = 1:groups] {
		if (G_pace[g] eq 'stream') { set xtics add (G_coll[g] place(g)) }
	}
	set grid noxtics
	plot for [i = 1:main] for [g = 1:groups] $summary using (place(g) + (i - (main + 1) / 2.0) * wide):\
			(G_pace[g] eq 'stream' && column('asked_bytes') == G_max[g] ? pick(i, g, 'busbw_gbs') : NaN):(0.92 * wide) \
			with boxes lc rgb color(i) fs solid depth(i) noborder notitle, \
		for [i = 1:main] for [g = 1:groups] $summary using (place(g) + (i - (main + 1) / 2.0) * wide):\
			(G_pace[g] eq 'stream' && column('asked_bytes') == G_max[g] ? at_end(i, g, 'ratio_lo') : NaN):\
			(0):(at_end(i, g, 'ratio_hi') - at_end(i, g, 'ratio_lo')) with vectors nohead lw 1.5 lc rgb ink notitle, \
		for [k = 1:limit_sizes > 0] limit_best with lines lw 2 dt 2 lc rgb grey notitle
	eval finish
}
