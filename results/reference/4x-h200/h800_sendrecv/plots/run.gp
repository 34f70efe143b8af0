# Made by launchgap report from trials.jsonl; read by the files of plot/.
title = 'sendrecv on one node, by launch mode'
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
G_coll[1] = 'sendrecv'
G_pace[1] = 'stream'
G_ranks[1] = 4
G_sizes[1] = 10
G_min[1] = 4096.0
G_max[1] = 1073741824.0
G_time_lo[1] = 7.08215
G_time_hi[1] = 2979.82
G_launch_lo[1] = 5.01685
G_launch_hi[1] = 23.5377
G_ratio_lo[1] = 0.381318
G_ratio_hi[1] = 1.03301
G_near[1] = 1.14152
G_coll[2] = 'sendrecv'
G_pace[2] = 'isolated'
G_ranks[2] = 4
G_sizes[2] = 10
G_min[2] = 4096.0
G_max[2] = 1073741824.0
G_time_lo[2] = 15.4418
G_time_hi[2] = 3029.12
G_launch_lo[2] = 5.4905
G_launch_hi[2] = 24.1693
G_ratio_lo[2] = 0.561721
G_ratio_hi[2] = 1.03196
G_near[2] = 1.09528

# the measured limit; sizes = 0: none
limit_name = 'limit'
limit_coll = 'copy'
limit_sizes = 10
limit_best = 392.25498
