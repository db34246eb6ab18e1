#!/bin/sh
# marshal bench pack: one small layout is measured on the host that is asked for, and only there; times, counts, and fixed costs.
# marshal bench rankmap: what needs no time. marshal bench planning and order: small grids.
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
[ -z "$built" ] || expect 0 'MPI_Pack_size, vector of 4 blocks' "$marshal" bench pack --mpi "$built" --fixed --rounds 1
[ -z "$built" ] || expect 0 'nested structs, in one message' printf '%s\n' "$out"
[ -z "$built" ] || expect 0 'NAS_MG_x                16773632 passed over: takes ' "$marshal" bench pack --mpi "$built" --only NAS_MG_x --sizes 16777216
if [ -n "$built" ] && command -v valgrind > /dev/null; then
  expect 0 'instructions' "$marshal" bench pack --mpi "$built" --only FFT2D --sizes 256 --segments 32 --counts
fi
expect 2 'not built for an MPI named lam' "$marshal" bench pack --mpi lam
expect_one_line

# marshal bench messages: one layout, every call, verified.
for host in openmpi mpich; do
  [ -x "tools/marshal-bench-messages-$host" ] || continue
  expect 0 'Neighbor_alltoallw  ddtbench/FFT2D' "$marshal" bench messages --mpi "$host" --only FFT2D --sizes 4096 --rounds 1
  expect 0 '"host_to"' "$marshal" bench messages --mpi "$host" --only FFT2D --sizes 4096 --rounds 1 --calls halo --json
  expect 0 'list of 8 blocks, in one MPI_Put' "$marshal" bench messages --mpi "$host" --brief
  expect 0 '"cpu_ns"' "$marshal" bench messages --mpi "$host" --brief --json
  expect 0 'without Marshal' "$marshal" bench messages --mpi "$host" --bare --only blocks/512_B --sizes 4096 --rounds 1 --calls halo
done
expect 2 'not built for an MPI named lam' "$marshal" bench messages --mpi lam
expect 2 'it is shm or tcp' "$marshal" bench messages --transport pigeon

expect 0 '724800 B' "$marshal" bench rankmap claims
expect 0 '"memory-claims"' "$marshal" bench rankmap claims --json
expect 2 '--mpi measures the sections groups, translation and creation only' "$marshal" bench rankmap memory --mpi
expect_one_line
expect 0 'scattered half to permuted         1M ' "$marshal" bench rankmap translation --rounds 1

expect 0 '32x32       1024' "$marshal" bench planning --grids 32x32,8x8x8 --ppn 16 --shared-by 4 --rounds 1
expect 0 '"grid": "8x8x8"' "$marshal" bench planning --grids 8x8x8 --rounds 1 --json
expect 2 "bench planning: --grids: 'y' is no number" "$marshal" bench planning --grids 8xy
expect_one_line

expect 0 'geometric mean' "$marshal" bench order --grids 8x6/8 --large 4x4x4/8
expect 0 'mesh.traffic' "$marshal" bench order --large 8x4x4/16 --make "$scratch/mesh"
expect 0 '128 ranks on 8 nodes of 16 processes' "$marshal" order "$scratch/mesh.traffic"
expect 0 '851968' "$marshal" bench order --gather 32768/64 --json
# Fewer processes than 26 neighbours and one: each has all others.
expect 0 '380' "$marshal" bench order --gather 20/4 --json
expect 0 '"speed"' "$marshal" bench order --grids 4x4/4 --large 4x4x4/8 --json
expect 2 "bench order: --grids: '8x6' is not a grid / processes a node" "$marshal" bench order --grids 8x6
expect_one_line
finish
