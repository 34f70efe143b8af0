# Begins a picture, see style.gp: the title says what it shows, small text below it what is plotted.
reset
eval csv
eval said_linear('x')
eval said_linear('y')
titled = strlen(said) > 0
headline = titled ? said[1:lead(said, 0)] : head
title_row = even(headline, title_wide)
more = titled ? said[lead(said, 0) + 3:*] : ''
title_rows = rows(headline, title_wide) < 4 ? rows(headline, title_wide) : 4
said_rows = rows(more, 100) < 3 ? rows(more, 100) : 3
more_top = 8.0 + 20 * title_rows
head_rows = titled ? rows(head, 104) : 0
key_top = more_top + 17 * (said_rows + head_rows) + 7
top = key_top + (legend ? 20.0 * legend + 6 : 0)
how_rows = rows(how, 104)
foot = 16 * (how_rows + set_rows)
H = top + body + 30 + foot
eval canvas(H)
if (format eq 'png') {
	set print out.'/pictures.txt' append
	print name."\t".head."\t".said
	set print
}
set output out.'/'.name.'.'.format
set multiplot
do for [k = 1:title_rows] {
	set label k row(headline, k, title_row).(k == 4 && rows(headline, title_wide) > 4 ? '…' : '') at screen x(16), screen y(20 * k) \
		left font bold(12.5)
}
do for [k = 1:said_rows] {
	set label 4 + k row(more, k, 100).(k == 3 && rows(more, 100) > 3 ? '…' : '') at screen x(16), screen y(more_top + 17 * k - 6) \
		left textcolor rgb ink
}
if (titled) {
	set label 99 broken(head, 104) at screen x(16), screen y(key_top + 4 - 17 * head_rows) left textcolor rgb 0x666666
}
set label 8 broken(how, 104) at screen x(16), screen y(H - 12 - foot) left textcolor rgb 0x666666
set label 9 broken(machine, 104).sets_said at screen x(16), screen y(H - 12 - 16 * set_rows) left textcolor rgb 0x666666
set style line 100 lc rgb 0xE2E2E2 lw 1
set style line 101 lc rgb 0x666666 lw 1
# Title, notes and key are of the whole picture: the key by a plot of nothing.
unset border
unset tics
set lmargin at screen 0
set rmargin at screen 1
set tmargin at screen 1
set bmargin at screen 0
set xrange [0:1]
set yrange [0:1]
set key at screen x(16), screen y(key_top) left top vertical maxrows most(1, legend) Left reverse \
	samplen 3 width key_wide spacing key_high
