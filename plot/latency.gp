# Latency of isolated calls against size: the median as a line, a band from it up to the 95th
# percentile. One picture per collective; none where nothing in it differs. Where it spans much, a panel
# has all sizes on a logarithmic axis, and one those below the large ones from 0, in which their lines part.
load plot_dir.'/style.gp'

do for [g = 1:groups] {
	if (!each || G_time_lines[g] eq '' || G_pace[g] ne 'isolated') { continue }
	name = prefix.'_'.G_coll[g].'_latency'
	head = head_of(G_coll[g], 'latency of isolated calls'.by_size(g))
	said = captions_said[g]
	how = sprintf('%s isolated calls, p50, %s up to p95, ', isolated_calls, few(g) ? 'whisker' : 'band').\
		over_blocks.alike_of(g, G_time_alike[g]).shown_of
	list = G_time_lines[g]
	col = 'time_us'
	unit = 'time per call, µs'
	band = 'p95_us'
	limit = 0
	eval nothing
	eval extent('$summary', sprintf("of_any(%d) && column('asked_bytes') < G_split[%d] ? known('%s') : 0", g, g, col))
	zoom = 'small'
	zoom_hi = 1.25 * hi
	eval nothing
	eval extent_of(g, col)
	if (flat(g)) { continue }
	eval extent_of(g, band)
	scale = hi > 5 * lo ? 'both' : 'log'
	if (few(g)) { load by_bars } else { load lines }
}
