# Ways to carry a collective out: a row for each, a mark for each mode, a panel each for latency of small calls
# and bandwidth of a middle and the largest size. No picture of fewer than four ways in three modes.
load plot_dir.'/style.gp'

n = exists('way_points_rows') ? way_points_rows : 0
figure(what, r) = what eq 'us' ? way_points_p50_us[r] : what eq 'middle' ? way_points_middle_gbs[r] : way_points_large_gbs[r]
highest_of(what) = ((hi = 0.0), (sum [r = 1:n] widen(figure(what, r))), hi)
lowest_of(what) = ((least = 1e300), (sum [r = 1:n] (figure(what, r) < least ? ((least = figure(what, r)), 0) : 0)), least)
panel_title(what) = what eq 'us' ? 'p50, '.size_label(way_points_small_bytes[1]).', µs' : \
	size_label(what eq 'middle' ? way_points_middle_bytes[1] : way_points_large_bytes[1]).', GB/s'
do for [picture = 1:n > 0] {
	lo = 1e300
	panels = (highest_of('us') > 0 ? ' us' : '').(highest_of('middle') > 0 ? ' middle large' : '')
	ways = 0
	modes = ''
	letters = 0
	do for [r = 1:n] {
		ways = way_points_nth[r] > ways ? way_points_nth[r] : ways
		letters = strlen(way_points_way[r]) > letters ? strlen(way_points_way[r]) : letters
		modes = strstrt(modes.' ', ' '.way_points_mode[r].' ') ? modes : modes.' '.way_points_mode[r]
	}
	name = prefix.'_ways'
	head = where.': each way in each mode'
	said = exists('said_ways') ? said_ways : ''
	how = over_blocks
	legend = 1
	body = 24 + 26.0 * ways + 40
	load begin
	set key horizontal width key_wide
	# Modes stand a little below each other.
	place(mode) = 0.22 * (words(modes[1:strstrt(modes.' ', ' '.mode.' ')]) - (words(modes) - 1) / 2.0)
	plot for [mode in modes] NaN with points pt mode_shape(mode) ps mark * 1.6 lc rgb mode_color(mode) title mode
	load axes
	names = 40.0 + 7 * letters
	wide = (W - names - 20) / words(panels)
	do for [k = 1:words(panels)] {
		what = word(panels, k)
		lo = 1e300
		highest = highest_of(what)
		left = names + (k - 1) * wide
		eval area(left, left + wide - 34, top + 24, top + 24 + 26 * ways)
		# One far slower way is not to leave the others in one place.
		far = highest > 20 * lowest_of(what) && lowest_of(what) > 0
		eval sprintf('unset logscale x; set yrange [%d.5:0.5]; set xrange [0:%g]; set xtics %g', ways, 1.1 * highest, nice_step(2 * highest))
		eval far ? said_log('x').sprintf('; set logscale x; set xrange [%g:%g]; set xtics 10', lowest_of(what) / 2, 2 * highest) : \
			said_linear('x').'; unset logscale x'
		set ytics () scale 0
		do for [r = 1:n] { if (k == 1) { set ytics add (way_points_way[r] way_points_nth[r]) } else { set ytics add ('' way_points_nth[r]) } }
		set label 4 panel_title(what).log_x at screen x(left), screen y(top + 12) left textcolor rgb ink
		plot for [r = 1:n] '+' using (figure(what, r)):(way_points_nth[r] + place(way_points_mode[r])) every ::0::0 with points \
				pt mode_shape(way_points_mode[r]) ps mark * 1.7 lc rgb mode_color(way_points_mode[r]) notitle
	}
	eval finish
}
