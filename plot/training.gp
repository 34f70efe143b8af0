# Steps of training: a bar for each variant, its compute solid, what the step takes beyond it faded, with the
# interval of the step; above it the share of the communication that is hidden. A panel per kind of step,
# its bars by bucket size; of a mixture of experts a panel per size, its bars by imbalance. No picture
# where none was measured.
load plot_dir.'/style.gp'

steps = exists('steps_rows') ? steps_rows : 0
who(r) = sum [i = 1:variants] (V_name[i] eq steps_variant[r] ? i : 0)
# The first row of each panel, and of each group of bars in it.
begins(r) = r == 1 || steps_panel[r] ne steps_panel[r > 1 ? r - 1 : 1]
sized(r) = begins(r) || steps_bars[r] ne steps_bars[r > 1 ? r - 1 : 1]
entries = ''
do for [i = 1:variants] {
	if (steps > 0 && (sum [r = 1:steps] (who(r) == i)) > 0) { entries = entries.sprintf(' %d', i) }
}
place(i) = sum [k = 1:words(entries)] (int(word(entries, k)) == i ? k : 0)
beside(i) = 0.8 * (place(i) - (words(entries) + 1) / 2.0) / words(entries)

do for [picture = 1:steps > 0 && steps <= 200] {
	panels = int(sum [r = 1:steps] begins(r))
	lo = 1e300
	name = prefix.'_training'
	head = where.(trained_routed[1] ? ': a layer of experts by imbalance' : ': a step of training by bucket size')
	said = said_training
	how = 'solid: compute alone; faded: exposed communication; '.(trained_routed[1] ? '' : 'above: share of the communication that is hidden; ').over_blocks
	legend = words(entries) > 5 ? 2 : 1
	high = 242.0
	body = high * panels + 10
	load begin
	set key horizontal width key_wide
	plot for [e in entries] NaN with points pt 5 ps mark * 1.6 lc rgb color(int(e)) title V_label[int(e)]
	load axes
	set grid noxtics
	from = 1
	do for [panel = 1:panels] {
		to = from
		do for [r = from:steps] { to = steps_panel[r] eq steps_panel[from] ? r : to }
		hi = 0.0
		do for [r = from:to] { hi = most(steps_hi[r], most(steps_step[r], hi)) }
		above = top + 24 + (panel - 1) * high
		eval area(72, W - 24, above, above + high - 72)
		sizes = 0
		set xtics () scale 0
		do for [r = from:to] {
			if (sized(r)) {
				sizes = sizes + 1
				set xtics add (steps_bars[r] sizes)
			}
		}
		unset logscale y
		eval sprintf('set xrange [0.5:%d.5]; set yrange [0:%g]; set ytics %g', sizes, 1.22 * hi, nice_step(1.6 * hi))
		set label 4 steps_panel[from] at graph 0, screen y(above - 10) left textcolor rgb ink
		set xlabel steps_axis[from] offset 0, 0.4
		set ylabel 'time of a step, ms'
		bar = 0.68 / words(entries)
		named = sizes * words(entries) <= 30
		at = 0
		do for [r = from:to] {
			at = at + sized(r)
			i = who(r)
			mid = at + beside(i)
			both = steps_compute[r] == steps_compute[r] ? steps_compute[r] : 0
			eval sprintf('set object %d rectangle from first %g, first 0 to first %g, first %g fs solid 0.35 noborder fc rgb %d', \
				1000 + 4 * r, mid - bar / 2, mid + bar / 2, steps_step[r], color(i))
			eval sprintf('set object %d rectangle from first %g, first 0 to first %g, first %g fs solid 0.95 noborder fc rgb %d', \
				1001 + 4 * r, mid - bar / 2, mid + bar / 2, least(both, steps_step[r]), color(i))
			if (steps_lo[r] == steps_lo[r]) {
				eval sprintf('set arrow %d from first %g, first %g to first %g, first %g nohead lc rgb %d lw 1.4 front', \
					1000 + r, mid, steps_lo[r], mid, steps_hi[r], ink)
			}
			if (named && steps_overlap[r] == steps_overlap[r]) {
				eval sprintf("set label %d '%s' at first %g, first %g center offset 0, 0.7 textcolor rgb %d font '%s'", \
					1000 + r, steps_overlap[r] > 0 ? sprintf('%.0f %%', steps_overlap[r]) : 'none hidden', mid, most(steps_hi[r], steps_step[r]), ink, font(9))
			}
		}
		plot NaN notitle
		unset object
		unset arrow
		do for [r = from:to] { unset label 1000 + r }
		unset label 4
		from = to + 1
	}
	eval finish
}
