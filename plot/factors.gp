# What each factor does to bandwidth: a row each, the largest effect on top, with its 95 % interval.
# Left of 1 is less. Grey: the interval does not lie wholly beyond the margin. A placebo is a hollow diamond.
# No picture where no factor was measured.
load dir.'/plots/run.gp'
load style

rows = dir.'/factors.csv'
up = 0x009E73
down = 0xD55E00
nothing = 0x888888
verdict_color(v) = v eq 'faster' ? up : v eq 'slower' ? down : nothing
known(x) = x == x
figure(kind) = kind != column('placebo') || !known(column('effect')) ? NaN : column('effect')
end(side) = known(column(side)) ? column(side) : column('effect')
said(x, lo, hi) = sprintf('%.3f', x).(known(lo) ? sprintf(' (%.3f to %.3f)', lo, hi) : '')
do for [picture = 1:factors_tested > 0] {
	row = 25.0 # pixels
	head = 62.0
	foot = 128.0
	high = head + foot + row * factors_tested
	eval sprintf("set terminal pngcairo size 1100,%.0f font 'DejaVu Sans,11' noenhanced ".\
		"background '#ffffff'", high)
	set output sprintf('%s/plots/%s_factors.png', dir, prefix)
	# Names to the left, what is switched and the effect to the right: room for the longest.
	left = 0.025 + 0.0078 * factors_name
	setting = 0.965 - 0.0078 * (factors_setting < 7 ? 7 : factors_setting)
	right = setting - 0.2
	set lmargin at screen left
	set rmargin at screen right
	set tmargin at screen 1 - head / high
	set bmargin at screen foot / high
	set label 1 title_line at screen 0.5, screen 1 - 20 / high center font ',13'
	set label 2 machine_line at screen 0.5, screen 18 / high center textcolor rgb 0x555555
	set label 3 sprintf('%s, the largest effect on top; %s%s%s', \
		plural(factors_tested, 'factor'), \
		blocks < 6 ? '' : '95 % intervals over '.plural(blocks, 'block').'; ', factors_grey, \
		factors > factors_tested ? sprintf('; %d cannot be tested here', factors - factors_tested) : '') \
		at screen 0.5, screen 42 / high center textcolor rgb 0x555555
	set label 4 'effect' at screen right + 0.02, screen 1 - (head - 14) / high textcolor rgb 0x555555
	set label 5 'setting' at screen setting, screen 1 - (head - 14) / high textcolor rgb 0x555555
	set xlabel 'stream bandwidth after ÷ before (logarithmic)' offset 0, 0.3
	unset key
	unset grid
	set grid xtics ls 100 back
	# At least ±10 %, so that nothing that is nearly equal fills the picture.
	lo = (factors_lo < 0.9 ? factors_lo : 0.9) / 1.05
	hi = (factors_hi > 1.1 ? factors_hi : 1.1) * 1.05
	inside = hi / 1.0001 # of the axis, so that what is written beside a row is not cut off
	set logscale x 2
	eval sprintf('set xrange [%g:%g]', lo, hi)
	# The wider the axis, the fewer: numbers are not to touch.
	ratio_tics = hi / lo > 30 ? '0.001, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 1000' : \
		hi / lo > 10 ? '0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20' : \
		hi / lo > 3.2 ? '0.25, 0.35, 0.5, 0.7, 1, 1.4, 2, 3, 4' : \
		hi / lo > 1.6 ? '0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.4, 1.6, 2' : \
		'0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.4, 1.5'
	eval 'set xtics ('.ratio_tics.')'
	eval sprintf('set yrange [%d.6:0.4]', factors_tested)
	set ytics () scale 0
	set border 1 ls 101
	set object 1 rectangle from 1 / (1 + margin_percent / 100.0), graph 0 \
		to 1 + margin_percent / 100.0, graph 1 behind fs solid noborder fc rgb 0xEEEEEE
	set arrow 1 from 1, graph 0 to 1, graph 1 nohead lw 1.5 lc rgb 0x333333 back
	plot rows using (figure(0)):(column('nth')):(end('effect_lo')):(end('effect_hi')):\
			(verdict_color(strcol('verdict'))):yticlabels(strcol('factor')) \
			with xerrorbars lw 2.2 ps 1.3 pt 7 lc rgb variable notitle, \
		rows using (figure(1)):(column('nth')):(end('effect_lo')):(end('effect_hi')):\
			(verdict_color(strcol('verdict'))) with xerrorbars lw 2.2 ps 1.6 pt 12 lc rgb variable notitle, \
		rows using (inside):(column('nth')):\
			(said(column('effect'), column('effect_lo'), column('effect_hi'))) \
			with labels left offset screen 0.02, 0 notitle, \
		rows using (inside):(column('nth')):(strcol('setting')) \
			with labels left offset screen setting - right, 0 textcolor rgb 0x555555 notitle
	unset output
}
