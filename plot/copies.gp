# Plain copies: a bar for each way and what carries it out, a panel each for bandwidth (a mark: what the link
# carries in theory), for latency, and for a load's. No picture where none was measured, or of more than 40.
load plot_dir.'/style.gp'

n = exists('copies_rows') ? copies_rows : 0
figure(what, r) = what eq 'gbs' ? copies_gbs[r] : what eq 'us' ? copies_p50_us[r] : copies_load_ns[r]
limit_of(what, r) = what eq 'gbs' ? copies_limit_gbs[r] : NaN
highest_of(what) = ((hi = 0.0), (sum [r = 1:n] (widen(figure(what, r)) + widen(limit_of(what, r)))), hi)
panel_title(what) = what eq 'gbs' ? 'one way, '.size_label(copies_bytes[1]).', GB/s' : \
	what eq 'us' ? 'p50, '.size_label(copies_small_bytes[1]).', µs' : 'a load, ns'
link_of(r) = strlen(copies_class[r]) ? ' ('.copies_class[r].')' : ''
variant_of(name) = ((found = 1), (sum [i = 1:variants] (V_name[i] eq name ? (found = i, 0) : 0)), found)

do for [picture = 1:n > 0 && n <= 40] {
	lo = 1e300
	panels = (highest_of('gbs') > 0 ? ' gbs' : '').(highest_of('us') > 0 ? ' us' : '')
	panels = panels.(highest_of('ns') > 0 ? ' ns' : '')
	name = prefix.'_copies'
	head = where.': plain copies'
	said = said_copies
	how = over_blocks.((hi = 0.0), (sum [r = 1:n] widen(limit_of('gbs', r))), hi > 0 ? '; mark: what the link carries in theory' : '')
	legend = 0
	body = 24 + 21.0 * n + 30
	load begin
	plot NaN notitle
	load axes
	names = 345.0
	wide = (W - names - 20) / words(panels)
	do for [k = 1:words(panels)] {
		what = word(panels, k)
		lo = 1e300
		highest = highest_of(what)
		left = names + (k - 1) * wide
		eval area(left, left + wide - 48, top + 24, top + 24 + 21 * n)
		eval sprintf('set yrange [%d.5:0.5]; set xrange [0:%g]; set xtics %g', n, 1.2 * highest, nice_step(2 * highest))
		unset ytics
		set grid noytics
		unset object
		set label 4 panel_title(what) at screen x(left), screen y(top + 12) left textcolor rgb ink
		do for [r = 1:n] {
			if (k == 1) {
				set label 10 + r copies_way[r].', '.copies_by[r].link_of(r) at screen x(left - 8), first r right \
					font font(9) textcolor rgb ink
			}
			v = figure(what, r)
			if (v == v) {
				eval sprintf('set object %d rectangle from first 0, first %g to first %g, first %g fs solid 0.85 noborder fc rgb %d', \
					r, r - 0.36, v, r + 0.36, color(variant_of(copies_variant[r])))
				set label 100 + r number(v) at first most(v, limit_of(what, r)), first r left offset 0.5, 0 font font(9) textcolor rgb ink
			}
			v = limit_of(what, r)
			if (v == v) {
				set arrow r from first v, first r - 0.42 to first v, first r + 0.42 nohead lw 2 lc rgb slow
			}
		}
		plot NaN notitle
		do for [r = 1:n] { unset label 10 + r; unset label 100 + r; unset arrow r }
	}
	eval finish
}
