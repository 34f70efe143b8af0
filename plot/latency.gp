# Latency of isolated calls against size: the median, with a whisker up to the 95th percentile. One picture per
# collective; none where nothing in it differs.
load plot_dir.'/style.gp'

do for [g = 1:groups] {
	if (!each || G_pace[g] ne 'isolated') { continue }
	name = prefix.'_'.G_coll[g].'_latency'
	head = head_of(G_coll[g], 'latency of isolated calls'.by_size(g))
	said = captions_said[g]
	how = sprintf('%s isolated calls, p50, whiskers up to p95, ', isolated_calls).over_blocks.shown_of
	col = 'time_us'
	tip(end) = column(end eq '_hi' && known('p95_us') > 0 ? 'p95_us' : 'time_us')
	unit = 'time per call, µs'
	of_1 = 0
	limit = 0
	marked = 0
	eval nothing
	eval extent_of(g, col)
	if (hi == 0 || flat(g)) { continue }
	if (few(g)) { load by_bars } else { load lines }
}
