# A figure by size, as lines: a picture of group g. Set before: list (of lines), col (of $summary), unit,
# scale (linear, log, both), lo and hi (what an axis has to hold), band (a column, '': none), limit; of
# both: zoom, the sizes of the panel from 0 (large, small), and zoom_hi, what that has to hold.
# marked: where the library's choice of an algorithm changes is a thin line, with the choice from there on.
# Lines beyond seven go to further panels, each with the first one too. Both scales: all sizes on a
# logarithmic axis and, beside them, the large ones from 0.
n = words(list)
zoomed = ''
do for [b in G_list[g]] { if (scale eq 'both' && G_split[g] > 0 && (real(b) >= G_split[g]) == (zoom eq 'large')) { zoomed = zoomed.' '.b } }
both = scale eq 'both' && words(zoomed) > 1 && words(zoomed) < G_sizes[g]
panels = n <= 7 ? 1 : (n + 3) / 5
each_panel = panels == 1 ? n : (n - 2 + panels) / panels
columns = both ? 2 : panels < 3 ? panels : 3
high = panels > (both ? 1 : 3) ? 230.0 : 330.0 # of a row of panels
line(k) = int(word(list, k))
entries = '' # of the key: ten times the line and its row
do for [k = 1:n] {
	do for [r = 1:rows(L_name[line(k)], 100)] { entries = entries.sprintf(' %d', 10 * k + r) }
}
if (limit && limit_sizes > 0) { entries = entries.' 0' }
# In two columns where there are many and none is wide.
keys = words(entries)
wide_name = limit && limit_sizes > 0 ? 40 : 0
do for [k = 1:n] { wide_name = most(wide_name, least(strlen(L_name[line(k)]), 100)) }
legend = keys > 5 && wide_name < 46 ? (keys + 1) / 2 : keys
body = high * ((panels * (1 + both) + columns - 1) / columns) + 28
load begin
# Of one loop: an empty one takes a place in the key. 0: the limit.
entry(e) = line(int(e) / 10)
entry_dash(e) = int(e) ? line_dash(entry(e)) : 2
entry_color(e) = int(e) ? line_color(entry(e)) + (int(e) % 10 == 1 ? 0 : 0xFF000000) : grey
plot for [e in entries] NaN with linespoints ps 1.2 lw (int(e) ? width(L_variant[entry(e)]) : 2) \
	dt entry_dash(e) pt (int(e) ? line_shape(entry(e)) : -2) lc rgb entry_color(e) \
	title (int(e) ? row(L_name[entry(e)], int(e) % 10, 100) : sprintf('limit: plain copies, up to %.3g GB/s', limit_best))
load axes
wide = (W - 100) / columns
aside = columns > 1 ? 16 + 7 * strlen(sprintf('%.0f', both ? zoom_hi : hi)) : 0 # for numbers of the panel to the right
titled_panels = both || panels > 1
do for [p = 0:panels - 1] {
	first = 2 + p * each_panel
	last = least(first + each_panel - 1, n)
	do for [part = 0:both] {
		cell = both ? 2 * p + part : p
		left = 80 + (cell % columns) * wide
		above = top + (cell / columns) * high + (titled_panels ? 14 : 0)
		sizes = part ? zoomed : G_list[g]
		eval area(left, left + wide - aside, above + 8, above + high - (panels * (1 + both) > columns ? 42 : titled_panels ? 26 : 12))
		eval size_axis(sizes, wide - aside)
		if (scale eq 'log' || (scale eq 'both' && !part)) {
			eval log_axis('y', lo, hi, high - 20)
		} else {
			eval said_linear('y').sprintf('; unset logscale y; set yrange [0:%g]; set ytics autofreq', 1.05 * (part ? zoom_hi : hi))
		}
		unset ylabel
		if (cell % columns == 0) { set ylabel unit.log_y }
		unset xlabel
		if (cell + columns >= panels * (1 + both)) { set xlabel sizes_of(g).log_x offset 0, 0.4 }
		if (titled_panels) {
			set label 10 (both ? part ? (zoom eq 'large' ? size_label(G_split[g]).' and more' : 'below '.size_label(G_split[g])).', from 0' : 'all sizes' : '').\
				(both && panels > 1 ? ': ' : '').(panels > 1 ? first == 2 ? sprintf('lines 1 to %d', last) : sprintf(last > first ? 'lines 1 and %d to %d' : 'lines 1 and %d', first, last) : '') \
				at graph 0, screen y(above) left textcolor rgb ink
		}
		# Lines of a panel that coincide are a little beside each other.
		beside(k) = exp(((k == 1 ? 1 : k - first + 2) - (last - first + 3) / 2.0) * 3 * size_pixel(sizes, wide - aside))
		mine(k) = panels == 1 || k == 1 || (k >= first && k <= last)
		of_line(k, figure) = mine(k) && strstrt(' '.sizes.' ', sprintf(' %.1f ', column('asked_bytes'))) > 0 ? \
			pick(L_variant[line(k)], g, figure) : NaN
		do for [m = 1:marked && exists('choice_marks_rows') ? choice_marks_rows : 0] {
			at = choice_marks_at[m]
			if (choice_marks_what[m] ne G_coll[g] || at < size_of(sizes, 1) || at > size_of(sizes, words(sizes))) { continue }
			set arrow 100 + m from at, graph 0 to at, graph 1 nohead lc rgb 0xBBBBBB lw 1 dt 3 back
			set label 100 + m choice_marks_after[m] at at, graph 0.02 left rotate by 90 offset char 0.8, 0 \
				textcolor rgb 0x999999 font font(8) back
		}
		plot for [k = 1:strlen(band) ? n : 0] $summary using (column('asked_bytes') * beside(k)):(of_line(k, col)):\
				(of_line(k, band)) \
				with filledcurves lc rgb line_color(line(k)) + 0xD8000000 notitle, \
			for [k = 1:n] $summary using (column('asked_bytes') * beside(k)):(of_line(k, col)) \
				with linespoints lw width(L_variant[line(k)]) ps k == 1 ? 1.4 : 1.1 dt line_dash(line(k)) \
				pt line_shape(line(k)) lc rgb line_color(line(k)) notitle, \
			for [k = 1:limit && limit_sizes > 1] $summary using (column('asked_bytes')):\
				(part && zoom eq 'large' && column('asked_bytes') < G_split[g] ? NaN : of_limit('busbw_gbs')) \
				with lines lw 2 dt 2 lc rgb grey notitle, \
			for [k = 1:limit && limit_sizes == 1] limit_best with lines lw 2 dt 2 lc rgb grey notitle
		unset label 10
		do for [m = 1:marked && exists('choice_marks_rows') ? choice_marks_rows : 0] { unset arrow 100 + m; unset label 100 + m }
	}
}
eval finish
