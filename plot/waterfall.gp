# The gap that the experiment asks about, from one end to the other, one factor at a time, in one cell:
# a bar from the bandwidth before a step to that after it, with the 95 % interval of where it ends.
# Grey: a step whose interval is not wholly beyond the margin. Hatched: what no factor explains. No
# picture where no gap is asked about, or where it was not measured.
load plot_dir.'/style.gp'

level(k) = k == 0 ? waterfall_drawn_from[1] : waterfall_drawn_to[k]
upper(k) = most(waterfall_end_hi[k], most(waterfall_drawn_from[k], waterfall_drawn_to[k]))
change(k) = abs(waterfall_change[k]) < 0.05 ? '0.0 %' : sprintf('%+.1f %%', waterfall_change[k])
share(k) = waterfall_of_gap[k].(waterfall_of_gap[k] ne '' && n <= 3 ? "\nof the gap" : '')
# A name of a step in two rows, if it is wider than its place: broken after the last dash that is in it.
dash_in(s, k) = k < 1 || s[k:k] eq '-' ? k : dash_in(s, k - 1)
step_name(s, wide) = strlen(s) <= wide || dash_in(s, wide) < 1 ? s : s[1:dash_in(s, wide)]."\n".s[dash_in(s, wide) + 1:*]
n = exists('waterfall_rows') ? waterfall_rows : 0
do for [picture = 1:n > 0] {
	high = level(0)
	hatched = 0
	unsure = 0
	do for [k = 1:n] {
		high = most(upper(k), high)
		hatched = hatched || waterfall_rest[k] > 0
		unsure = unsure || waterfall_sure[k] == 0
	}
	name = prefix.'_waterfall'
	at = strstrt(where, library)
	where = library eq '' || !at ? where : where[1:at - 1].gap_library[1]
	head = head_of(gap_drawn[1], 'bus bandwidth from '.gap_from[1].' to '.gap_to[1])
	said = said_gap
	how = plural(gap_blocks[1], 'trial').' of each'.(gap_cells[1] > 1 ? '; of the gap: over all its sizes' : '').\
		(gap_blocks[1] < 6 ? '' : '; whiskers: 95 % intervals').(unsure ? '; '.grey_means(gap_blocks[1]) : '').\
		(hatched ? '; hatched: no factor' : '')
	legend = 0
	body = n > 3 ? 410.0 : 360.0
	load begin
	plot NaN notitle
	load axes
	# Room above for the steps' figures.
	eval sprintf('set yrange [0:%g]; set ytics %g', 1.25 * high, nice_step(high))
	eval sprintf('set xrange [0.4:%g]', n + 2.6)
	eval area(80, W - 20, top + 6, top + body - (n > 3 ? 86 : 38))
	set ylabel 'bus bandwidth, GB/s'
	set grid noxtics
	set xtics () scale 0
	if (n > 3) { eval sprintf("set xtics rotate by -20 left font '%s'", font(9.5)) }
	wide = n > 3 ? 100 : int((W - 100) / (n + 2.2) / 7.2)
	set xtics add (step_name(gap_from[1], wide) 1)
	set xtics add (step_name(gap_to[1], wide) n + 2)
	do for [k = 1:n] { set xtics add (step_name(waterfall_step[k], wide) k + 1) }
	set label 20 number(level(0)) at first 1, first level(0) center offset 0, 0.8
	set label 21 number(level(n)) at first n + 2, first level(n) center offset 0, 0.8
	do for [k = 1:n] {
		set label 30 + 2 * k change(k) at first k + 1, first upper(k) center offset 0, 0.8
		set label 31 + k * 2 share(k) at first k + 1, first upper(k) center offset 0, n > 3 ? 2 : 2.9 textcolor rgb 0x777777 font font(9)
		eval sprintf('set object %d rectangle from first %g, first %g to first %g, first %g fs %s fc rgb %d', k, \
			k + 0.7, waterfall_drawn_from[k], k + 1.3, waterfall_drawn_to[k], waterfall_rest[k] > 0 ? 'pattern 4 border' : 'solid noborder', \
			waterfall_sure[k] > 0 ? effect(waterfall_drawn_to[k] - waterfall_drawn_from[k]) : grey)
		if (waterfall_end_lo[k] == waterfall_end_lo[k]) {
			set arrow n + 1 + k from first k + 1, first waterfall_end_lo[k] to first k + 1, first waterfall_end_hi[k] \
				heads size screen 0.006, 90 lw 1.5 lc rgb several front
		}
	}
	do for [k = 0:n] {
		set arrow k + 1 from first k + 0.7, first level(k) to first k + 2.3, first level(k) nohead lw 1 dt 3 lc rgb grey
	}
	do for [k = 0:1] {
		eval sprintf('set object %d rectangle from first %g, first 0 to first %g, first %g fs solid noborder fc rgb several', \
			n + 1 + k, k * (n + 1) + 0.7, k * (n + 1) + 1.3, level(k * n))
	}
	plot NaN notitle
	eval finish
}
