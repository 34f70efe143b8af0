# What all pictures share. Before it, plots/run.gp has said what the run holds; `dir` is the run's
# folder.

set encoding utf8
# Where there are many curves, room for their names at the right.
many = variants > 7
canvas(height) = sprintf("set terminal pngcairo size %d,%d font 'DejaVu Sans,11' noenhanced ".\
	"background '#ffffff'", many ? 1120 : 900, height)
eval canvas(560)
set datafile separator comma
set datafile columnheaders
csv = dir.'/summary.csv'

# One colour and one shape per mode, the same in every picture: from the palette of Okabe and Ito,
# which is told apart with any kind of colour vision. The A/A twin is grey.
color(i) = V_role[i] eq 'again' ? 0xB0B0B0 : V_mode[i] eq 'single' ? 0xE69F00 : \
	V_mode[i] eq 'threads' ? 0x0072B2 : V_mode[i] eq 'processes' ? 0x009E73 : 0xCC79A7
filled(mode) = mode eq 'single' ? 5 : mode eq 'threads' ? 7 : mode eq 'processes' ? 9 : 13
# Of many, colour says the mode, and shape and dash what else the name says: threads-old and
# processes-old are one family.
mode_at(i) = strlen(V_mode[i]) ? strstrt(V_name[i], V_mode[i]) : 0
family(i) = mode_at(i) ? V_name[i][1:mode_at(i) - 1].V_name[i][mode_at(i) + strlen(V_mode[i]):*] : V_name[i]
array V_family[variants]
families = 0
do for [i = 1:variants] {
	V_family[i] = 0
	do for [k = 1:i - 1] { if (V_role[k] ne 'again' && family(k) eq family(i)) { V_family[i] = V_family[k] } }
	if (V_family[i] == 0 && V_role[i] ne 'again') {
		families = families + 1
		V_family[i] = families
	}
}
family_shapes = '7 4 8 12 5 9 13 6 10 14 11 15'
family_dashes = '1 2 4 5 6 7'
set dashtype 6 (14, 3)
set dashtype 7 (2, 2, 9, 2)
of_family(list, i) = int(word(list, 1 + (V_family[i] - 1) % words(list)))
shape(i) = V_role[i] eq 'again' ? 2 : many ? of_family(family_shapes, i) : filled(V_mode[i]) - (V_nth[i] > 1)
dash(i) = V_role[i] eq 'again' ? 3 : many ? of_family(family_dashes, i) : \
	V_nth[i] == 1 ? 1 : V_nth[i] == 2 ? 2 : V_nth[i] == 3 ? 4 : 5
# The reference is drawn first and broad, so that curves on top of it leave it in sight: the variant
# to draw as the k-th.
first = 1 + sum [i = 1:variants] (V_role[i] eq 'reference' ? i - 1 : 0)
in_order(k) = k == 1 ? first : k <= first ? k - 1 : k
# Of many, the first variant of each mode stands out, and others are thin.
plain(i) = !many || (V_nth[i] == 1 && V_role[i] ne 'again')
width(i) = V_role[i] eq 'reference' ? 4.5 : plain(i) ? 1.8 : 1.1
points(i) = V_role[i] eq 'reference' ? 1.6 : plain(i) ? 1.1 : 0.9
limit_color = 0x999999
faint = 0xD0000000 # added to a colour: how transparent a band is

set style line 100 lc rgb 0xDDDDDD lw 1
set style line 101 lc rgb 0x666666 lw 1
set grid xtics ytics ls 100 back
set border 3 ls 101
set tics nomirror out
set boxwidth 0.55 absolute
set lmargin at screen 0.105
edge = many ? 0.765 : 0.965 # of what is drawn
set rmargin at screen edge
roof = many ? 0.915 : 0.835
set tmargin at screen roof
set bmargin at screen 0.225
key_above = 'set key at screen 0.535, screen 0.935 center top horizontal maxcols 4 Left reverse '.\
	'samplen 2.4 width -2'
key_beside = 'set key at screen edge + 0.012, screen roof + 0.01 left top vertical maxrows 40 Left reverse '.\
	'samplen 3 width 0 spacing 1.15'
eval many ? key_beside : key_above

# The value of a column in the rows of one variant, collective and pace.
pick(name, coll, pace, col) = strcol('variant') eq name && strcol('what') eq coll && \
	strcol('pace') eq pace ? column(col) : NaN

# Sizes on a logarithmic axis, ticks at powers of two: size_axis gives the commands to evaluate.
bare = 0 # 1: ticks without their sizes
size_label(b) = bare ? '' : b < 1024 ? sprintf('%.0f B', b) : \
	b < 1048576 ? sprintf('%.0f KiB', b / 1024) : \
	b < 1073741824 ? sprintf('%.0f MiB', b / 1048576) : sprintf('%.0f GiB', b / 1073741824)
power(b) = int(floor(log(b) / log(2) + 0.5))
size_tics(k, last, step, sep) = k > last ? '' : \
	sprintf("%s'%s' %.0f", sep, size_label(2.0**k), 2.0**k).size_tics(k + step, last, step, ', ')
size_step(n) = n > 20 ? 3 : n > 9 ? 2 : 1
size_axis(lo, hi) = sprintf('set logscale x 2; set xrange [%.0f:%.0f]; set xtics (%s)', \
	lo / 1.4, hi * 1.4, size_tics(power(lo), power(hi), size_step(power(hi) - power(lo)), ''))

# Times on a logarithmic axis, which spans a factor of four at least, so that what is nearly equal
# looks so. Ticks at 1, 2 and 5 where it spans less than three decades, and more within one.
time_tic(x) = sprintf("'%g' %g", x, x)
time_more(e) = ', '.time_tic(1.5 * 10.0**e).', '.time_tic(3 * 10.0**e).', '.time_tic(4 * 10.0**e).\
	', '.time_tic(7 * 10.0**e)
time_tics(e, span) = time_tic(10.0**e).\
	(span > 1000 ? '' : ', '.time_tic(2 * 10.0**e).', '.time_tic(5 * 10.0**e)).\
	(span > 10 ? '' : time_more(e)).(e == 9 ? '' : ', '.time_tics(e + 1, span))
time_span(lo, hi) = hi * 1.25 / (lo / 1.25) < 4 ? 4.0 : hi / lo * 1.5625
time_lo(lo, hi) = sqrt(lo * hi / time_span(lo, hi))
time_axis(lo, hi) = sprintf('set logscale y 10; set yrange [%g:%g]; set ytics (%s)', \
	time_lo(lo, hi), time_lo(lo, hi) * time_span(lo, hi), time_tics(-4, time_span(lo, hi)))

# A step for at most five ticks on a linear axis that spans x: 1, 2 or 5 and zeros.
decade(x) = 10.0 ** floor(log10(x / 5.0))
nice_step(x) = decade(x) * (x / decade(x) <= 10 ? 2 : x / decade(x) <= 25 ? 5 : 10)

# Bars instead of lines where there is one size only, named by `set xtics add`.
bar_axis(n) = sprintf('unset logscale; set xrange [0.4:%d.6]; set yrange [0:*]; set xtics ()', n).\
	(n > 7 ? "; set xtics rotate by -25 left font ',9'; set bmargin at screen 0.345" : '')

# Title above, machine below.
plural(n, word) = sprintf('%d %s%s', n, word, n == 1 ? '' : 's')
title_line = title.', '.backend.' backend'
machine_line = machine.(strlen(library) ? ', '.backend.' '.library : '')
set label 1 title_line at screen 0.5, screen 0.965 center font ',13'
set label 2 machine_line at screen 0.5, screen 0.035 center textcolor rgb 0x555555
# Both of a picture of one collective, which is named where the run has several. To be evaluated.
title_of(g) = (collectives > 1 ? G_coll[g].': ' : '').title_line
title_font(g) = strlen(title_of(g)) > 100 ? ',10' : ',13'
heading(g) = sprintf('set label 1 title_of(%d) at screen 0.5, screen 0.965 center font title_font(%d); '.\
	'set label 2 machine_line at screen 0.5, screen 0.035 center textcolor rgb 0x555555', g, g)
# Several panels share one title and one key: title and lines below are drawn with the first panel
# and then dropped, the key by a plot of nothing that has the whole width. To be evaluated.
drop_labels = "do for [k in '1 2 3 5 6'] { eval 'unset label '.k }"
key_only = "unset border; unset xtics; unset ytics; unset xlabel; unset ylabel; unset logscale; ".\
	"unset grid; set lmargin at screen 0.05; set rmargin at screen 0.98; set tmargin at screen 0.84; ".\
	"set bmargin at screen 0.2; set xrange [0:1]; set yrange [0:1]"
key_done = "unset key; set border 3 ls 101; set xtics nomirror out autofreq; ".\
	"set ytics nomirror out autofreq"

# What was measured, above the machine's line: set by each picture.
some_of(shown, all) = shown < all ? sprintf('; %d of %d variants', shown, all) : ''
measured(g, text) = sprintf('%s, %s: %s', G_coll[g], plural(G_ranks[g], 'rank'), text)
caption(g, text) = measured(g, text).some_of(variants, variants + left_out)
over_blocks = ', median of '.plural(blocks, 'block')
