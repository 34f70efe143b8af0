# What an axis holds of the ratios of group g, of the rows of $summary that `here` takes, [lo, hi]: the ratios, `around`
# margins on either side of 1, and whiskers as far as half of the axis or 50 %; longer ones end without a cap.
# `outside` is the variant that would leave the others in one place, one of six or more, which take less than a sixth
# of an axis that holds it: it is named at the axis's end. 0: none.
ratios_of(i, col) = sprintf("strcol('variant') eq V_name[%d] && of_group(%d) && (%s) ? known('%s') : 0", i, g, here, col)
array ratio_lo[variants]
array ratio_hi[variants]
array whisker_lo[variants]
array whisker_hi[variants]
outside = 0
present = 0
do for [i = 2:variants] {
	eval nothing
	eval extent('$summary', ratios_of(i, 'ratio'))
	ratio_lo[i] = hi > 0 ? lo : 1.0
	ratio_hi[i] = hi > 0 ? hi : 1.0
	present = present + (hi > 0)
	eval extent('$summary', ratios_of(i, 'ratio_lo'))
	eval extent('$summary', ratios_of(i, 'ratio_hi'))
	whisker_lo[i] = hi > 0 ? lo : 1.0
	whisker_hi[i] = hi > 0 ? hi : 1.0
	far(i) = most(-log(ratio_lo[i]), log(ratio_hi[i]))
	outside = outside && far(i) <= far(outside) ? outside : i
}
do for [all = 0:1] { # without the farthest; then with it, if it is not so far
	lo = 1 / (1 + around * margin)
	hi = 1 + around * margin
	do for [i = 2:variants] {
		lo = i == outside ? lo : least(lo, ratio_lo[i])
		hi = i == outside ? hi : most(hi, ratio_hi[i])
	}
	from = least(lo * (lo / hi) ** 2, 0.67)
	to = most(hi * (hi / lo) ** 2, 1.5)
	do for [i = 2:variants] {
		lo = i == outside ? lo : least(lo, most(from, whisker_lo[i]))
		hi = i == outside ? hi : most(hi, least(to, whisker_hi[i]))
	}
	outside = outside && present >= 6 && far(outside) > 6 * log(hi / lo) ? outside : 0
}
if (outside) {
	outside_low = -log(ratio_lo[outside]) > log(ratio_hi[outside])
	outside_said = (outside_low ? '↓ ' : '↑ ').V_label[outside].': '.number(ratio_lo[outside]).\
		(number(ratio_lo[outside]) eq number(ratio_hi[outside]) ? '' : ' to '.number(ratio_hi[outside])).', beyond this axis'
}
