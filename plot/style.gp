# What all pictures share. `dir` is the run's folder, `plot_dir` this one, `out` where pictures go,
# `format` png or svg; each picture is drawn once in both. plots/run.gp says what the run holds.
#
# A picture sets name (of its file), head (what is plotted), said (what it shows: its title), how (it was
# measured), legend (rows of the key) and body (pixels below it), does `load begin`, plots nothing but
# the key, does `load axes`, and plots between top and top + body, in pixels from above; then `eval finish`.
load dir.'/plots/run.gp'
set encoding utf8
csv = "set datafile separator comma; set datafile columnheaders"
eval csv
begin = plot_dir.'/style_begin.gp'
axes = plot_dir.'/style_axes.gp'
finish = 'unset multiplot; unset output'
lines = plot_dir.'/style_lines.gp'
by_bars = plot_dir.'/style_bars.gp'
by_ratios = plot_dir.'/style_ratios.gp'
by_dots = plot_dir.'/style_dots.gp'

W = 760.0
typeface = format eq 'svg' ? 'sans-serif' : 'DejaVu Sans'
font(n) = sprintf('%s,%g', typeface, n * (format eq 'svg' ? 1.18 : 1))
# gnuplot writes the name of an SVG's font as it is, and ":Bold" is part of no name there.
bold(n) = sprintf('%s,%g', typeface.(format eq 'svg' ? '" font-weight="bold' : ':Bold'), n * (format eq 'svg' ? 1.14 : 1))
# gnuplot takes a letter of an SVG for wider and higher than browsers make it.
mark = format eq 'svg' ? 0.75 : 1.0 # marks of an SVG are larger
key_wide = format eq 'svg' ? -2 : 3
key_high = format eq 'svg' ? 1.05 : 1.25
canvas(h) = sprintf("set terminal %s size %d,%d font '%s' noenhanced background '#ffffff'", \
	format eq 'svg' ? 'svg dynamic' : 'pngcairo', W, h, font(10))
x(px) = px / W
y(px) = 1 - px / H
area(left, right, top, bottom) = sprintf('set lmargin at screen %g; set rmargin at screen %g; '.\
	'set tmargin at screen %g; set bmargin at screen %g', x(left), x(right), y(top), y(bottom))

# A text in rows of n characters at most, broken at blanks, though not between a number and its unit.
is_unit(s) = s[1:1] eq '%' || s[1:2] eq 'µs' || s[1:2] eq 'ms' || s[1:4] eq 'GB/s' || strstrt('KiB MiB GiB', s[1:3]) > 0
blank(s, n) = n < 2 || (s[n:n] eq ' ' && !is_unit(s[n + 1:*])) ? n : blank(s, n - 1)
# Capitals are wider, most of all in a title: its rows are short.
capitals(s) = sum [i = 1:strlen(s)] (strstrt('ABCDEFGHIJKLMNOPQRSTUVWXYZ_=', s[i:i]) > 0)
cut(s, n) = cut_at(s, n - int((n > title_wide ? 0.15 : 0.3) * capitals(s[1:n])))
cut_at(s, n) = strlen(s) <= n ? strlen(s) : blank(s, n + 1) > 1 ? blank(s, n + 1) : n
rest(s, n) = s[cut(s, n) + 1:*]
row(s, k, n) = k == 1 ? s[1:cut(s, n)] : row(rest(s, n), k - 1, n)
rows(s, n) = strlen(s) == 0 ? 0 : 1 + rows(rest(s, n), n)
# The title is the first clause of what a picture shows, and further ones as far as one row holds them.
title_wide = 70
# A semicolon in brackets ends no clause.
within(s) = strstrt(s, ')') ? within(s[strstrt(s, ')') + 1:*]) : strstrt(s, '(')
clause(s) = clause_from(s, strstrt(s, '; '))
clause_from(s, at) = !at ? strlen(s) : !within(s[1:at - 1]) ? at - 1 : \
	clause_from(s, strstrt(s[at + 1:*], '; ') ? at + strstrt(s[at + 1:*], '; ') : 0)
clauses(s, n) = n ? n + 2 + clause(s[n + 3:*]) : clause(s)
lead(s, n) = n >= strlen(s) || (n && clauses(s, n) > title_wide) ? n : lead(s, clauses(s, n))
# So many characters of a row that all of its rows are about as long.
even(s, n) = rows(s, n) < 2 || strlen(s) / rows(s, n) + 9 > n || rows(s, strlen(s) / rows(s, n) + 9) > rows(s, n) ? \
	n : strlen(s) / rows(s, n) + 9
short(s, n) = strlen(s) > n ? s[1:n - 1].'…' : s

# A colour means one thing. A mode has its own, from the palette of Okabe and Ito, which any kind
# of colour vision distinguishes; dark is what is of several modes, grey the twin and the limit; purple
# and vermilion are faster and slower, or early and late, where what is shown is no mode.
mode_color(mode) = mode eq 'single' ? 0xE69F00 : mode eq 'threads' ? 0x0072B2 : \
	mode eq 'processes' ? 0x009E73 : 0xCC79A7
several = 0x333333
grey = 0x999999
fast = 0x5E3C99
slow = 0xD55E00
side_of(verdict) = strcol(verdict) eq 'faster' ? 1 : strcol(verdict) eq 'slower' ? -1 : 0 # of its column
effect(side) = side > 0 ? fast : side < 0 ? slow : grey
ink = 0x444444
color(i) = V_role[i] eq 'again' ? grey : mode_color(V_mode[i])
# Dash and marker say what else a variant's name says: its family.
mode_shape(mode) = mode eq 'single' ? 5 : mode eq 'threads' ? 7 : mode eq 'processes' ? 9 : 13
set dashtype 6 (14, 3)
set dashtype 7 (2, 2, 9, 2)
nth_dash(n) = int(word('1 2 4 5 6 7', 1 + n % 6))
dash(i) = V_role[i] eq 'again' ? 3 : nth_dash(V_family[i])
shape(i) = V_role[i] eq 'again' ? 2 : V_family[i] < 2 ? mode_shape(V_mode[i]) - V_family[i] : \
	int(word('1 3 14 10', 1 + (V_family[i] - 2) % 4))
width(i) = V_role[i] eq 'reference' ? 3.5 : 1.8
# What an axis's label ends with: the functions that choose an axis set it, a picture begins without.
said_log(axis) = sprintf("log_%s = ' (log)'", axis)
said_linear(axis) = sprintf("log_%s = ''", axis)

# Sizes on a logarithmic axis, a name wherever there is room for it: list is the sizes in the axis,
# wide its pixels. To be evaluated.
size_label(b) = b < 1024 ? sprintf('%.3g B', b) : b < 1048576 ? sprintf('%.3g KiB', b / 1024) : \
	b < 1073741824 ? sprintf('%.3g MiB', b / 1048576) : sprintf('%.3g GiB', b / 1073741824)
size_of(list, n) = real(word(list, n))
size_at(list, n, wide) = words(list) < 2 ? 0 : \
	wide * log(size_of(list, n) / size_of(list, 1)) / log(size_of(list, words(list)) / size_of(list, 1))
size_tics(list, n, last, wide) = n > words(list) ? '' : n > 1 && size_at(list, n, wide) - last < 58 ? \
	size_tics(list, n + 1, last, wide) : sprintf("%s'%s' %s", n > 1 ? ', ' : '', \
	bare ? '' : size_label(size_of(list, n)), word(list, n)).size_tics(list, n + 1, size_at(list, n, wide), wide)
size_pixel(list, wide) = words(list) < 2 ? 4.0 / wide : \
	log(size_of(list, words(list)) / size_of(list, 1)) / (wide - 2 * pad)
size_axis(list, wide) = said_log('x').sprintf('; set logscale x 2; set xrange [%g:%g]; set xtics (%s)', \
	size_of(list, 1) / exp(size_pixel(list, wide) * (words(list) < 2 ? wide / 2 : pad)), \
	size_of(list, words(list)) * exp(size_pixel(list, wide) * (words(list) < 2 ? wide / 2 : pad)), \
	size_tics(list, 1, 0, wide - 2 * pad))
marked = 0 # 1: lines by size show where the library's choice changes
bare = 0 # 1: ticks without names
pad = 18 # pixels beside the first and the last

# Numbers on a logarithmic axis, so many pixels long, which spans a factor of four at least, so that what
# is nearly equal looks so. The more pixels a decade has, the more ticks.
log_tic(v) = v < 1e4 ? sprintf("'%g' %g", v, v) : sprintf("'%gk' %g", v / 1000, v)
log_tics(e, each, room) = log_tic(10.0**e).(room < 110 ? '' : ', '.log_tic(2 * 10.0**e).', '.log_tic(5 * 10.0**e)).\
	(room < 280 ? '' : ', '.log_tic(1.5 * 10.0**e).', '.log_tic(3 * 10.0**e).', '.log_tic(4 * 10.0**e).\
	', '.log_tic(7 * 10.0**e)).(e + each > 9 ? '' : ', '.log_tics(e + each, each, room))
log_span(lo, hi) = hi / lo * 1.5625 < 4 ? 4.0 : hi / lo * 1.5625
log_lo(lo, hi) = sqrt(lo * hi / log_span(lo, hi))
log_axis(axis, lo, hi, long) = log_axis_of(axis, lo, hi, (axis eq 'x' ? 1.0 : 2.0) * long / log10(log_span(lo, hi)))
log_axis_of(axis, lo, hi, room) = said_log(axis).sprintf('; set logscale %s 10; set %srange [%g:%g]; set %stics (%s)', axis, axis, \
	log_lo(lo, hi), log_lo(lo, hi) * log_span(lo, hi), axis, log_tics(-4, room < 20 ? 3 : room < 40 ? 2 : 1, room))

# Ratios: an axis, so many pixels long, that holds lo and hi, linear as long as these are not far apart.
ratio_axis(axis, lo, hi, long) = hi / lo > 3 ? said_log(axis).sprintf('; set logscale %s 2; set format %s "%%g"; set %srange [%g:%g]; set %stics (%s)', \
	axis, axis, axis, lo / 1.12, hi * 1.12, axis, hi / lo > 40 ? '0.001, 0.01, 0.1, 1, 10, 100, 1000' : \
	hi / lo > 12 ? '0.03, 0.06, 0.125, 0.25, 0.5, 1, 2, 4, 8, 16, 32' : \
	'0.125, 0.18, 0.25, 0.35, 0.5, 0.7, 1, 1.4, 2, 2.8, 4, 5.6, 8') : \
	said_linear(axis).sprintf('; unset logscale %s; set %srange [%g:%g]; set %stics %g', axis, axis, \
	lo - 0.08 * (hi - lo), hi + 0.08 * (hi - lo), axis, nice_step((hi - lo) * 160.0 / long))
# A step for at most five ticks on a linear axis that spans v: 1, 2 or 5 and zeros.
decade(v) = 10.0 ** floor(log10(v / 5.0))
nice_step(v) = decade(v) * (v / decade(v) <= 10 ? 2 : v / decade(v) <= 25 ? 5 : 10)
number(v) = v < 0.1 ? sprintf('%#.2g', v) : v < 1 ? sprintf('%.3f', v) : v < 10 ? sprintf('%.2f', v) : \
	v < 100 ? sprintf('%.1f', v) : sprintf('%.0f', v)
# Of numbers where one may not be known.
least(a, b) = a != a || b < a ? b : a
most(a, b) = a != a || b > a ? b : a

# Rows of $summary and $ranks: of a group, of a variant in it, and a figure of that one.
of_group(g) = strcol('what') eq G_coll[g] && strcol('pace') eq G_pace[g]
of_variant(i, g) = strcol('variant') eq V_name[i] && of_group(g)
of_any(g) = of_group(g) && (sum [i = 1:variants] (strcol('variant') eq V_name[i])) > 0
pick(i, g, col) = of_variant(i, g) ? column(col) : NaN
# Of $summary the rows of the measured limit.
of_limit(col) = strcol('role') eq 'limit' && strcol('pace') eq 'stream' ? column(col) : NaN

# What an axis has to hold, [lo, hi]: `eval nothing`, then `eval extent(…)` widens it by the positive
# figures among what the expression gives for each row of a block.
nothing = 'lo = 1e300; hi = 0.0'
widen(v) = (lo = v > 0 && v < lo ? v : lo, hi = v > hi ? v : hi, 0)
known(col) = strcol(col) eq 'NaN' ? 0 : column(col) # column() of NaN makes the whole row invalid
# An end of a ratio's interval; the ratio itself where there is none.
end_of(col, to) = strcol(col.to) eq 'NaN' || strcol(col.to) eq '' ? col : col.to
end(col, to) = column(end_of(col, to))
# A figure's interval against the reference, by its ratio's.
from_ratio(col, to) = column(col) * (known('ratio'.to) > 0 && known('ratio') > 0 ? column('ratio'.to) / column('ratio') : 1)
against_of = comparable && blocks >= 6 ? '; whiskers: 95 % intervals against '.reference : ''
extent(block, expression) = sprintf('stats [*:*] [*:*] %s using (widen(%s)) nooutput', block, expression)
# Of a group's figure; hi is 0 where there is none.
extent_of(g, col) = extent('$summary', sprintf("of_any(%d) ? known('%s') : 0", g, col))

# Of one size or two there are no lines to follow: a row for each variant.
few(g) = G_sizes[g] <= 2
# Whether a picture by size would have one level line: nothing in it differs by as much as 5 %.
flat(g) = G_sizes[g] > 1 && hi < 1.05 * lo
# What grey says in a picture of effects.
grey_means(n) = n < 6 ? 'grey: no interval below 6 blocks' : \
	sprintf('grey: interval not wholly beyond %.3g %% and the A/A line', 100 * margin)
plural(n, noun) = sprintf('%d %s%s', n, noun, n == 1 ? '' : 's')
# Of a step of training a size is that at which a bucket is full.
in_buckets(g) = G_coll[g][1:4] eq 'ddp_'
sizes_of(g) = in_buckets(g) ? 'a bucket is full at' : 'size per rank'
by_size(g) = G_sizes[g] > 1 ? (in_buckets(g) ? ' by bucket size' : ' by message size') : ' at '.size_label(G_max[g])
head_of(coll, what) = coll.', '.where.': '.what
over_blocks = 'median of '.plural(blocks, 'block')
# Of a search its sets, a row each below all else.
sets = exists('finalists_rows') ? finalists_rows : 0
set_said(k) = finalists_set[k].': '.finalists_settings[k]
broken(s, n) = cut(s, n) >= strlen(s) ? s : row(s, 1, n)."\n   ".broken(rest(s, n), n)
sets_said = ''
set_rows = 0
add_set(s) = (sets_said = sets_said."\n".broken(s, 96), set_rows = set_rows + rows(s, 96))
do for [k = 1:sets] { added = add_set(set_said(k)) }
shown_of = left_out ? sprintf('; %d of %d variants', variants, variants + left_out) : ''
