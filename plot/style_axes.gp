# What follows a picture's title and key: the axes of its panels.
unset key
do for [k = 1:9] { unset label k }
unset label 99
set border 3 ls 101
set tics out scale 0.6 textcolor rgb ink
set xtics nomirror autofreq
set ytics nomirror autofreq
set grid xtics ytics ls 100 back
