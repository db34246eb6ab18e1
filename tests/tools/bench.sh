#!/bin/sh
# marshal bench pack: one small layout is measured on the host that is asked for, and only there.
. "${srcdir:-.}/tests/tools/expect.sh"

for host in openmpi:'Open MPI' mpich:MPICH; do
  [ -x "tools/marshal-bench-pack-${host%%:*}" ] || continue
  expect 0 'FFT2D' "$marshal" bench pack --mpi "${host%%:*}" --only FFT2D --sizes 256 --segments 32 --rounds 1
  expect 0 "${host#*:}" "$marshal" bench pack "--mpi=${host%%:*}" --only FFT2D --sizes 256 --segments 32 --rounds 1
done
expect 2 'not built for an MPI named lam' "$marshal" bench pack --mpi lam
expect_one_line
finish
