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
ranks = exists('pairs_rows') ? link_ranks_rows : 0
first_at(node) = ((lo = 1e300), (sum [r = 1:ranks] (link_ranks_node[r] == node && link_ranks_at[r] < lo ? (lo = link_ranks_at[r], 0) : 0)), lo)
last_at(node) = ((hi = 0.0), (sum [r = 1:ranks] (link_ranks_node[r] == node && link_ranks_at[r] > hi ? (hi = link_ranks_at[r], 0) : 0)), hi)
bridge_lo(b) = ((lo = 1e300), (sum [r = 1:ranks] (link_ranks_bridge[r] == b && link_ranks_at[r] < lo ? (lo = link_ranks_at[r], 0) : 0)), lo)
bridge_hi(b) = ((hi = 0.0), (sum [r = 1:ranks] (link_ranks_bridge[r] == b && link_ranks_at[r] > hi ? (hi = link_ranks_at[r], 0) : 0)), hi)
# NVLinks that lead from a to b, both from 1; pairs have no row of one rank.
links(a, b) = link_matrix_nvlinks[(a - 1) * ranks + b]
pair_at(a, b) = (a - 1) * (ranks - 1) + b - (b > a)
slow_pair(a, b) = a == b ? 0 : strlen(pairs_remark[pair_at(a, b)]) > 0

do for [picture = 1:ranks > 1 && ranks <= 16] {
	n = ranks
	switched = sum [r = 1:n] link_ranks_to_switch[r]
	slows = sum [a = 1:n] sum [b = 1:n] slow_pair(a, b)
	arcs = sum [a = 1:n] sum [b = 1:n] (links(a, b) > 0)
	name = prefix.'_topology'
	head = where.': what joins the ranks'
	said = said_pairs
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
		m = link_ranks_at[r]
		eval box(r, m - 0.42, -0.28, m + 0.42, 0.28, strlen(link_ranks_remark[r]) ? 0xFBE3D5 : 0xE8F1F8, strlen(link_ranks_remark[r]) ? slow : 0x0072B2)
		eval text(10 + r, sprintf('rank %d', r - 1), m, 0.1, n > 8 ? 8 : 10)
		eval text(30 + r, link_ranks_name[r], m, -0.13, n > 8 ? 6 : n > 4 ? 7 : 9)
		if (link_ranks_to_switch[r]) {
			eval line(r, m, 0.28, m, 1.45, 1 + link_ranks_to_switch[r] / 5.0, 0x0072B2)
			eval text(50 + r, sprintf('×%d', link_ranks_to_switch[r]), m + 0.2, 1.28, 9)
		}
		floor = link_ranks_bridge[r] ? -0.9 : -1.6
		eval line(20 + r, m, -0.28, m, floor, 2, grey)
		if (strlen(link_ranks_pcie_now[r])) { eval text(70 + r, link_ranks_pcie_now[r], m + (n > 8 ? 0 : 0.3), -0.55, n > 4 ? 7 : 9) }
		if (link_ranks_bridge[r] == r) {
			eval box(20 + r, bridge_lo(r) - 0.4, -1.12, bridge_hi(r) + 0.4, -0.9, 0xF2F2F2, grey)
			eval text(90 + r, 'PCIe switch', (bridge_lo(r) + bridge_hi(r)) / 2.0, -1.01, 9)
			eval line(40 + r, (bridge_lo(r) + bridge_hi(r)) / 2.0, -1.12, (bridge_lo(r) + bridge_hi(r)) / 2.0, -1.6, 2, grey)
		}
		if (first_at(link_ranks_node[r]) == m) {
			right = last_at(link_ranks_node[r])
			eval box(40 + r, m - 0.45, -2.1, right + 0.45, -1.6, 0xF2F2F2, 0x666666)
			eval text(110 + r, link_ranks_node[r] ? sprintf('NUMA node %d', link_ranks_node[r] - 1) : 'host', (m + right) / 2.0, -1.85, 10)
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
		late = slow_pair(a, b)
		if (a < b && links(a, b) || late) {
			from = link_ranks_at[a]
			to = link_ranks_at[b]
			high = 0.45 + 0.09 * abs(to - from) + (late ? 0.12 : 0)
			rgb = late ? slow : 0x0072B2
			wide = late ? 2 : 1 + links(a, b)
			out = late ? 0.12 : 0
			eval line(tag, from + out, 0.28, from + out, high, wide, rgb)
			eval line(tag + 1, from + out, high, to - out, high, wide, rgb)
			eval line(tag + 2, to - out, high, to - out, 0.28, wide, rgb)
			note = late ? sprintf('%d to %d: %s', a - 1, b - 1, number(pairs_gbs[pair_at(a, b)])) : sprintf('NVLink ×%d', links(a, b))
			eval text(tag, note, (from + to) / 2.0, high + 0.13, 8)
			tag = tag + 3
		}
	}
	plot NaN notitle
	eval finish
}
