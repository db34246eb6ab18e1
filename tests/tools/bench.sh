#!/bin/sh
# marshal bench pack: one small layout is measured on the host that is asked for, and only there; times, and types that live briefly.
# marshal bench rankmap, files and overhead: tables and JSON.
. "${srcdir:-.}/tests/tools/expect.sh"

built=
for host in openmpi:'Open MPI' mpich:MPICH; do
  [ -x "tools/marshal-bench-pack-${host%%:*}" ] || continue
  built=${host%%:*}
  expect 0 'FFT2D' "$marshal" bench pack --mpi "$built" --only FFT2D --sizes 256 --segments 32 --rounds 1
  expect 0 "${host#*:}" "$marshal" bench pack "--mpi=$built" --only FFT2D --sizes 256 --segments 32 --rounds 1
  expect 0 'marshal against host (warm)' printf '%s\n' "$out"
  expect 0 'again against host (warm)' printf '%s\n' "$out"
done
[ -z "$built" ] || expect 0 'marshal against host (cold)' "$marshal" bench pack --mpi "$built" --only FFT2D --sizes 256 --segments 32 --rounds 1 --cold
[ -z "$built" ] || expect 0 'a new vector of 64 blocks, packed 3 times' "$marshal" bench pack --mpi "$built" --fixed --rounds 1
[ -z "$built" ] || expect 0 'NAS_MG_x of 16773632 B passed over: takes ' "$marshal" bench pack --mpi "$built" --only NAS_MG_x --sizes 16777216
expect 2 'not built for an MPI named lam' "$marshal" bench pack --mpi lam
expect_one_line

# marshal bench messages: one layout, every call, verified.
for host in openmpi mpich; do
  [ -x "tools/marshal-bench-messages-$host" ] || continue
  expect 0 'Neighbor_alltoallw  ddtbench/FFT2D' "$marshal" bench messages --mpi "$host" --only FFT2D --sizes 4096 --rounds 1
  expect 0 "\"$host-means\"" "$marshal" bench messages --mpi "$host" --only FFT2D --sizes 4096 --rounds 1 --calls halo --json
  expect 0 'list of 8 blocks, in one MPI_Put' "$marshal" bench messages --mpi "$host" --brief
  expect 0 '"ns"' "$marshal" bench messages --mpi "$host" --brief --json
  expect 0 'without Marshal' "$marshal" bench messages --mpi "$host" --bare --only blocks/512_B --sizes 4096 --rounds 1 --calls halo
done
expect 2 'not built for an MPI named lam' "$marshal" bench messages --mpi lam
expect 2 'pigeon not in {shm,tcp}' "$marshal" bench messages --transport pigeon

expect 0 '724800 B' "$marshal" bench rankmap claims
expect 0 '"memory-claims"' "$marshal" bench rankmap claims --json
expect 0 'published, AV-Rankmap' "$marshal" bench rankmap rates --rounds 1
finish
