# A figure of group g at one size or two: a row for each variant, a panel for each size, with whiskers; of one that
# is cut off an arrow follows the figure. Set before: what style_lines.gp needs.
shown = sum [i = 1:variants] (V_role[i] ne 'limit')
legend = limit && limit_sizes > 0
body = 22.0 * shown + 74
load begin
plot for [k = 1:legend] NaN with lines lw 2 dt 2 lc rgb grey \
	title sprintf('limit: plain copies, up to %.3g GB/s', limit_best), NaN notitle
load axes
left = 40
do for [i = 1:variants] { left = most(left, 30 + 6.8 * strlen(short(V_label[i], 30))) }
wide = (W - left) / G_sizes[g]
set grid noytics
eval sprintf('set yrange [%g:0.4]', variants + 0.6)
do for [p = 1:G_sizes[g]] {
	bytes = real(word(G_list[g], p))
	at(i) = column('asked_bytes') == bytes ? pick(i, g, col) : NaN
	tip_of(i, end) = at(i) == at(i) ? tip(end) : NaN
	eval nothing
	eval extent('$summary', sprintf("of_any(%d) && column('asked_bytes') == bytes && known(col) > 0 ? tip('_hi') : 0", g))
	longest = hi
	eval nothing
	eval extent('$summary', sprintf("of_any(%d) && column('asked_bytes') == bytes ? known(col) : 0", g))
	longest = least(longest, 2.5 * hi) # one far whisker is not to leave the bars in one place
	eval nothing
	if (legend) { eval extent('$summary', "column('asked_bytes') == bytes ? of_limit('busbw_gbs') : 0") }
	limit_here = limit_sizes == 1 ? limit_best : hi
	longest = legend ? most(longest, limit_here) : longest
	shown_tip(i, end) = tip_of(i, end) > longest ? longest : tip_of(i, end)
	cut_off(i) = tip_of(i, '_hi') > longest ? ' →' : ''
	if (longest <= 0) { continue }
	eval area(left + (p - 1) * wide, left + p * wide - 64, top + 22, top + body - 46)
	set ytics () scale 0
	do for [i = 1:variants] { set ytics add ((p > 1 ? '' : short(V_label[i], 30)) i) }
	eval sprintf('set xrange [0:%g]; set xtics %g', 1.02 * longest, nice_step((G_sizes[g] > 1 ? 1.4 : 1.0) * longest))
	set xlabel unit offset 0, 0.4
	set label 10 size_label(bytes).(in_buckets(g) ? ' buckets' : ' per rank') at graph 0, screen y(top + 10) left textcolor rgb ink
	plot for [i = 1:variants] $summary using (0):(i):(0):(at(i)):(i - 0.33):(i + 0.33) \
			with boxxyerror fs solid 0.85 noborder lc rgb color(i) notitle, \
		for [i = 1:variants] $summary using (tip_of(i, '_lo')):(i):(shown_tip(i, '_hi') - tip_of(i, '_lo')):(0) \
			with vectors nohead lw 1.5 lc rgb several notitle, \
		for [i = 1:variants] $summary using (shown_tip(i, '_hi')):(i):(number(at(i)).cut_off(i)) with labels left offset 0.6, 0 notitle, \
		for [k = 1:legend && limit_here > 0] $summary using (limit_here):($0 < 2 ? 0.4 + $0 * variants : NaN) \
			with lines lw 2 dt 2 lc rgb grey notitle
}
eval finish
