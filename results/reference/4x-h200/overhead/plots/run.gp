# Made by launchgap report from trials.jsonl; read by the files of plot/.
title = 'what the harness costs, by launch mode'
backend = 'null'
prefix = 'null'
machine = 'Intel(R) Xeon(R) Processor, 64 cores'
library = ''
reference = 'threads'
blocks = 10
stretches = 20
calls = 100
isolated_calls = 500
carries_data = 0
comparable = 1
crowded = 0

# the variants; nth: of its mode, from 1
variants = 4
array V_name[4] = ['single', 'threads', 'processes', 'threads-again']
array V_label[4] = ['single', 'threads', 'processes', 'threads again (A/A)']
array V_mode[4] = ['single', 'threads', 'processes', 'threads']
array V_role[4] = ['variant', 'reference', 'variant', 'again']
array V_nth[4] = [1, 1, 1, 2]

# one per collective and pace, and what its axes have to hold
groups = 2
array G_coll[2]
array G_pace[2]
array G_ranks[2]
array G_sizes[2]
array G_min[2]
array G_max[2]
array G_time_lo[2]
array G_time_hi[2]
array G_launch_lo[2]
array G_launch_hi[2]
array G_ratio_lo[2]
array G_ratio_hi[2]
array G_near[2]
G_coll[1] = 'alltoall'
G_pace[1] = 'stream'
G_ranks[1] = 8
G_sizes[1] = 1
G_min[1] = 4096.0
G_max[1] = 4096.0
G_time_lo[1] = 0.03338
G_time_hi[1] = 0.184773
G_launch_lo[1] = 0.0320075
G_launch_hi[1] = 0.180925
G_ratio_lo[1] = 0.184603
G_ratio_hi[1] = 1.44162
G_near[1] = 1.25
G_coll[2] = 'alltoall'
G_pace[2] = 'isolated'
G_ranks[2] = 8
G_sizes[2] = 1
G_min[2] = 4096.0
G_max[2] = 4096.0
G_time_lo[2] = 0.3775
G_time_hi[2] = 0.738575
G_launch_lo[2] = 0.059
G_launch_hi[2] = 0.195
G_ratio_lo[2] = 0.607141
G_ratio_hi[2] = 1.07515
G_near[2] = 1.07515

# the measured limit; sizes = 0: none
limit_name = ''
limit_coll = ''
limit_sizes = 0
limit_best = NaN
