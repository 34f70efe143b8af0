#!/bin/sh
# What `launchgap --version` says is built in: `built_with.sh LIBRARY…` prints it in one line. With
# CUDA NVCC and NCCL_H are in the environment.
said=
say() { said=$said${said:+, }$1; }

if [ -n "$NCCL_H" ]; then
	say "NCCL header $(sed -n 's/^#define NCCL_\(MAJOR\|MINOR\|PATCH\) *\([0-9]*\).*/\2/p' "$NCCL_H" | tr '\n' . | sed 's/\.$//')"
	say "CUDA $("$NVCC" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')"
fi
for library; do
	say "$library $(pkg-config --modversion "$library" 2>/dev/null)"
done
[ -n "$NCCL_H" ] || said="$said; without CUDA and NCCL"
echo "$said"
