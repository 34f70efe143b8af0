# Bus bandwidth against size, with the measured limit: one picture per collective; none where nothing
# in it differs. Where it spans much, a panel has all sizes on a logarithmic axis, and one the large ones from 0.
load plot_dir.'/style.gp'

choices_of(g) = (exists('choice_marks_rows') && !few(g) ? \
	sum [m = 1:choice_marks_rows] (choice_marks_what[m] eq G_coll[g]) : 0) > 0 ? \
	'; dotted: where '.library_name.' changes its choice, with '.choice_marks_variant[1] : ''
do for [g = 1:groups] {
	if (!each || G_busbw_lines[g] eq '' || !carries_data || G_pace[g] ne 'stream') { continue }
	name = prefix.'_'.G_coll[g].'_busbw'
	head = head_of(G_coll[g], 'bus bandwidth'.by_size(g))
	said = captions_said[g]
	how = sprintf('%d × %d calls back to back, ', stretches, calls).over_blocks.alike_of(g, G_busbw_alike[g]).choices_of(g).shown_of
	list = G_busbw_lines[g]
	col = 'busbw_gbs'
	unit = 'bus bandwidth, GB/s'
	band = ''
	limit = 1
	eval nothing
	eval extent_of(g, col)
	if (flat(g)) { continue }
	scale = hi > 30 * lo ? 'both' : 'linear'
	if (limit_sizes > 0) { hi = most(hi, limit_best) }
	zoom = 'large'
	zoom_hi = hi
	marked = 1
	if (few(g)) { load by_bars } else { load lines }
	marked = 0
}
