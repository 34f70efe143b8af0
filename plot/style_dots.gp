# Ratios of group g at one size or two: a row for each variant, a panel for each size, with its interval
# and its figure. For ratio.gp.
body = 22.0 * (variants - 1) + 74
legend = 0
load begin
plot NaN notitle
load axes
left = 40
do for [i = 2:variants] { left = most(left, 30 + 6.8 * strlen(short(V_label[i], 30))) }
wide = (W - left) / G_sizes[g]
set grid noytics
eval sprintf('set yrange [%g:1.4]', variants + 0.6)
do for [p = 1:G_sizes[g]] {
	bytes = real(word(G_list[g], p))
	at(i, col) = column('asked_bytes') == bytes ? pick(i, g, col) : NaN
	here = sprintf("column('asked_bytes') == %.17g", bytes)
	around = 3
	load by_ratios
	unset label 13
	eval area(left + (p - 1) * wide, left + p * wide - 64, top + 22, top + body - 46)
	eval ratio_axis('x', lo, hi, 220)
	set ytics () scale 0
	do for [i = 2:variants] { set ytics add ((p > 1 ? '' : short(V_label[i], 30)) i) }
	set xlabel (G_pace[g] eq 'stream' ? 'bandwidth' : 'speed').' ÷ that of '.short(reference, 24).log_x offset 0, 0.4
	set label 10 size_label(bytes).(in_buckets(g) ? ' buckets' : ' per rank') at graph 0, screen y(top + 10) left textcolor rgb ink
	set object 1 rectangle from first 1 / (1 + margin), graph 0 to first 1 + margin, graph 1 \
		behind fs solid noborder fc rgb 0xEEEEEE
	set arrow 1 from first 1, graph 0 to first 1, graph 1 nohead lw 1.5 lc rgb several back
	do for [i = 2:variants] {
		eval nothing
		eval extent('$summary', sprintf("strcol('variant') eq V_name[%d] && of_group(%d) && column('asked_bytes') == bytes ? known('ratio') : 0", i, g))
		set label i + 20 (hi > 0 ? number(hi) : '–') at graph 1.02, first i left
		if (i == outside) { set label 13 (outside_low ? '←' : '→') at graph (outside_low ? 0.01 : 0.99), first i center textcolor rgb color(i) }
	}
	plot for [i = 2:variants] $summary using (at(i, 'ratio')):(i):(end('ratio', '_lo')):(end('ratio', '_hi')) \
			with xerrorbars lw 1.8 pt -1 lc rgb color(i) notitle, \
		for [i = 2:variants] $summary using (at(i, 'ratio')):(i) with points ps mark * 1.4 lw 2 \
			pt (V_role[i] eq 'again' ? 2 : mode_shape(V_mode[i])) lc rgb color(i) notitle
}
unset label 13
eval finish
