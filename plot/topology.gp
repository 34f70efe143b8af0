# What joins the ranks' devices, drawn: NVSwitches above with the NVLinks that lead there, NVLinks between
# two GPUs as arcs, PCIe switches and NUMA nodes below. Vermilion: a device whose links are short of what
# they could be, and a slow pair. No picture where no pairs were measured, or more than 16 ranks.
load plot_dir.'/style.gp'

line(tag, x1, y1, x2, y2, wide, rgb) = sprintf('set arrow %d from first %g, first %g to first %g, first %g nohead lw %g lc rgb %d', \
	tag, x1, y1, x2, y2, wide, rgb)
box(tag, x1, y1, x2, y2, fill, edge) = sprintf('set object %d rectangle from first %g, first %g to first %g, first %g fs solid 1 border rgb %d fc rgb %d', \
	tag, x1, y1, x2, y2, edge, fill)
text(tag, s, at_x, at_y, size) = sprintf("set label %d \"%s\" at first %g, first %g center textcolor rgb %d font '%s' front", \
	tag, s, at_x, at_y, ink, font(size))
first_at(numa) = ((lo = 1e300), (sum [r = 1:pair_ranks] (D_numa[r] == numa && D_at[r] < lo ? (lo = D_at[r], 0) : 0)), lo)
last_at(numa) = ((hi = 0.0), (sum [r = 1:pair_ranks] (D_numa[r] == numa && D_at[r] > hi ? (hi = D_at[r], 0) : 0)), hi)
bridge_lo(b) = ((lo = 1e300), (sum [r = 1:pair_ranks] (D_bridge[r] == b && D_at[r] < lo ? (lo = D_at[r], 0) : 0)), lo)
bridge_hi(b) = ((hi = 0.0), (sum [r = 1:pair_ranks] (D_bridge[r] == b && D_at[r] > hi ? (hi = D_at[r], 0) : 0)), hi)

do for [picture = 1:pair_ranks > 1 && pair_ranks <= 16] {
	n = pair_ranks
	switched = sum [r = 1:n] D_switch[r]
	slows = sum [k = 1:n * n] P_slow[k]
	arcs = sum [k = 1:n * n] (P_links[k] > 0)
	name = prefix.'_topology'
	head = where.': what joins the ranks'
	said = pair_said
	how = 'by NVML and hwloc'.(slows ? '; vermilion arcs: slow pairs, GB/s' : '')
	legend = 0
	body = switched ? 360.0 : 310.0
	load begin
	plot NaN notitle
	load axes
	unset border
	unset grid
	unset tics
	set xlabel ''
	set ylabel ''
	eval area(20, W - 20, top + 4, top + body - 4)
	eval sprintf('set xrange [0.3:%g]; set yrange [-2.4:%g]', n + 0.7, switched ? 2.0 : arcs + slows ? 1.4 : 0.6)
	do for [r = 1:n] {
		m = D_at[r]
		eval box(r, m - 0.42, -0.28, m + 0.42, 0.28, D_short[r] ? 0xFBE3D5 : 0xE8F1F8, D_short[r] ? slow : 0x0072B2)
		eval text(10 + r, sprintf('rank %d', r - 1), m, 0.1, n > 8 ? 8 : 10)
		eval text(30 + r, D_name[r], m, -0.13, n > 8 ? 6 : n > 4 ? 7 : 9)
		if (D_switch[r]) {
			eval line(r, m, 0.28, m, 1.45, 1 + D_switch[r] / 5.0, 0x0072B2)
			eval text(50 + r, sprintf('×%d', D_switch[r]), m + 0.2, 1.28, 9)
		}
		floor = D_bridge[r] ? -0.9 : -1.6
		eval line(20 + r, m, -0.28, m, floor, 2, grey)
		if (strlen(D_pcie[r])) { eval text(70 + r, D_pcie[r], m + (n > 8 ? 0 : 0.3), -0.55, n > 4 ? 7 : 9) }
		if (D_bridge[r] == r) {
			eval box(20 + r, bridge_lo(r) - 0.4, -1.12, bridge_hi(r) + 0.4, -0.9, 0xF2F2F2, grey)
			eval text(90 + r, 'PCIe switch', (bridge_lo(r) + bridge_hi(r)) / 2.0, -1.01, 9)
			eval line(40 + r, (bridge_lo(r) + bridge_hi(r)) / 2.0, -1.12, (bridge_lo(r) + bridge_hi(r)) / 2.0, -1.6, 2, grey)
		}
		if (first_at(D_numa[r]) == m) {
			right = last_at(D_numa[r])
			eval box(40 + r, m - 0.45, -2.1, right + 0.45, -1.6, 0xF2F2F2, 0x666666)
			eval text(110 + r, D_numa[r] < 0 ? 'host' : sprintf('NUMA node %d', D_numa[r]), (m + right) / 2.0, -1.85, 10)
			if (right < n) { eval line(60 + r, right + 0.45, -1.85, right + 0.55, -1.85, 4, 0x666666) }
		}
	}
	if (switched) {
		eval box(80, 0.6, 1.45, n + 0.4, 1.8, 0xE8F1F8, 0x0072B2)
		eval text(130, 'NVSwitches', (n + 1) / 2.0, 1.62, 10)
	}
	# A pair's arc: three straight pieces, higher for those far apart.
	tag = 200
	do for [i = 1:n * n] {
		a = (i - 1) / n + 1
		b = (i - 1) % n + 1
		if (a < b && P_links[i] || P_slow[i]) {
			from = D_at[a]
			to = D_at[b]
			high = 0.45 + 0.09 * abs(to - from) + (P_slow[i] ? 0.12 : 0)
			rgb = P_slow[i] ? slow : 0x0072B2
			wide = P_slow[i] ? 2 : 1 + P_links[i]
			out = P_slow[i] ? 0.12 : 0
			eval line(tag, from + out, 0.28, from + out, high, wide, rgb)
			eval line(tag + 1, from + out, high, to - out, high, wide, rgb)
			eval line(tag + 2, to - out, high, to - out, 0.28, wide, rgb)
			note = P_slow[i] ? sprintf('%d to %d: %s', a - 1, b - 1, number(P_gbs[i])) : sprintf('NVLink ×%d', P_links[i])
			eval text(tag, note, (from + to) / 2.0, high + 0.13, 8)
			tag = tag + 3
		}
	}
	plot NaN notitle
	eval finish
}
