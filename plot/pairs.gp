# Pairs of ranks as heat maps, a row for the sender and a column for the receiver: bandwidth alone,
# bandwidth while all send to all, and latency. A vermilion frame: the pair is slow. No picture where no
# pairs were measured, or more than 32 ranks.
load plot_dir.'/style.gp'

n = exists('pairs_rows') ? int((1 + sqrt(1 + 4.0 * pairs_rows)) / 2 + 0.5) : 0
# From a to b, both from 0: rows have no pair of one rank.
row_of(a, b) = a * (n - 1) + b - (b > a) + 1
known(name, k) = name eq 'gbs' ? pairs_gbs[k] : name eq 'all' ? pairs_all_gbs[k] : pairs_p50_us[k]
known_of(name, i) = ((i - 1) / n == (i - 1) % n) ? NaN : known(name, row_of((i - 1) / n, (i - 1) % n))
blend(t, full, empty) = int(empty + t * (full - empty) + 0.5)
shade(t, r, g, b) = blend(t, r, 250) * 65536 + blend(t, g, 250) * 256 + blend(t, b, 252)
# Latency is worse the higher it is: another colour.
fill(name, t) = name eq 'us' ? shade(t, 0xD5, 0x5E, 0x00) : shade(t, 0x00, 0x72, 0xB2)
panel_name(k) = word('gbs all us', k)
highest_of(name) = ((hi = 0.0), (sum [k = 1:pairs_rows] (widen(known(name, k)))), hi)
panel_title(name) = name eq 'gbs' ? 'alone, '.size_label(pair_facts_bytes[1]).', GB/s' : name eq 'all' ? \
	'all at once, '.size_label(pair_facts_all_bytes[1]).', GB/s' : 'p50 latency, '.size_label(pair_facts_small_bytes[1]).', µs'

do for [picture = 1:n > 1 && n <= 32] {
	shown = ''
	do for [k = 1:3] {
		lo = 1e300
		if (highest_of(panel_name(k)) > 0) { shown = shown.' '.panel_name(k) }
	}
	panels = words(shown)
	side = (W - 40.0) / (panels > 2 ? panels : 3) - 56
	name = prefix.'_pairs'
	head = where.': every pair of ranks, one way'
	said = said_pairs
	how = 'rows send, columns receive; '.over_blocks.\
		((sum [k = 1:pairs_rows] (strlen(pairs_remark[k]) > 0)) > 0 ? '; vermilion frame: slow' : '')
	legend = 0
	body = side + 76
	load begin
	plot NaN notitle
	do for [k = 1:panels] {
		what = word(shown, k)
		lo = 1e300
		high = highest_of(what)
		load axes
		unset grid
		left = 52 + (k - 1) * (side + 56)
		eval area(left, left + side, top + 26, top + 26 + side)
		eval sprintf('set xrange [-0.5:%d.5]; set yrange [%d.5:-0.5]', n - 1, n - 1)
		eval sprintf('set xtics 0,%d,%d scale 0; set ytics 0,%d,%d scale 0', n > 16 ? 4 : 1, n - 1, n > 16 ? 4 : 1, n - 1)
		set xlabel 'to rank'
		if (k == 1) { set ylabel 'from rank' } else { unset ylabel }
		unset object
		do for [i = 1:99] { unset label i }
		set label 1 panel_title(what) at screen x(left), screen y(top + 14) left font font(10)
		do for [i = 1:n * n] {
			v = known_of(what, i)
			a = (i - 1) / n
			b = (i - 1) % n
			if (v == v) {
				eval sprintf('set object %d rectangle from first %g, first %g to first %g, first %g fs solid noborder fc rgb %d behind', \
					i, b - 0.48, a - 0.48, b + 0.48, a + 0.48, fill(what, v / high))
				if (what eq 'gbs' && strlen(pairs_remark[row_of(a, b)])) {
					eval sprintf("set object %d rectangle from first %g, first %g to first %g, first %g fs empty border rgb %d lw 2 front", \
						n * n + i, b - 0.45, a - 0.45, b + 0.45, a + 0.45, slow)
				}
				if (n <= 8) {
					eval sprintf("set label %d '%s' at first %d, first %d center textcolor rgb %d front font '%s'", \
						10 + i, number(v), b, a, v / high > 0.6 ? 0xFFFFFF : ink, font(n <= 4 ? 10 : 7))
				}
			}
		}
		plot NaN notitle
		unset object
		do for [i = 1:10 + n * n] { unset label i }
	}
	eval finish
}
