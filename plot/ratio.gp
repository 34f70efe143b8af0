# Each variant against the reference, with the 95 % interval at each size: below 1 is slower. By size a row of
# panels per family of variants; of one size or two a row per variant. One picture per collective and pace.
load plot_dir.'/style.gp'

do for [g = 1:groups] {
	if (!each || !comparable || variants < 2 || !carries_data) { continue }
	name = prefix.'_'.G_coll[g].'_ratio'.(G_pace[g] eq 'stream' ? '' : '_'.G_pace[g])
	head = head_of(G_coll[g], (G_pace[g] eq 'stream' ? 'bandwidth' : 'speed of isolated calls').' against '.reference)
	said = captions_said[g]
	how = sprintf('below 1 is slower; band: within %g %%; ', 100 * margin).(blocks < 6 ? \
		plural(blocks, 'block').', too few for intervals' : '95 % intervals over '.plural(blocks, 'block')).shown_of
	col = 'ratio'
	tip(end) = end('ratio', end)
	unit = (G_pace[g] eq 'stream' ? 'bandwidth' : 'speed').' ÷ that of '.reference
	of_1 = 1
	limit = 0
	marked = 0
	if (few(g)) { load by_dots } else { load lines }
}
