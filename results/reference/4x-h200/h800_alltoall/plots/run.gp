# Made by launchgap report from trials.jsonl; read by the files of plot/.
title = 'alltoall on one node, by launch mode'
backend = 'nccl'
prefix = 'nccl'
machine = '4 × NVIDIA H200, Intel(R) Xeon(R) Processor, 64 cores'
library = '2.28.3'
reference = 'threads'
blocks = 10
stretches = 5
calls = 20
isolated_calls = 100
carries_data = 1
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
G_ranks[1] = 4
G_sizes[1] = 10
G_min[1] = 4096.0
G_max[1] = 1073741824.0
G_time_lo[1] = 6.88595
G_time_hi[1] = 2400.08
G_launch_lo[1] = 6.19247
G_launch_hi[1] = 30.8669
G_ratio_lo[1] = 0.281712
G_ratio_hi[1] = 1.08321
G_near[1] = 1.22735
G_coll[2] = 'alltoall'
G_pace[2] = 'isolated'
G_ranks[2] = 4
G_sizes[2] = 10
G_min[2] = 4096.0
G_max[2] = 1073741824.0
G_time_lo[2] = 15.9002
G_time_hi[2] = 2442.49
G_launch_lo[2] = 6.389
G_launch_hi[2] = 30.4327
G_ratio_lo[2] = 0.450374
G_ratio_hi[2] = 1.0725
G_near[2] = 1.23511

# the measured limit; sizes = 0: none
limit_name = 'limit'
limit_coll = 'copy'
limit_sizes = 10
limit_best = 392.19029
