# One call, rank by rank, of the smallest size: the one whose length is the median of its variant. A
# bar from leaving the barrier until issue returns (launch), a pale one until the rank is seen idle
# (wait), and in it, where the device has a clock, what the device took. One panel per variant on one
# time axis, as many as there is room for: the first variant of each mode, then others. One picture per
# collective.
load dir.'/plots/run.gp'
load style

calls = dir.'/plots/timeline.csv'
here(k) = strcol('variant') eq V_name[T_variant[k]] && strcol('what') eq T_coll[k]
when(k, col) = here(k) ? column(col) : NaN
wait_color(i) = color(i) + 0xB0000000
device_color = 0x222222
top = 0.835
bottom = 0.225
room = 7
# Every so many ranks a number, at least 16 pixels apart.
rank_step(high) = high >= 16 ? 1 : high >= 8 ? 2 : high >= 4 ? 4 : high >= 2 ? 8 : 16
do for [g = 1:groups] {
	found = sum [k = 1:lines] (T_coll[k] eq G_coll[g])
	earlier = sum [k = 1:g - 1] (G_coll[k] eq G_coll[g])
	if (!detail || !found || earlier) { continue }
	first_line = 1
	do for [k = lines:1:-1] { if (T_coll[k] eq G_coll[g]) { first_line = k } }
	last_line = first_line + found - 1
	array shown[lines]
	do for [k = 1:lines] { shown[k] = 0 }
	panels = 0
	do for [plain in '1 0'] {
		do for [k = first_line:last_line] {
			if (shown[k] || panels == room || (int(plain) && V_nth[T_variant[k]] != 1)) { continue }
			shown[k] = 1
			panels = panels + 1
		}
	}
	end = 0.0
	before = 0.0
	device = 0
	residual = 0.0
	longest = 0 # of the names that stand right of the bars
	do for [k = first_line:last_line] {
		if (!shown[k]) { continue }
		end = T_total[k] > end ? T_total[k] : end
		before = T_before[k] > before ? T_before[k] : before
		device = device || T_device[k]
		longest = strlen(V_label[T_variant[k]]) > longest ? strlen(V_label[T_variant[k]]) : longest
		residual = T_residual[k] > residual ? T_residual[k] : residual
	}
	timed = T_pass[first_line] eq 'timed'
	set output sprintf('%s/plots/%s_%s_timeline.png', dir, prefix, G_coll[g])
	set multiplot
	eval heading(g)
	set label 3 measured(g, size_label(T_bytes[first_line]).', one '.(timed ? 'isolated' : 'traced').\
		' call of median length each'.(residual > 0 ? \
		sprintf(', device clocks known to ±%.2g µs', residual) : '')).some_of(panels, found + left_out) \
		at screen 0.5, screen 0.08 center textcolor rgb 0x555555
	set label 5 'rank' at screen 0.022, screen (top + bottom) / 2 center rotate by 90
	eval key_above
	eval key_only
	set style fill solid noborder
	if (device) {
		plot NaN with boxes lc rgb 0x777777 title 'launch: until issue returns', \
			NaN with boxes lc rgb 0xD9D9D9 title 'wait: until seen idle', \
			NaN with boxes lc rgb device_color title 'on the device'
	} else {
		plot NaN with boxes lc rgb 0x777777 title 'launch: until issue returns', \
			NaN with boxes lc rgb 0xD9D9D9 title 'wait: until seen idle'
	}
	eval key_done
	eval drop_labels
	set lmargin at screen 0.105
	set rmargin at screen 0.965
	set grid xtics ls 100 back
	eval sprintf('set xrange [%g:%g]', before > 0 ? -1.05 * before : 0, end * (1.03 + 0.0105 * longest))
	n = -1
	do for [k = first_line:last_line] {
		if (!shown[k]) { continue }
		i = T_variant[k]
		n = n + 1
		set tmargin at screen top - n * (top - bottom) / panels - 0.012
		set bmargin at screen top - (n + 1) * (top - bottom) / panels + 0.012
		eval sprintf('set yrange [%g:-0.6]', T_ranks[k] - 0.4)
		high = 560 * ((top - bottom) / panels - 0.024) / T_ranks[k]
		eval sprintf('set ytics 0, %d', rank_step(high))
		set border 2 ls 101
		set xtics format ''
		unset xlabel
		if (n == panels - 1) {
			set border 3 ls 101
			set xtics format '%g'
			set xlabel 'time since the first rank left the barrier, µs'
		}
		set label 4 V_label[i] at graph 0.995, screen top - (n + 0.5) * (top - bottom) / panels \
			right textcolor rgb color(i) font ',12' front
		plot calls using (when(k, 'issued_us')):(column('rank')):(when(k, 'issued_us')):\
				(when(k, 'idle_us')):(column('rank') - 0.36):(column('rank') + 0.36) \
				with boxxyerror fs solid noborder lc rgb wait_color(i) notitle, \
			calls using (when(k, 'start_us')):(column('rank')):(when(k, 'start_us')):\
				(when(k, 'issued_us')):(column('rank') - 0.36):(column('rank') + 0.36) \
				with boxxyerror fs solid noborder lc rgb color(i) notitle, \
			for [d = 1:T_device[k]] calls using (when(k, 'device_start_us')):(column('rank')):\
				(when(k, 'device_start_us')):(when(k, 'device_end_us')):\
				(column('rank') - 0.22):(column('rank') + 0.22) \
				with boxxyerror fs solid noborder lc rgb device_color notitle
	}
	unset multiplot
	unset output
	unset label 4
	set key
}
