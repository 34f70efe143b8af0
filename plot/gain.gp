# What a search gained: bandwidth against the default at each size, of the set in nccl.conf and of the
# file's other variants, with 95 % intervals of the confirmation. No picture where nothing was searched.
load plot_dir.'/style.gp'

pale(k) = k == 1 ? fast : k == 2 ? 0xB2A3CC : 0xDDD6EA
nth(list, b) = words(list[1:strstrt(list.' ', sprintf('%.1f ', b)) - 1])
bars = exists('gains_rows') ? gains_rows : 0
open_bars = exists('unproven_rows') ? unproven_rows : 0
# Of the row of a table that is read.
is_open(k, g) = open_bars == 0 ? 0 : sum [r = 1:open_bars] (unproven_set[r] eq gains_variant[k] && \
	unproven_collective[r] eq G_coll[g] && unproven_pace[r] eq G_pace[g] && \
	unproven_asked_bytes[r] == column('asked_bytes'))
written(v) = abs(v) < 0.5 ? '0' : sprintf('%+.0f', v)
pick_of(k, g, col) = strcol('variant') eq gains_variant[k] && of_group(g) ? column(col) : NaN
do for [picture = 1:bars > 0] {
	name = prefix.'_gain'
	head = head_of((collectives == 1 ? G_coll[1] : plural(collectives, 'collective')), 'bandwidth gained')
	said = said_tuning
	how = sprintf('band: within %g %%; ', 100 * margin).'95 % intervals over '.plural(blocks, 'block').\
		' of the confirmation'
	how = how.((sum [k = 1:bars] sum [r = 1:open_bars] (unproven_set[r] eq gains_variant[k])) > 0 ? '; hatched: not confirmed' : '')
	legend = 1
	body = 330.0
	# What is drawn, by its name here.
	set_rows = 0
	sets_said = ''
	do for [k = 1:bars] {
		do for [set = 1:sets] {
			if (finalists_set[set] eq gains_variant[k]) { added = add_set(gains_name[k].': '.finalists_settings[set]) }
		}
	}
	load begin
	set label 10 'bandwidth against default, %' at screen x(20), screen y(top + body / 2 - 20) center rotate by 90
	set key horizontal width key_wide
	plot for [k = 1:bars] NaN with boxes fs solid noborder lc rgb pale(k) title gains_name[k]
	unset label 10
	load axes
	columns = 0
	do for [g = 1:groups] { columns = columns + words(G_list[g]) }
	eval area(76, W - 20, top + 8, top + body - 50)
	eval nothing
	do for [g = 1:groups] {
		do for [k = 1:bars] {
			do for [col in 'ratio_lo ratio_hi'] {
				eval extent('$summary', sprintf("strcol('variant') eq gains_variant[%d] && of_group(%d) ? known('%s') : 0", k, g, col))
			}
		}
	}
	set xtics () scale 0
	before = 0
	do for [g = 1:groups] {
		do for [k = 1:words(G_list[g])] { set xtics add (size_label(real(word(G_list[g], k))) before + k - 1) }
		set label 20 + g G_coll[g] at first before + (words(G_list[g]) - 1) / 2.0, screen y(top + body - 18) center
		if (g > 1) { set arrow g from first before - 0.5, graph 0 to first before - 0.5, graph 1 nohead lw 1 lc rgb grey }
		before = before + words(G_list[g])
	}
	eval sprintf('set xrange [-0.6:%g]', columns - 0.4)
	lo = least(lo, 1 - 2 * margin)
	hi = most(hi, 1 + 3 * margin)
	eval sprintf('set yrange [%g:%g]', 100 * (lo - 1 - 0.1 * (hi - lo)), 100 * (hi - 1 + 0.1 * (hi - lo)))
	set object 1 rectangle from graph 0, first -100 * margin to graph 1, first 100 * margin behind fs solid noborder fc rgb 0xEEEEEE
	set arrow 100 from graph 0, first 0 to graph 1, first 0 nohead lw 1.5 lc rgb several
	set style fill solid noborder
	set grid noxtics
	wide = 0.8 / bars
	start(g) = g == 1 ? 0 : start(g - 1) + words(G_list[g - 1])
	at(k, g) = of_group(g) ? start(g) + nth(G_list[g], column('asked_bytes')) + (k - (bars + 1) / 2.0) * wide : NaN
	per(k, g, col) = 100 * (pick_of(k, g, col) - 1)
	# Where a bar's figure stands: above its interval, or, of one that is slower, below.
	beyond(k, g, up) = (per(k, g, 'ratio') > -0.5) == up ? per(k, g, up ? 'ratio_hi' : 'ratio_lo') : NaN
	plot for [k = 1:bars] for [g = 1:groups] $summary using (at(k, g)):(is_open(k, g) ? NaN : per(k, g, 'ratio')):(wide * 0.92) \
			with boxes lc rgb pale(k) notitle, \
		for [k = 1:bars] for [g = 1:groups] $summary using (at(k, g)):(is_open(k, g) ? per(k, g, 'ratio') : NaN):(wide * 0.92) \
			with boxes lc rgb pale(k) fs pattern 4 border lc rgb pale(k) notitle, \
		for [k = 1:bars] for [g = 1:groups] $summary using (at(k, g)):(per(k, g, 'ratio_lo')):(0):\
			(per(k, g, 'ratio_hi') - per(k, g, 'ratio_lo')) with vectors nohead lw 2 lc rgb ink notitle, \
		for [k = 1:bars] for [g = 1:groups] for [up = 0:1] $summary using (at(k, g)):(beyond(k, g, up)):(written(per(k, g, 'ratio'))) \
			with labels offset 0, up ? 0.6 : -0.6 font font(9) notitle
	do for [g = 1:groups] { unset label 20 + g; unset arrow g }
	unset arrow 100
	eval finish
}
