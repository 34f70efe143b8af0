# Ping-pong of every pair in every variant: a panel for the time there and back, one for bandwidth. No
# picture of one pair, whose few figures are a table, or of more than 120.
load plot_dir.'/style.gp'

shown(i) = V_role[i] ne 'again' && V_role[i] ne 'limit'
rows = exists('pingpong_rows') ? pingpong_rows : 0
figure(what, r) = what eq 'us' ? pingpong_round_us[r] : pingpong_gbs[r]
highest_of(what) = ((hi = 0.0), (sum [r = 1:rows] (widen(figure(what, r)))), hi)
panel_title(what) = what eq 'us' ? 'there and back, '.size_label(pingpong_classes_small_bytes[1]).', p50, µs' : \
	'one way, '.size_label(pingpong_classes_bytes[1]).', GB/s'
entries = ''
do for [i = 1:variants] { if (shown(i)) { entries = entries.sprintf(' %d', i) } }
# Pairs in their order, from 1; rows follow each other pair by pair.
array place[rows + 1]
n = 0
do for [r = 1:rows] {
	if (r == 1) { n = 1 } else {
		n = n + (pingpong_first[r] != pingpong_first[r - 1] || pingpong_second[r] != pingpong_second[r - 1])
	}
	place[r] = n
}
entry_of(name) = ((found = 0), (sum [j = 1:words(entries)] (V_name[int(word(entries, j))] eq name ? (found = j, 0) : 0)), found)
# Variants stand beside each other, in the room of their pair.
beside(k) = 0.7 * (k - (words(entries) + 1) / 2.0) / words(entries)

do for [picture = 1:n > 1 && n <= 120] {
	lo = 1e300
	panels = highest_of('us') > 0 ? ' us' : ''
	panels = panels.(highest_of('gbs') > 0 ? ' gbs' : '')
	name = prefix.'_pingpong'
	head = where.': ping-pong of every pair'
	said = said_pingpong
	how = 'there and back, a pair at a time; '.over_blocks
	legend = words(entries) > 5 ? 2 : 1
	high = 190.0
	body = high * words(panels) + 24
	load begin
	set key horizontal width key_wide
	plot for [e in entries] NaN with points pt 5 ps mark * 1.6 lc rgb color(int(e)) title V_label[int(e)]
	load axes
	set grid noxtics
	each = n > 40 ? 4 : n > 20 ? 2 : 1
	do for [k = 1:words(panels)] {
		what = word(panels, k)
		above = top + 24 + (k - 1) * high
		eval area(72, W - 24, above, above + high - 46)
		unset logscale y
		eval sprintf('set xrange [0.5:%d.5]; set yrange [0:%g]; set ytics %g', n, 1.18 * highest_of(what), \
			nice_step(1.6 * highest_of(what)))
		set xtics () scale 0
		do for [r = 1:rows] {
			if ((place[r] - 1) % each == 0) {
				set xtics add (sprintf('%d–%d', pingpong_first[r], pingpong_second[r]) place[r])
			}
		}
		unset label 4
		set label 4 panel_title(what) at graph 0, screen y(above - 10) left textcolor rgb ink
		if (k == words(panels)) { set xlabel 'ranks' offset 0, 0.4 } else { unset xlabel }
		bar = 0.6 / words(entries)
		named = n * words(entries) <= 24
		do for [r = 1:rows] {
			j = entry_of(pingpong_variant[r])
			v = figure(what, r)
			tag = 100 + r
			if (j && v == v) {
				i = int(word(entries, j))
				at = place[r] + beside(j)
				eval sprintf('set object %d rectangle from first %g, first 0 to first %g, first %g fs solid 0.85 noborder fc rgb %d', \
					tag, at - bar / 2, at + bar / 2, v, color(i))
				if (named) {
					eval sprintf("set label %d '%s' at first %g, first %g center offset 0, 0.6 textcolor rgb %d font '%s'", \
						tag, number(v), at, v, ink, font(9))
				}
			}
		}
		plot NaN notitle
		unset object
		do for [tag = 101:100 + rows] { unset label tag }
	}
	eval finish
}
