# Rank against size: by how much each rank is seen idle before or after the mean of all ranks, as a
# share of the call. A panel per variant. Of isolated calls where there are any; one picture per
# collective.
load dir.'/plots/run.gp'
load style

ranks = dir.'/ranks.csv'
isolated(g) = sum [k = 1:groups] (G_coll[k] eq G_coll[g] && G_pace[k] eq 'isolated')
here(i, g) = strcol('variant') eq V_name[i] && strcol('what') eq G_coll[g] && \
	strcol('pace') eq G_pace[g]
late(i, g) = here(i, g) ? column('late_percent') : NaN
nth(i, g) = here(i, g) ? column('nth_size') : NaN
shown(i) = V_role[i] ne 'again'
panels = sum [i = 1:variants] (shown(i))
columns = panels <= 3 ? panels : panels <= 6 ? (panels + 1) / 2 : (panels + 2) / 3
rows = (panels + columns - 1) / columns
# Blue: early; vermilion: late; both of Okabe and Ito, told apart with any kind of colour vision.
set palette defined (-1 '#0072B2', -0.5 '#8CBFDD', 0 '#F7F7F7', 0.5 '#EDA97E', 1 '#D55E00')
left = 0.07
right = 0.88
top = 0.93
bottom = 0.215
gap = 0.035
do for [g = 1:groups] {
	if (!detail || G_ranks[g] < 2 || (G_pace[g] ne 'isolated' && isolated(g))) { continue }
	set output sprintf('%s/plots/%s_%s_ranks.png', dir, prefix, G_coll[g])
	set multiplot
	eval heading(g)
	set label 3 caption(g, G_pace[g].' calls: end of each rank less the mean over ranks, % of the call'.\
		over_blocks) at screen 0.5, screen 0.08 center textcolor rgb 0x555555
	set label 5 'rank' at screen 0.022, screen (top + bottom) / 2 center rotate by 90
	set label 6 'size per rank' at screen (left + right) / 2, screen 0.13 center
	unset grid
	unset key
	unset logscale
	far = G_late[g] < 1 ? 1 : G_late[g]
	eval sprintf('set cbrange [%g:%g]', -far, far)
	eval sprintf('set xrange [0.5:%d.5]', G_sizes[g])
	eval sprintf('set yrange [%g:-0.5]', G_ranks[g] - 0.5)
	eval sprintf('set ytics 0, %d', G_ranks[g] > 32 ? 16 : G_ranks[g] > 16 ? 4 : 1)
	set colorbox user origin 0.9, bottom size 0.018, top - bottom - 0.04
	set cbtics format '%g %%'
	numbers = G_ranks[g] * rows <= 20 && G_sizes[g] * columns <= 20
	tics_of = columns == 1 ? 10 : columns == 2 ? 5 : 3
	panel = 0
	do for [i = 1:variants] {
		if (!shown(i)) { continue }
		wide = (right - left - (columns - 1) * gap) / columns
		high = (top - bottom) / rows
		at_x = panel % columns
		at_y = panel / columns
		set lmargin at screen left + at_x * (wide + gap)
		set rmargin at screen left + at_x * (wide + gap) + wide
		set tmargin at screen top - at_y * high - 0.04
		set bmargin at screen top - (at_y + 1) * high + (at_y + 1 < rows ? 0.02 : 0)
		set label 4 V_label[i] at graph 0.5, screen top - at_y * high - 0.018 center \
			textcolor rgb color(i) font ',12'
		set ytics format (at_x ? '' : '%g')
		bare = panel + columns < panels # one stands below
		ntics = G_sizes[g] < tics_of ? G_sizes[g] : tics_of
		set xtics () scale 0.5
		do for [n = 1:ntics] {
			at = ntics == 1 ? 1 : 1 + int((n - 1) * (G_sizes[g] - 1.0) / (ntics - 1) + 0.5)
			set xtics add (size_label(real(word(G_list[g], at))) at)
		}
		plot ranks using (nth(i, g)):(column('rank')):(nth(i, g) - 0.5):(nth(i, g) + 0.5):\
				(column('rank') - 0.5):(column('rank') + 0.5):(late(i, g)) \
				with boxxyerror fs solid noborder lc palette notitle, \
			for [d = 1:numbers] ranks using (nth(i, g)):(column('rank')):\
				(here(i, g) ? sprintf('%+.1f', late(i, g)) : ''):\
				(abs(late(i, g)) > 0.75 * far ? 0xFFFFFF : 0x000000) \
				with labels font ',9' textcolor rgb variable notitle
		eval drop_labels
		unset colorbox
		panel = panel + 1
	}
	unset multiplot
	unset output
	unset label 4
}
