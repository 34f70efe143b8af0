# Curves of group g by size: a row of panels for each family of variants, the reference in each, their names beside
# it. Small sizes, which scatter, and large ones have an axis each, though one variant far off may be left out of
# that of ratios (style_ratios.gp). Points of one size stand beside each other, so that none hides another; whiskers of many sizes have no caps, which would touch. Set before: col
# (of $summary), its whiskers' ends (tip), unit, of_1 (ratios to the reference, which is a line at 1), limit and marked.
small = ''
large = ''
do for [b in G_list[g]] {
	if (G_split[g] > 0 && real(b) >= G_split[g]) { large = large.' '.b } else { small = small.' '.b }
}
sides = (words(small) > 0) + (words(large) > 0)
# Of each row the variants that have a figure, as one text.
has_figure(i) = sprintf("strcol('variant') eq V_name[%d] && of_group(%d) ? known(col) : 0", i, g)
array row_of[ratio_panels + 1]
n = 0
letters = of_1 ? strlen(reference) + 4 : limit ? 20 : 0
do for [p = 1:most(1, ratio_panels)] {
	mine = ''
	do for [v in (of_1 ? '' : '1').(ratio_panels > 0 ? ' '.R_list[p] : '')] {
		eval nothing
		eval extent('$summary', has_figure(int(v)))
		if (hi > 0 && (of_1 || V_role[int(v)] ne 'again')) {
			mine = mine.' '.v
			letters = most(letters, strlen(V_label[int(v)]))
		}
	}
	if (words(mine) > (n > 0 && !of_1)) {
		n = n + 1
		row_of[n] = mine
	}
}
aside = 56 + 6.9 * least(letters, 34) # for the names
high = n > 5 ? 140.0 : n > 1 ? 180.0 : 320.0
legend = 0
over = sides > 1 ? 20 : 0 # for what a panel says of its sizes
body = high * n + 36 + over
load begin
plot NaN notitle
load axes
# The more sizes the wider.
share = sides == 1 ? 1 : least(0.6, most(0.4, (words(small) + 1.0) / (words(small) + words(large) + 2)))
in(list) = strstrt(list.' ', sprintf(' %.1f ', column('asked_bytes'))) > 0
do for [p = 1:n] {
	mine = row_of[p]
	m = words(mine)
	dash_of(k) = k < 1 ? 1 : k > m ? 2 : dash(v(k))
	v(k) = k < 1 || k > m ? 1 : int(word(mine, k))
	do for [side = 1:sides] {
		list = side == sides && words(large) > 0 ? large : small
		left = 72 + (side - 1) * (share * (W - 82 - aside) + 10)
		long = (side < sides ? share : side > 1 ? 1 - share : 1) * (W - 82 - aside) - (side < sides ? 40 : 0)
		above = top + over + (p - 1) * high
		eval area(left, left + long, above + 4, above + high - 14)
		bare = p < n
		pad = 4 * m + 10
		eval size_axis(list, long)
		eval nothing
		if (limit) { eval extent('$summary', "in(list) ? of_limit('busbw_gbs') : 0") }
		level = of_1 ? 1 : limit_sizes == 1 ? limit_best : words(list) == 1 ? hi : 0 # of a line from side to side
		hi = most(hi, level)
		do for [end in '_lo _hi'] {
			eval extent('$summary', sprintf("of_any(%d) && in(list) && known(col) > 0 && strcol('role') ne 'again' ? tip('%s') : 0", g, end))
		}
		if (hi == 0) { lo = 1.0; hi = 1.0 }
		if (level > 0 && (of_1 || limit)) {
			set arrow 1 from graph 0, first level to graph 1, first level nohead lw 2 - 0.5 * of_1 dt 2 - of_1 \
				lc rgb (of_1 ? several : grey) back
		}
		if (of_1) {
			here = 'in(list)'
			around = 2
			load by_ratios
			eval ratio_axis('y', lo, hi, high)
			if (strstrt(mine.' ', sprintf(' %d ', outside))) {
				set label 13 outside_said at graph 0.03, graph (outside_low ? 0.07 : 0.93) left textcolor rgb color(outside)
			}
			set object 1 rectangle from graph 0, first 1 / (1 + margin) to graph 1, first 1 + margin \
				behind fs solid noborder fc rgb 0xEEEEEE
		} else {
			eval hi > 8 * lo ? log_axis('y', lo, hi, high - 20) : said_linear('y').\
				sprintf('; unset logscale y; set yrange [0:%g]; set ytics %g', 1.05 * hi, nice_step(hi))
		}
		apart = 8.0 # pixels; less where one size's points would reach the next one's
		do for [k = 2:words(list)] {
			apart = least(apart, 0.9 * (size_at(list, k, long - 2 * pad) - size_at(list, k - 1, long - 2 * pad)) / m)
		}
		beside(k) = exp((k - (m + 1) / 2.0) * apart * size_pixel(list, long))
		at(k) = !in(list) || k < 1 ? NaN : k > m ? (limit_sizes > 1 ? of_limit(col) : NaN) : pick(v(k), g, col)
		if (p == 1 && side == 1) {
			set label 12 unit.(sides > 1 ? '' : log_y) at screen x(11), screen y(top + body / 2 - 10) center rotate by 90
			set label 11 sizes_of(g).log_x at screen x(72 + (W - 82 - aside) / 2), screen y(top + body - 14) center
		}
		if (p == 1 && sides > 1) {
			set label 10 (list eq large ? size_label(G_split[g]).' and more' : 'below '.size_label(G_split[g])).log_y \
				at graph 0.5, screen y(above - 10) center textcolor rgb ink
		}
		do for [c = 1:marked && exists('choice_marks_rows') ? choice_marks_rows : 0] {
			from = choice_marks_at[c]
			if (choice_marks_what[c] ne G_coll[g] || from < size_of(list, 1) || from > size_of(list, words(list))) { continue }
			set arrow 100 + c from from, graph 0 to from, graph 1 nohead lc rgb 0xBBBBBB lw 1 dt 3 back
			set label 100 + c choice_marks_after[c] at from, graph 0.02 left rotate by 90 offset char 0.8, 0 \
				textcolor rgb 0x999999 font font(8) back
		}
		unset key
		if (side == sides) {
			set key at screen x(W - aside), screen y(above + 6) left top vertical maxrows 6 Left reverse samplen 2.5 \
				spacing key_high width 0
		}
		eval 'set errorbars '.(words(list) > 8 ? '0' : '0.6')
		# Of one loop: an empty one takes a place in the key. 0: the reference as 1; the last: the limit.
		plot for [k = 1:m] $summary using (column('asked_bytes') * beside(k)):(at(k)):(tip('_lo')):(tip('_hi')) \
				with yerrorbars lw 1.3 pt -1 lc rgb color(v(k)) notitle, \
			for [k = 1 - of_1:m + limit] $summary using (column('asked_bytes') * (k > m ? 1 : beside(k))):(at(k)) \
				with linespoints lw (k < 1 ? 1.5 : k > m ? 2 : v(k) == 1 ? 2.2 : 1.3) ps mark * 1.1 \
				dt dash_of(k) pt (k < 1 || k > m ? -2 : shape(v(k))) \
				lc rgb (k < 1 ? several : k > m ? grey : color(v(k))) \
				title (k < 1 ? reference.' = 1' : k > m ? 'limit: plain copies' : short(V_label[v(k)], 34))
		unset label
		unset arrow
	}
}
bare = 0
pad = 18
eval finish
