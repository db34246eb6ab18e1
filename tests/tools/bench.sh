#!/bin/sh
# marshal bench pack: one small layout is measured on the host that is asked for, and only there. marshal bench rankmap: what needs no time.
. "${srcdir:-.}/tests/tools/expect.sh"

for host in openmpi:'Open MPI' mpich:MPICH; do
  [ -x "tools/marshal-bench-pack-${host%%:*}" ] || continue
  expect 0 'FFT2D' "$marshal" bench pack --mpi "${host%%:*}" --only FFT2D --sizes 256 --segments 32 --rounds 1
  expect 0 "${host#*:}" "$marshal" bench pack "--mpi=${host%%:*}" --only FFT2D --sizes 256 --segments 32 --rounds 1
done
expect 2 'not built for an MPI named lam' "$marshal" bench pack --mpi lam
expect_one_line

expect 0 '724800 B' "$marshal" bench rankmap claims
expect 0 '"memory-claims"' "$marshal" bench rankmap claims --json
expect 2 '--mpi measures the sections groups and creation only' "$marshal" bench rankmap memory --mpi
expect_one_line
finish
