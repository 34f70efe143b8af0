# Rank against size: by how much each rank is seen idle before or after the mean of all ranks, as a
# share of the call. A panel per variant. Of isolated calls where there are any; one picture per
# collective; none where no rank is off by as much as 1 % of the call.
load plot_dir.'/style.gp'

isolated(g) = sum [k = 1:groups] (G_coll[k] eq G_coll[g] && G_pace[k] eq 'isolated')
# From a row of $ranks, so far beside it.
by(col, off) = column(col) + off
shown(i) = V_role[i] ne 'again'
signed(v) = abs(v) < 0.05 ? '0.0' : sprintf('%+.1f', v)
do for [g = 1:groups] {
	if (!detail || G_ranks[g] < 2 || (G_pace[g] ne 'isolated' && isolated(g))) { continue }
	eval nothing
	eval extent('$ranks', sprintf("of_any(%d) ? abs(known('late_percent')) : 0", g))
	if (hi < 1) { continue }
	far = hi
	panels = sum [i = 1:variants] (shown(i))
	columns = panels < 3 ? panels : 3
	lines_of = (panels + columns - 1) / columns
	high = G_ranks[g] * (G_ranks[g] > 16 ? 6.0 : 24.0)
	high = high < 70 ? 70.0 : high > 260 ? 260.0 : high
	name = prefix.'_'.G_coll[g].'_ranks'
	head = head_of(G_coll[g], 'by how much each rank ends before or after the others')
	said = captions_ranks_said[g]
	how = G_pace[g].' calls, end of each rank less the mean over ranks, % of the call, '.over_blocks.shown_of
	legend = 0
	body = (high + 30) * lines_of + 54
	load begin
	set label 10 'rank' at screen x(20), screen y(top + (body - 40) / 2) center rotate by 90
	set label 11 sizes_of(g) at screen 0.45, screen y(top + body - 14) center
	plot NaN notitle
	unset label 10
	unset label 11
	load axes
	unset grid
	set palette defined (-1 '#5E3C99', -0.5 '#B2A3CC', 0 '#F7F7F7', 0.5 '#EDA97E', 1 '#D55E00')
	eval sprintf('set cbrange [%g:%g]; set cbtics %g', -far, far, nice_step(2 * far))
	set cbtics format '%g %%'
	set colorbox user origin x(W - 70), y(top + body - 50) size x(14), (body - 70) / H
	eval sprintf('set xrange [0.5:%d.5]', G_sizes[g])
	eval sprintf('set yrange [%g:-0.5]; set ytics 0, %d', G_ranks[g] - 0.5, \
		G_ranks[g] > 32 ? 16 : G_ranks[g] > 16 ? 4 : G_ranks[g] > 6 ? 2 : 1)
	wide = (W - 150.0) / columns
	numbers = high / G_ranks[g] >= 16 && wide / G_sizes[g] >= 36
	step = ceil(G_sizes[g] * 62.0 / wide)
	aside = columns > 1 && step > 1 ? 46 : 20 # for sizes at an edge
	panel = 0
	do for [i = 1:variants] {
		if (!shown(i)) { continue }
		left = 52 + (panel % columns) * wide
		above = top + 22 + (panel / columns) * (high + 30)
		eval area(left, left + wide - aside, above, above + high)
		set label 4 V_label[i] at graph 0.5, screen y(above - 9) center textcolor rgb color(i)
		set ytics format (panel % columns ? '' : '%g')
		set xtics () scale 0.5
		do for [n = 1:G_sizes[g]:step] {
			set xtics add ((panel + columns < panels ? '' : size_label(size_of(G_list[g], n))) n)
		}
		plot $ranks using (pick(i, g, 'nth_size')):(by('rank', 0)):(by('nth_size', -0.5)):(by('nth_size', 0.5)):\
				(by('rank', -0.5)):(by('rank', 0.5)):(column('late_percent')) \
				with boxxyerror fs solid noborder lc palette notitle, \
			for [d = 1:numbers] $ranks using (pick(i, g, 'nth_size')):(by('rank', 0)):\
				(signed(column('late_percent'))):(abs(column('late_percent')) > 0.75 * far ? 0xFFFFFF : 0x000000) \
				with labels font font(8) textcolor rgb variable notitle
		unset colorbox
		panel = panel + 1
	}
	eval finish
}
