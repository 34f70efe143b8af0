# One step of training, rank by rank: above when its work ran, below when its communication did. The last
# call of the timeline's pass, of each variant that the experiment is about, on one time axis. No picture
# where no lanes are known.
load plot_dir.'/style.gp'

# stats that finds nothing leaves no figure, not even that there are none.
found(_) = exists('STATS_records') ? STATS_records : 0
spans_of(i, col) = strcol('variant') eq V_name[i] ? column(col) : NaN
in_lane(i, k, col) = column('lane') == k ? spans_of(i, col) : NaN
# How long rank 0 communicates.
busy(i) = column('lane') > 0 && column('rank') == 0 ? spans_of(i, 'end_us') - spans_of(i, 'start_us') : NaN
do for [picture = 1:exists('spans_rows')] {
	entries = ''
	said = ''
	end = 0.0
	ranks = 0
	bytes = 0
	do for [i = 1:main] {
		stats $spans using (spans_of(i, 'end_us')) nooutput
		if (found(0) > 0) {
			entries = entries.sprintf(' %d', i)
			length = STATS_max
			end = most(length, end)
			stats $spans using (spans_of(i, 'rank')) nooutput
			ranks = most(STATS_max + 1, ranks)
			stats $spans using (spans_of(i, 'bytes')) nooutput
			bytes = STATS_max
			stats $spans using (busy(i)) nooutput
			said = said.(strlen(said) ? ', ' : 'Communication keeps rank 0 busy for ').\
				number(found(0) > 0 ? STATS_sum : 0).' of '.number(length).(strlen(said) ? '' : ' µs').\
				' in '.V_label[i]
		}
	}
	panels = words(entries)
	if (panels == 0 || ranks > 16) { continue }
	name = prefix.'_training_step'
	head = head_of((strlen(trained_model[1]) ? trained_model[1] : trained_routed[1] ? 'a layer of experts' : 'a model'), 'one step of training, '.\
		(trained_routed[1] ? size_label(bytes).' from each rank' : size_label(bytes).' buckets').', rank by rank')
	how = 'the last call of the pass with the timeline; pieces that lie close together are drawn as one'
	legend = 1
	high = 26.0
	body = high * ranks * panels + 20 * panels + 34
	load begin
	set key horizontal width key_wide
	set style fill solid noborder
	set label 10 'rank' at screen x(16), screen y(top + (body - 40) / 2) center rotate by 90
	plot NaN with boxes lc rgb 0x555555 title 'work', NaN with boxes lc rgb slow title 'communication'
	unset label 10
	load axes
	set grid noytics
	eval sprintf('set xrange [0:%g]', end * 1.03)
	seen(from, to) = to - from < end / 500 ? from + end / 500 : to # however short
	above = top + 6
	do for [k = 1:panels] {
		i = int(word(entries, k))
		eval area(52, W - 180, above, above + high * ranks)
		above = above + high * ranks + 20
		eval sprintf('set yrange [%g:-0.6]; set ytics 0, 1', ranks - 0.4)
		set border k == panels ? 3 : 2 ls 101
		set xtics format (k == panels ? '%g' : '')
		if (k == panels) { set xlabel 'time since the first of them began, µs' offset 0, 0.4 }
		set label 4 V_label[i] at screen x(W - 168), graph 0.5 left textcolor rgb color(i)
		plot $spans using (in_lane(i, 0, 'start_us')):(column('rank')):(in_lane(i, 0, 'start_us')):(seen(in_lane(i, 0, 'start_us'), in_lane(i, 0, 'end_us'))):\
				(column('rank') - 0.4):(column('rank') - 0.02) with boxxyerror fs solid noborder lc rgb color(i) notitle, \
			$spans using (in_lane(i, 1, 'start_us')):(column('rank')):(in_lane(i, 1, 'start_us')):(seen(in_lane(i, 1, 'start_us'), in_lane(i, 1, 'end_us'))):\
				(column('rank') + 0.02):(column('rank') + 0.4) with boxxyerror fs solid noborder lc rgb slow notitle
	}
	eval finish
}
