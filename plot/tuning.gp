# What settings do, by size: a row for each set that was confirmed or not, with a frame where its gain is
# confirmed, and below a row for each value, by the sets that differ in it alone. Purple is faster,
# vermilion slower than the default, as in all pictures; the figure is per cent. The key says what each set
# is. No picture where nothing was searched.
load plot_dir.'/style.gp'

# 25 % and more are as dark as it gets.
part(v) = v > 0.25 ? 1.0 : v < -0.25 ? -1.0 : v / 0.25
mix(c, white, t) = int(white + (c - white) * t)
channel(c, k) = (c / (k == 0 ? 65536 : k == 1 ? 256 : 1)) % 256
blend(c, t) = 65536 * mix(channel(c, 0), 255, t) + 256 * mix(channel(c, 1), 255, t) + mix(channel(c, 2), 255, t)
heat(v) = v != v ? 0xF2F2F2 : v >= 0 ? blend(fast, sqrt(part(v))) : blend(slow, sqrt(-part(v)))
has = "strcol('effect') ne 'NaN' && strlen(strcol('effect'))"
written(v) = abs(v) < 0.005 ? '0' : sprintf('%+.0f', 100 * v)
row_at = 24.0
found = sets
set_rows = 0 # they are in the key
sets_said = ''
do for [picture = 1:exists('searched_rows')] {
	name = prefix.'_tuning'
	head = head_of((collectives == 1 ? G_coll[1] : plural(collectives, 'collective')), 'what settings do, % against the default')
	said = said_tuning
	how = plural(found, 'set').(tuning_map_rows > found ? ' on top' : '').sprintf(': %s of the confirmation, framed where confirmed; %s', \
		plural(blocks, 'block'), tuning_map_rows > found ? 'below: each value, by sets of the search that differ in it alone' : 'the search tried no value alone')
	legend = 0
	do for [k = 1:found] { legend = legend + rows(set_said(k), 90) }
	body = row_at * tuning_map_rows + 54
	load begin
	said_at = 0
	do for [k = 1:found] {
		do for [r = 1:rows(set_said(k), 90)] {
			said_at = said_at + 1
			set label said_at + 9 (r > 1 ? '   ' : '').row(set_said(k), r, 90) at screen x(16), screen y(key_top + 20 * said_at - 8) left
		}
	}
	plot NaN notitle
	do for [k = 1:legend] { unset label k + 9 }
	load axes
	left = 0
	do for [k = 1:tuning_map_rows] { left = most(left, 32 + 7.4 * strlen(tuning_map_name[k])) }
	eval area(left, W - 20, top + 8, top + body - 44)
	unset grid
	set border 0
	eval sprintf('set xrange [-0.5:%d.5]; set yrange [%d.5:-0.5]', tuned_rows - 1, tuning_map_rows - 1)
	set xtics () scale 0 rotate by 0
	set ytics () scale 0
	eval sprintf("set xtics font '%s'; set ytics font '%s'", font(8), font(9))
	begun = 1
	do for [k = 1:tuned_rows] {
		set xtics add (size_label(tuned_asked_bytes[k]) k - 1)
		if (k == tuned_rows || tuned_cell[k + 1] ne tuned_cell[k]) {
			set label 20 + k tuned_cell[k] at (begun + k) / 2.0 - 1, screen y(top + body - 10) center
			begun = k + 1
		}
	}
	do for [k = 1:tuning_map_rows] { set ytics add (tuning_map_name[k] k - 1) }
	set style fill solid noborder
	do for [k = 1:found > 0] {
		set arrow 1 from graph 0, first found - 0.5 to graph 1, first found - 0.5 nohead \
			lw 2 lc rgb several front
	}
	plot $searched using (column('column')):(column('row')):(0.47):(0.44):(@has ? heat(column('effect')) : 0xF2F2F2) \
			with boxxyerror lc rgb variable notitle, \
		$searched using (column('told') > 0 ? column('column') : NaN):(column('row')):(0.47):(0.44) \
			with boxxyerror lc rgb '#222222' lw 2.5 fs empty border notitle, \
		$searched using (column('column')):(column('row')):(@has ? written(column('effect')) : 'fails'):\
			(@has && abs(part(column('effect'))) > 0.4 ? 0xFFFFFF : 0x222222) \
			with labels textcolor rgb variable font font(9) notitle
	unset arrow 1
	do for [k = 1:tuned_rows] { unset label 20 + k }
	eval finish
}
