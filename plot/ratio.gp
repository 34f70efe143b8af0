# Each variant against the reference, with the 95 % interval at each size: below 1 is slower. Small
# sizes, which scatter, and large ones have an axis each, which holds every point; the intervals of many sizes
# have no caps, which would touch. A row of panels per family of variants; of one size or two a row per
# variant. One picture per collective and pace.
load plot_dir.'/style.gp'

letters = strlen(reference) + 4
do for [i = 1:variants] { letters = most(letters, strlen(V_label[i])) }
aside = 56 + 6.9 * least(letters, 34) # for the names

do for [g = 1:groups] {
	if (!each || !comparable || variants < 2 || !carries_data) { continue }
	name = prefix.'_'.G_coll[g].'_ratio'.(G_pace[g] eq 'stream' ? '' : '_'.G_pace[g])
	head = head_of(G_coll[g], (G_pace[g] eq 'stream' ? 'bandwidth' : 'speed of isolated calls').' against '.reference)
	said = captions_said[g]
	how = sprintf('below 1 is slower; band: within %g %%; ', 100 * margin).(blocks < 6 ? \
		plural(blocks, 'block').', too few for intervals' : '95 % intervals over '.plural(blocks, 'block')).shown_of
	if (few(g)) {
		load by_dots
		continue
	}
	small = ''
	large = ''
	do for [b in G_list[g]] {
		if (G_split[g] > 0 && real(b) >= G_split[g]) { large = large.' '.b } else { small = small.' '.b }
	}
	sides = (words(small) > 0) + (words(large) > 0)
	high = ratio_panels > 1 ? 180.0 : 320.0
	legend = 0
	body = high * ratio_panels + 56
	load begin
	plot NaN notitle
	load axes
	wide = (W - 82 - aside) / sides
	do for [p = 1:ratio_panels] {
		m = words(R_list[p])
		do for [side = 1:sides] {
			list = side == sides && words(large) > 0 ? large : small
			left = 72 + (side - 1) * (wide + 10)
			above = top + 20 + (p - 1) * high
			eval area(left, left + wide - (side < sides ? 40 : 0), above + 4, above + high - 14)
			bare = p < ratio_panels
			pad = 4 * m + 10
			eval size_axis(list, wide - (side < sides ? 40 : 0))
			in(list) = strstrt(list.' ', sprintf(' %.1f ', column('asked_bytes'))) > 0
			eval nothing
			do for [col in 'ratio ratio_lo ratio_hi'] {
				eval extent('$summary', sprintf("of_any(%d) && in(list) ? known('%s') : 0", g, col))
			}
			eval ratio_axis('y', least(lo, 1 / (1 + 2 * margin)), most(hi, 1 + 2 * margin), high)
			beside(k) = exp((k - (m + 1) / 2.0) * 8 * size_pixel(list, wide - 40))
			v(k) = int(word(R_list[p], k))
			at(k, col) = in(list) ? pick(v(k), g, col) : NaN
			set object 1 rectangle from graph 0, first 1 / (1 + margin) to graph 1, first 1 + margin \
				behind fs solid noborder fc rgb 0xEEEEEE
			if (p == 1 && side == 1) {
				set label 12 (G_pace[g] eq 'stream' ? 'bandwidth' : 'speed').' ÷ that of '.reference.(sides > 1 ? '' : log_y) \
					at screen x(11), screen y(top + body / 2 - 10) center rotate by 90
				set label 11 sizes_of(g).log_x at screen x(72 + (W - 82 - aside) / 2), screen y(top + body - 14) center
			}
			if (p == 1 && sides > 1) {
				set label 10 (list eq large ? size_label(G_split[g]).' and more' : 'below '.size_label(G_split[g])).log_y \
					at graph 0.5, screen y(above - 10) center textcolor rgb ink
			}
			unset key
			if (side == sides) {
				set key at screen x(W - aside), screen y(above + 6) left top vertical maxrows 6 Left reverse samplen 2.5 \
					spacing key_high width 0
			}
			eval 'set errorbars '.(words(list) > 8 ? '0' : '0.6')
			plot 1 with lines lw 1.5 lc rgb several title reference.' = 1', \
				for [k = 1:m] $summary using (column('asked_bytes') * beside(k)):(at(k, 'ratio')):(end('ratio', '_lo')):(end('ratio', '_hi')) \
					with yerrorbars lw 1.3 pt -1 lc rgb color(v(k)) notitle, \
				for [k = 1:m] $summary using (column('asked_bytes') * beside(k)):(at(k, 'ratio')) \
					with linespoints lw 1.3 ps 1.1 dt dash(v(k)) pt shape(v(k)) lc rgb color(v(k)) title V_label[v(k)]
			unset label
		}
	}
	eval finish
}
