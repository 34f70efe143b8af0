# One call, rank by rank, of the smallest size: the one whose length is the median of its variant. A
# bar from leaving the barrier until issue returns (launch), a pale one until the rank is seen idle
# (wait), and in it, where the device has a clock, what the device took. A panel per variant that the
# experiment is about, on one time axis; on one each where the longest call would hide the shortest. One
# picture per collective.
load plot_dir.'/style.gp'

calls_csv = dir.'/plots/timeline.csv'
here(k) = column('number') == calls_variant[k] && strcol('what') eq calls_coll[k]
when(k, col) = here(k) ? column(col) : NaN
# Every so many ranks a number, at least 14 pixels apart.
rank_step(high) = high >= 14 ? 1 : high >= 7 ? 2 : high >= 3.5 ? 4 : high >= 2 ? 8 : 16
do for [from = 1:exists('calls_rows') ? calls_rows : 0] {
	if (!detail || (from > 1 && calls_coll[from] eq calls_coll[from > 1 ? from - 1 : 1])) { continue }
	to = from
	do for [k = from:calls_rows] { to = calls_coll[k] eq calls_coll[from] ? k : to }
	end = 0.0
	shortest = 1e300
	before = 0.0
	residual = 0.0
	device = 0
	ranks = 0
	do for [k = from:to] {
		end = most(calls_total[k], end)
		shortest = least(calls_total[k], shortest)
		before = most(calls_before[k], before)
		residual = most(calls_residual[k], residual)
		device = device || calls_device[k]
		ranks = ranks + calls_ranks[k]
	}
	name = prefix.'_'.calls_coll[from].'_timeline'
	head = head_of(calls_coll[from], 'one call of '.size_label(calls_bytes[from]).', rank by rank')
	said = calls_said[from]
	apart = end > 5 * shortest # of lengths that no one axis shows
	how = (apart ? 'each panel has its own time axis; ' : '').(calls_pass[from] eq 'timed' ? 'an isolated' : 'a traced').' call of median length of each'.\
		(residual > 0 ? sprintf(', device clocks known within %.2g µs', residual) : '').\
		(main < variants ? sprintf('; %d of %d variants', main, variants + left_out) : '')
	legend = 1 + device
	# Of a rank, in pixels.
	high = ranks > 128 ? 3.0 : ranks > 48 ? 7.0 : ranks > 24 ? 12.0 : 20.0
	gap = apart ? 36 : 20
	body = high * ranks + gap * (to - from + 1) + 34
	load begin
	set key horizontal width key_wide
	set style fill solid noborder
	set label 10 'rank' at screen x(16), screen y(top + (body - 40) / 2) center rotate by 90
	plot for [d = 1:2 + device] NaN with boxes lc rgb (d == 1 ? 0x555555 : d == 2 ? 0xCCCCCC : 0x000000) \
		title (d == 1 ? 'launch: until issue returns' : d == 2 ? 'wait: until seen idle' : 'on the device')
	unset label 10
	load axes
	set grid noytics
	above = top + 6
	do for [k = from:to] {
		i = calls_variant[k]
		eval area(52, W - 180, above, above + high * calls_ranks[k])
		above = above + high * calls_ranks[k] + gap
		eval sprintf('set xrange [%g:%g]', before > 0 ? -1.05 * (apart ? calls_before[k] : before) : 0, 1.03 * (apart ? calls_total[k] : end))
		eval sprintf('set yrange [%g:-0.6]; set ytics 0, %d', calls_ranks[k] - 0.4, rank_step(high))
		set border k == to || apart ? 3 : 2 ls 101
		set xtics format (k == to || apart ? '%g' : '')
		if (k == to) { set xlabel 'time since the first rank left the barrier, µs' offset 0, 0.4 }
		set label 4 short(V_label[i], 24) at screen x(W - 168), graph 0.5 left offset 0, (calls_ranks[k] > 1 ? 0.55 : 0) textcolor rgb color(i)
		set label 5 number(calls_total[k]).' µs' at screen x(W - 168), graph 0.5 left offset 0, (calls_ranks[k] > 1 ? -0.55 : -1.1) textcolor rgb ink
		plot calls_csv using (when(k, 'issued_us')):(column('rank')):(when(k, 'issued_us')):(when(k, 'idle_us')):\
				(column('rank') - 0.4):(column('rank') + 0.4) with boxxyerror fs solid noborder lc rgb color(i) + 0xB0000000 notitle, \
			calls_csv using (when(k, 'start_us')):(column('rank')):(when(k, 'start_us')):(when(k, 'issued_us')):\
				(column('rank') - 0.4):(column('rank') + 0.4) with boxxyerror fs solid noborder lc rgb color(i) notitle, \
			for [d = 1:calls_device[k]] calls_csv using (when(k, 'device_start_us')):(column('rank')):\
				(when(k, 'device_start_us')):(when(k, 'device_end_us')):(column('rank') - 0.2):(column('rank') + 0.2) \
				with boxxyerror fs solid noborder lc rgb 0x000000 notitle
	}
	eval finish
}
