# Bus bandwidth of every collective at its largest size, a bar per variant, with the measured limit:
# one picture of a run with three collectives or more.
load dir.'/plots/run.gp'
load style

MOST = 40 # more names than that cannot be read
streams = sum [g = 1:groups] (G_pace[g] eq 'stream')
place(g) = sum [k = 1:g] (G_pace[k] eq 'stream')
figure(i, g) = G_pace[g] eq 'stream' && column('bytes') == G_max[g] ? \
	pick(V_name[i], G_coll[g], 'stream', 'busbw_gbs') : NaN
wide = 0.8 / variants
# Further variants of a mode have its colour, paler.
depth(i) = V_role[i] eq 'again' || V_nth[i] == 1 ? 0.85 : V_nth[i] == 2 ? 0.5 : 0.25
do for [picture = 1:(carries_data && streams >= 3 && streams <= MOST)] {
	set output sprintf('%s/plots/%s_overview.png', dir, prefix)
	least = 0.0
	most = 0.0
	letters = 0
	do for [g = 1:groups] {
		if (G_pace[g] ne 'stream') { continue }
		least = least == 0 || G_max[g] < least ? G_max[g] : least
		most = G_max[g] > most ? G_max[g] : most
		letters = strlen(G_coll[g]) > letters ? strlen(G_coll[g]) : letters
	}
	upright = letters * streams <= 90
	foot = upright ? 0.19 : 0.142 + 0.0065 * (letters < 30 ? letters : 30)
	set bmargin at screen foot
	set ylabel 'bus bandwidth, GB/s'
	set yrange [0:*]
	eval sprintf('set xrange [0.4:%d.6]', streams)
	set xtics () scale 0
	if (!upright) { eval 'set xtics rotate by 35 right font ",'.(streams > 20 ? 8 : 10).'"' }
	do for [g = 1:groups] {
		if (G_pace[g] eq 'stream') { set xtics add (G_coll[g] place(g)) }
	}
	set grid noxtics
	set label 3 sprintf('%s, %s per rank: %d × %d calls back to back', plural(G_ranks[1], 'rank'), \
		least < most ? size_label(least).' to '.size_label(most) : size_label(most), \
		stretches, calls).over_blocks at screen 0.5, screen 0.08 center textcolor rgb 0x555555
	plot for [i = 1:variants] for [g = 1:groups] \
			csv using (place(g) + (i - (variants + 1) / 2.0) * wide):(figure(i, g)):(0.92 * wide) \
			with boxes lc rgb color(i) fs solid depth(i) noborder notitle, \
		for [i = 1:variants] NaN with boxes lc rgb color(i) fs solid depth(i) noborder \
			title V_label[i], \
		for [k = 1:limit_sizes > 0] limit_best \
			with lines lw 2 dt 2 lc rgb limit_color title sprintf('limit: copies, ≤ %.3g GB/s', limit_best)
	unset output
}
