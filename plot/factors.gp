# What each factor does to bandwidth: a row each, the largest effect on top, with its 95 % interval; a little
# below and lighter, to latency, where that is judged. Left of 1 is slower. Grey: the interval does not lie
# wholly beyond the margin, which is the band. A placebo is a hollow diamond. No picture where no factor was
# measured.
load dir.'/plots/run.gp'
load style

rows = dir.'/factors.csv'
up = 0x009E73
down = 0xD55E00
nothing = 0x888888
verdict_color(v) = v eq 'faster' ? up : v eq 'slower' ? down : nothing
# The same with white in it.
light(v) = v eq 'faster' ? 0x7FCEB9 : v eq 'slower' ? 0xEAAE7F : 0xBBBBBB
known(x) = x == x
figure(name, kind) = kind != column('placebo') || !known(column(name)) ? NaN : column(name)
end(name, side) = known(column(name.side)) ? column(name.side) : known(column(name)) ? column(name) : NaN
said(name) = !known(column(name)) ? '-' : sprintf('%.3f', column(name)).(known(column(name.'_lo')) ? \
	sprintf(' (%.3f to %.3f)', column(name.'_lo'), column(name.'_hi')) : '')
do for [picture = 1:factors_tested > 0] {
	# Two to a row are above and below its middle.
	row = factors_latency ? 40.0 : 25.0 # pixels
	apart = factors_latency ? 0.22 : 0
	head = factors_latency ? 80.0 : 62.0
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
	set label 3 sprintf('%s, largest effect on top; %s%s; band: ±%g %% margin%s', \
		plural(factors_tested, 'factor'), \
		blocks < 6 ? '' : '95 % intervals over '.plural(blocks, 'block').'; ', factors_grey, margin_percent, \
		factors > factors_tested ? sprintf('; %d cannot be tested', factors - factors_tested) : '') \
		at screen 0.5, screen 42 / high center textcolor rgb 0x555555
	set label 4 'effect' at screen right + 0.02, screen 1 - (head - 14) / high textcolor rgb 0x555555
	set label 5 'setting' at screen setting, screen 1 - (head - 14) / high textcolor rgb 0x555555
	set xlabel (factors_latency ? \
		'bandwidth after ÷ before, latency before ÷ after: above 1 is faster (logarithmic)' : \
		'stream bandwidth after ÷ before (logarithmic)') offset 0, 0.3
	unset key
	if (factors_latency) {
		set key at screen left, screen 1 - (head - 14) / high left center horizontal Left reverse samplen 1
	}
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
	at(side) = column('nth') + side * apart
	plot rows using (figure('effect', 0)):(column('nth')):yticlabels(strcol('factor')) \
			with points pt -1 notitle, \
		for [k = 0:1] rows using (figure('effect', k)):(at(-1)):(end('effect', '_lo')):(end('effect', '_hi')):\
			(verdict_color(strcol('verdict'))) \
			with xerrorbars lw 2.2 ps 1.3 + 0.3 * k pt (k ? 12 : 7) lc rgb variable notitle, \
		for [k = 0:factors_latency] rows using (figure('latency', k)):(at(1)):\
			(end('latency', '_lo')):(end('latency', '_hi')):(light(strcol('latency_verdict'))) \
			with xerrorbars lw 1.8 ps 1.1 + 0.3 * k pt (k ? 12 : 7) lc rgb variable notitle, \
		rows using (inside):(at(-1)):(said('effect')) \
			with labels left offset screen 0.02, 0 notitle, \
		for [k = 1:factors_latency] rows using (inside):(at(1)):(said('latency')) \
			with labels left offset screen 0.02, 0 textcolor rgb 0x888888 notitle, \
		rows using (inside):(column('nth')):(strcol('setting')) \
			with labels left offset screen setting - right, 0 textcolor rgb 0x555555 notitle, \
		for [k = 1:factors_latency] NaN with points pt 7 ps 1.3 lc rgb nothing title 'bandwidth  ', \
		for [k = 1:factors_latency] NaN with points pt 7 ps 1.1 lc rgb 0xBBBBBB title 'latency'
	unset output
}
