#!/bin/sh
# marshal bench cart: measured and predicted ratios of one mapper on each host, with a limited network where this machine allows it and
# without where not.
. "${srcdir:-.}/tests/tools/expect.sh"

small='--nodes 2 --ppn 4 --grids 2x4 --bytes 65536 --meshes 64 --rounds 1 --mappers best'
for host in openmpi mpich; do
  [ -x "tools/marshal-bench-cart-$host" ] || continue
  expect 0 '"measured_ratio"' "$marshal" bench cart --mpi $host $small --rate 400mbit --json
  # Two rows of four become two halves of 2 x 2: what leaves a node is halved.
  case $out in *'"jmax_given": 4'*'"jmax_mapped": 2'*) ;; *) wrong "Jmax is not 4 -> 2: $out" ;; esac
  case $out in *'"limited": true'* | *'measured without a limit'*) ;; *) wrong "no limit, and no word of it: $out" ;; esac
  checks=$((checks + 2))
  expect 0 'measured without a limit' "$marshal" bench cart --mpi $host $small --way launcher
  case $out in *'predicted for one of 100 gbit'*'measured beside predicted'*) ;; *) wrong "$out" ;; esac
  checks=$((checks + 1))
done
expect 2 '4x4 does not have 32 cells' "$marshal" bench cart --grids 4x4
expect_one_line
expect 2 "unknown mapper 'scotch'" "$marshal" bench cart --mappers scotch
expect 2 'none, or a number and kbit, mbit or gbit' "$marshal" bench cart --rate 200
finish
