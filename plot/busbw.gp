# Bus bandwidth against size, with the measured limit: one picture per collective. Where it spans much,
# a panel below shows the same on a logarithmic axis: small sizes are one line on the other.
load plot_dir.'/style.gp'

do for [g = 1:groups] {
	if (!each || G_busbw_lines[g] eq '' || !carries_data || G_pace[g] ne 'stream') { continue }
	name = prefix.'_'.G_coll[g].'_busbw'
	head = head_of(G_coll[g], 'bus bandwidth'.by_size(g))
	said = G_said[g]
	how = sprintf('%d × %d calls back to back, ', stretches, calls).over_blocks.(G_sizes[g] > 1 ? alike_of(G_busbw_alike[g]) : '').shown_of
	list = G_busbw_lines[g]
	col = 'busbw_gbs'
	unit = 'bus bandwidth, GB/s'
	band = ''
	limit = 1
	eval nothing
	eval extent_of(g, col)
	scale = hi > 30 * lo ? 'both' : 'linear'
	if (limit_sizes > 0) { hi = most(hi, limit_best) }
	load lines
}
