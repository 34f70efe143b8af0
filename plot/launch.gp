# What launching costs: the longest time from leaving the barrier until issue returns on any rank, per
# call. Of isolated calls where there are any. One picture per collective; none where nothing in it
# differs, or where calls block, so that issue does not end before the call.
load plot_dir.'/style.gp'

isolated(g) = sum [k = 1:groups] (G_coll[k] eq G_coll[g] && G_pace[k] eq 'isolated')
do for [g = 1:groups] {
	if (!detail || (G_pace[g] ne 'isolated' && isolated(g))) { continue }
	name = prefix.'_'.G_coll[g].'_launch'
	head = head_of(G_coll[g], 'launch cost'.by_size(g))
	said = captions_launch_said[g]
	how = 'from the barrier until issue returns, slowest rank, '.G_pace[g].' calls, '.over_blocks.\
		(blocks < 6 ? '' : ', 95 % intervals').shown_of
	col = 'launch_us'
	tip(end) = end('launch', end)
	unit = 'launch cost per call, µs'
	of_1 = 0
	limit = 0
	marked = 0
	eval nothing
	eval extent_of(g, col)
	if (hi == 0 || flat(g)) { continue }
	if (few(g)) { load by_bars } else { load lines }
}
