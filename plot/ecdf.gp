# All isolated calls of all blocks: which share of them took at most so long. A panel for a small, a
# middle and the largest size; of the variants that the experiment is about. One picture per collective.
load plot_dir.'/style.gp'

calls_csv = dir.'/plots/ecdf.csv'
do for [g = 1:groups] {
	if (!detail || !E_panels[g]) { continue }
	name = prefix.'_'.G_coll[g].'_ecdf'
	head = head_of(G_coll[g], 'share of isolated calls by their time')
	said = captions_tail_said[g]
	how = sprintf('%s isolated calls in each of %s, shown up to the 99th percentile', isolated_calls, \
		plural(blocks, 'block')).(main < variants ? sprintf('; %d of %d variants', main, variants + left_out) : '')
	long = 0 # of the key
	do for [i = 1:main] { long = most(long, 72 + 7.2 * strlen(V_label[i])) }
	across = long > W / 2 ? 1 : long > W / 3 ? 2 : 3
	legend = (main + across - 1) / across
	body = 370.0
	load begin
	set key horizontal maxcols across width key_wide
	set label 10 'share of calls, %' at screen x(20), screen y(top + 170) center rotate by 90
	set label 11 'time per call, µs' at screen 0.53, screen y(top + body - 14) center
	plot for [i = 1:main] NaN with lines lw width(i) dt dash(i) lc rgb color(i) title V_label[i]
	unset label 10
	unset label 11
	load axes
	set yrange [0:100]
	set ytics 25
	wide = (W - 80.0) / E_panels[g]
	do for [p = 1:E_panels[g]] {
		k = 3 * (g - 1) + p
		bytes = E_bytes[k]
		eval area(62 + (p - 1) * wide, 62 + p * wide - 30, top + 24, top + body - 52)
		# Far apart on a logarithmic axis, else on a linear one.
		if (E_hi[k] > 8 * E_lo[k]) {
			eval log_axis('x', E_lo[k], E_hi[k], wide - 30)
		} else {
			eval said_linear('x').'; unset logscale x'
			room = 0.04 * (E_hi[k] - E_lo[k])
			eval sprintf('set xrange [%g:%g]; set xtics %g', E_lo[k] - room, E_hi[k] + room, \
				nice_step(1.4 * (E_hi[k] - E_lo[k]) + 1e-9))
		}
		set label 10 size_label(bytes).log_x at graph 0.5, screen y(top + 12) center
		plot for [i = 1:main] calls_csv using (column('number') == i && column('bytes') == bytes && \
			strcol('what') eq G_coll[g] ? column('time_us') : NaN):(100 * column('share')) \
			with lines lw width(i) dt dash(i) lc rgb color(i) notitle
		set ytics format ''
	}
	eval finish
}
