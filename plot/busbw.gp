# Bus bandwidth against size, with the measured limit: one picture per collective; none where nothing
# in it differs. A thin line is where the library's choice of an algorithm changes, with the choice from there on.
load plot_dir.'/style.gp'

choices_of(g) = (exists('choice_marks_rows') && !few(g) ? \
	sum [m = 1:choice_marks_rows] (choice_marks_what[m] eq G_coll[g]) : 0) > 0 ? \
	'; dotted: where '.library_name.' changes its choice, with '.choice_marks_variant[1] : ''
do for [g = 1:groups] {
	if (!each || !carries_data || G_pace[g] ne 'stream') { continue }
	name = prefix.'_'.G_coll[g].'_busbw'
	head = head_of(G_coll[g], 'bus bandwidth'.by_size(g))
	said = captions_said[g]
	how = sprintf('%d × %d calls back to back, ', stretches, calls).over_blocks.against_of.choices_of(g).shown_of
	col = 'busbw_gbs'
	tip(end) = from_ratio(col, end)
	unit = 'bus bandwidth, GB/s'
	of_1 = 0
	limit = limit_sizes > 0
	marked = 1
	eval nothing
	eval extent_of(g, col)
	if (hi == 0 || flat(g)) { continue }
	if (few(g)) { load by_bars } else { load lines }
}
