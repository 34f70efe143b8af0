# Begins a picture: see style.gp.
reset
eval csv
said_rows = rows(said, 118)
said_more = said_rows > 3 ? '…' : ''
said_rows = said_rows > 3 ? 3 : said_rows
key_top = 34.0 + 17 * said_rows
top = key_top + (legend ? 20.0 * legend + 6 : 0)
H = top + body + 46
eval canvas(H)
if (format eq 'png') {
	set print out.'/pictures.txt' append
	print name."\t".head."\t".said
	set print
}
set output out.'/'.name.'.'.format
set multiplot
set label 1 head at screen x(16), screen y(20) left font font(strlen(head) > 104 ? 9.5 : strlen(head) > 86 ? 11 : 13)
do for [k = 1:said_rows] {
	set label 1 + k row(said, k, 118).(k == 3 ? said_more : '') at screen x(16), screen y(25 + 17 * k) left textcolor rgb ink
}
set label 8 how at screen x(16), screen y(H - 28) left textcolor rgb 0x777777 font font(9)
set label 9 machine at screen x(16), screen y(H - 12) left textcolor rgb 0x777777 font font(9)
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
set key at screen x(16), screen y(key_top) left top vertical maxrows legend + 1 Left reverse \
	samplen 3 width 0 spacing key_high
