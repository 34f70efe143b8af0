# Scaling: of each collective a row of three panels over ranks: bus bandwidth, the gap to threads, and
# what a launch costs, or latency where nothing is launched. A line for each mode; mixed layouts are pink. No
# picture where the run has one number of ranks.
load plot_dir.'/style.gp'

found = exists('scaling_rows') ? scaling_rows : 0
begins(r) = r == 1 || scaling_collective[r] ne scaling_collective[r > 1 ? r - 1 : 1]
of(r, c) = scaling_collective[r] eq scaling_collective[c]
# The first row of each line of the first collective that has it: what the key names.
named(r) = (sum [k = 1:r] (scaling_line[k] eq scaling_line[r])) == 1
entries = ''
collectives = ''
ticks = ''
do for [r = 1:found] {
	if (named(r)) { entries = entries.sprintf(' %d', r) }
	if (begins(r) && words(collectives) < 4) { collectives = collectives.sprintf(' %d', r) }
	tick = sprintf('%d', scaling_ranks[r])
	if (strstrt(' '.ticks.' ', ' '.tick.' ') == 0) { ticks = ticks.' '.tick }
}
launched = found > 0 ? (sum [r = 1:found] (scaling_launch_us[r] > 0)) : 0
figures = 'gbs gap '.(launched > 0 ? 'launch_us' : 'p50_us')
figure(what, r) = what eq 'gbs' ? scaling_gbs[r] : what eq 'gap' ? scaling_gap[r] : \
	what eq 'launch_us' ? scaling_launch_us[r] : scaling_p50_us[r]
said_of(what, r) = what eq 'gbs' ? short(scaling_collective[r], 20).(scaling_bytes[r] > 0 ? ', '.size_label(scaling_bytes[r]) : '').', GB/s' : \
	what eq 'gap' ? 'bandwidth ÷ that of threads' : \
	(what eq 'launch_us' ? 'launch cost, ' : 'p50 latency, ').\
	(scaling_small_bytes[r] > 0 ? size_label(scaling_small_bytes[r]).', ' : '').'µs'
shade(r) = mode_color(scaling_mode[r])
form(r) = mode_shape(scaling_mode[r]) - (scaling_nth_line[r] > 0)
dashed(r) = nth_dash(scaling_nth_line[r])
# Points stand beside each other, so that none hides another: so many logarithms of a rank are a pixel.
place(e) = sum [k = 1:words(entries)] (word(entries, k) eq e ? k : 0)
beside(e) = exp(8 * (place(e) - (words(entries) + 1) / 2.0) * pixel)
at(e) = beside(e) * column('ranks')
# Of the table's block the rows of a collective and a line.
mine(c, e) = strcol('collective') eq scaling_collective[c] && strcol('line') eq scaling_line[e]

do for [picture = 1:words(ticks) > 1] {
	lo = 1e300
	name = prefix.'_scaling'
	head = (strlen(library) ? library_name.' '.library : library_name).': bandwidth, the gap to threads and '.\
		(launched > 0 ? 'launch cost' : 'latency').' over ranks'
	said = exists('said_scaling') ? said_scaling : ''
	how = 'the gap with its 95 % interval, 1: as threads; '.over_blocks
	legend = (words(entries) + 4) / 5
	high = 250.0
	body = high * words(collectives) + 20
	load begin
	set key horizontal width key_wide
	plot for [e in entries] NaN with linespoints lw 2.2 ps mark * 1.3 dt dashed(int(e)) pt form(int(e)) lc rgb shade(int(e)) \
		title scaling_line[int(e)]
	load axes
	wide = (W - 76) / 3
	do for [k = 1:words(collectives)] {
		c = int(word(collectives, k))
		above = top + 26 + (k - 1) * high
		do for [p = 1:3] {
			what = word(figures, p)
			left = 58 + (p - 1) * (wide + 6)
			eval area(left, left + wide - 40, above, above + high - 62)
			unset label
			unset logscale
			eval said_log('x').'; set logscale x 2'
			least_rank = 1e9
			most_rank = 0
			set xtics () scale 0.6
			do for [t in ticks] {
				set xtics add (t real(t))
				least_rank = least(least_rank, real(t))
				most_rank = most(most_rank, real(t))
			}
			pixel = log(1.44 * most_rank / least_rank) / (wide - 40)
			eval sprintf('set xrange [%g:%g]', least_rank / 1.2, most_rank * 1.2)
			lo = 1e300
			hi = 0.0
			do for [r = 1:found] {
				if (of(r, c) && figure(what, r) > 0) { v = widen(figure(what, r)) }
			}
			measured = hi > 0
			if (measured && what eq 'gap') {
				v = widen(1.0)
				eval extent('$scaling', sprintf("strcol('collective') eq scaling_collective[%d] ? known('gap_lo') : 0", c))
				eval extent('$scaling', sprintf("strcol('collective') eq scaling_collective[%d] ? known('gap_hi') : 0", c))
				eval ratio_axis('y', lo, hi, high - 62)
			} else {
				if (!measured) { lo = 0.5; hi = 1.0 }
				if (hi > 8 * lo) {
					eval log_axis('y', lo, hi, high - 62)
				} else {
					eval said_linear('y').sprintf('; set yrange [0:%g]; set ytics %g', 1.12 * hi, nice_step(1.2 * hi))
				}
			}
			set label 4 said_of(what, c).log_y at graph 0, screen y(above - 11) left textcolor rgb ink font font(9.5)
			unset xlabel
			if (k == words(collectives)) { set xlabel 'ranks'.log_x offset 0, 0.4 }
			col = what
			if (!measured) {
				set label 5 'not measured' at graph 0.5, graph 0.5 center textcolor rgb grey
				plot NaN notitle
				continue
			}
			if (what eq 'gap') {
				plot 1 with lines lw 1.2 dt 2 lc rgb grey notitle, \
					for [e in entries] $scaling using (at(e)):(mine(c, int(e)) ? known('gap') > 0 ? column('gap') : NaN : NaN):\
						(end('gap', '_lo')):(end('gap', '_hi')) with yerrorbars lw 1.2 pt 0 lc rgb shade(int(e)) notitle, \
					for [e in entries] $scaling using (at(e)):(mine(c, int(e)) ? column('gap') : NaN) \
						with linespoints lw 1.5 ps mark * 1.3 dt dashed(int(e)) pt form(int(e)) lc rgb shade(int(e)) notitle
			} else {
				plot for [e in entries] $scaling using (at(e)):(mine(c, int(e)) ? column(col) : NaN) \
					with linespoints lw 1.5 ps mark * 1.3 dt dashed(int(e)) pt form(int(e)) lc rgb shade(int(e)) notitle
			}
		}
	}
	eval finish
}
