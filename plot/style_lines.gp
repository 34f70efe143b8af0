# A figure by size, as lines: a picture of group g. Set before: list (of lines), col (of $summary), unit,
# scale (linear, log, both), lo and hi (what an axis has to hold), band (a column, '': none), limit.
# Lines beyond five go to further panels, each with the first one too. One size: bars of variants.
n = words(list)
one = G_sizes[g] == 1
panels = one || n <= 5 ? 1 : (n + 2) / 4
columns = panels < 3 ? panels : 3
both = !one && scale eq 'both'
high = both ? 400.0 : panels > 3 ? 230.0 : 330.0 # of a row of panels
legend = limit && limit_sizes > 0
line(k) = int(word(list, k))
entries = '' # of the key: ten times the line and its row
do for [k = 1:one ? 0 : n] {
	do for [r = 1:rows(L_name[line(k)], 118)] { entries = entries.sprintf(' %d', 10 * k + r) }
}
legend = legend + words(entries)
shown = 0 # bars
do for [i = 1:variants] { shown = shown + (one && V_role[i] ne 'limit') }
body = one ? 24.0 * shown + 46 : high * ((panels + columns - 1) / columns) + 28
load begin
limit_title = sprintf('limit: plain copies, up to %.3g GB/s', limit_best)
if (one) {
	plot for [k = 1:legend] NaN with lines lw 2 dt 2 lc rgb grey title limit_title, NaN notitle
	load axes
	eval area(210, W - 60, top + 8, top + body - 44)
	set ytics () scale 0
	do for [i = 1:variants] { set ytics add (V_label[i] i) }
	set grid noytics
	eval sprintf('set yrange [%g:0.4]; set xrange [0:%g]', variants + 0.6, 1.08 * (legend ? most(hi, limit_best) : hi))
	set xlabel unit.', '.size_label(G_max[g]).' per rank' offset 0, 0.4
	plot for [i = 1:variants] $summary using (0):(i):(0):(pick(i, g, col)):(i - 0.33):(i + 0.33) \
			with boxxyerror fs solid 0.85 noborder lc rgb color(i) notitle, \
		for [i = 1:strlen(band) ? variants : 0] $summary using (pick(i, g, col)):(i):(pick(i, g, band) - pick(i, g, col)):(0) \
			with vectors nohead lw 1.5 lc rgb several notitle, \
		for [i = 1:variants] $summary using (pick(i, g, strlen(band) ? band : col)):(i):(sprintf(pick(i, g, col) < 1000 ? '%.3g' : '%.0f', pick(i, g, col))) \
			with labels left offset 0.6, 0 notitle, \
		for [k = 1:legend] $summary using (limit_best):($0 < 2 ? 0.4 + $0 * variants : NaN) \
			with lines lw 2 dt 2 lc rgb grey notitle
} else {
	entry(e) = line(int(e) / 10)
	plot for [e in entries] NaN with linespoints lw width(L_variant[entry(e)]) ps 1.2 dt line_dash(entry(e)) \
			pt line_shape(entry(e)) lc rgb line_color(entry(e)) + (int(e) % 10 == 1 ? 0 : 0xFF000000) \
			title row(L_name[entry(e)], int(e) % 10, 118), \
		for [k = 1:limit && limit_sizes > 0] NaN with lines lw 2 dt 2 lc rgb grey title limit_title
	load axes
	wide = (W - 92) / columns
	do for [p = 0:panels - 1] {
		left = 72 + (p % columns) * wide
		above = top + (p / columns) * high
		do for [part = 0:both] {
			eval area(left, left + wide - (columns > 1 ? 28 : 0), above + (part ? 240 : 8), \
				above + (both && !part ? 228 : high - 12))
			set logscale y
			unset logscale y
			bare = both && !part
			eval size_axis(G_list[g], wide - (columns > 1 ? 28 : 0))
			unset ylabel
			if (p % columns == 0) { set ylabel part ? 'the same, logarithmic' : unit }
			unset xlabel
			if (!bare && p + columns >= panels) { set xlabel sizes_of(g) offset 0, 0.4 }
			if (scale eq 'log' || part) {
				eval log_axis('y', lo, hi, part ? high - 252 : high - 20)
			} else {
				eval sprintf('set yrange [0:%g]; set ytics autofreq', 1.05 * hi)
			}
			mine(k) = panels == 1 || k == 1 || (k - 2) / 4 == p
			of_line(k, figure) = mine(k) ? pick(L_variant[line(k)], g, figure) : NaN
			plot for [k = 1:strlen(band) ? n : 0] $summary using (column('asked_bytes')):(of_line(k, col)):\
					(of_line(k, band)) \
					with filledcurves lc rgb line_color(line(k)) + 0xD8000000 notitle, \
				for [k = 1:n] $summary using (column('asked_bytes')):(of_line(k, col)) \
					with linespoints lw width(L_variant[line(k)]) ps k == 1 ? 1.4 : 1.1 dt line_dash(line(k)) \
					pt line_shape(line(k)) lc rgb line_color(line(k)) notitle, \
				for [k = 1:limit && limit_sizes > 1] $summary using (column('asked_bytes')):(of_limit('busbw_gbs')) \
					with lines lw 2 dt 2 lc rgb grey notitle, \
				for [k = 1:limit && limit_sizes == 1] limit_best with lines lw 2 dt 2 lc rgb grey notitle
		}
	}
}
eval finish
