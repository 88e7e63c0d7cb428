# SPDX-License-Identifier: GPL-2.0-only
# bench.svg, from the tables that run writes
set terminal svg size 900,420 font "sans,12"
set output "bench.svg"
set multiplot layout 1,2
set logscale xy
set format y "10^{%T}"
set xlabel "size of the mapping (MiB)"
set key autotitle columnhead left top
set grid
set title "mmap() and first touch of each page (instructions)"
plot for [i=2:*] "bench-set_up.tsv" using ($1/1048576):i with linespoints
set title "fork() with it mapped (instructions)"
plot for [i=2:*] "bench-fork.tsv" using ($1/1048576):i with linespoints
unset multiplot
