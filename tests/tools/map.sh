#!/bin/sh
# marshal map: the slides' table, the formats, and an assignment whose sums anybody can check.
. "${srcdir:-.}/tests/tools/expect.sh"
cd "$scratch" || exit 99

# "Using Node Information to Implement MPI Cartesian Topologies", comparing on- and off-node communication.
expect 0 '1/2/1.875' "$marshal" map --dims 128x128 --nodes 1024 --ppn 16 --periodic 1 --mapper nodecart
for value in 2/3/2.125 2/4/3.000 0/2/1.000 '4x4 a node'; do holds "$value"; done
expect 0 '1/2/1.875' "$marshal" map --dims 16x32x32 --nodes 1024 --ppn 16 --periodic 1 --mapper nodecart
for value in 4/5/4.125 3/4/3.500 2/3/2.500; do holds "$value"; done

# Every mapper has its row, or a reason.
expect 0 'lower bound' "$marshal" map --dims 12x8 --nodes 8 --ppn 12 --mapper all --effort 40K
for mapper in given nodecart hyperplane kdtree strips search best; do holds "
  $mapper "; done
expect 0 'nodecart does not apply: nodes differ in size (24 and 36 processes)' "$marshal" map --dims 12x10 --sizes 24,36,24,36 --mapper all --effort 40K

# The three formats say the same.
best='map --dims 13x11 --sizes 30,40,73 --periodic 1,0 --weights 3,1 --mapper strips'
expect 0 '"jsum"' "$marshal" $best --json --assignment cells --svg grid.svg
printf '%s' "$out" > all.json
expect 0 'mapper,jsum,' "$marshal" $best --csv
printf '%s\n' "$out" > all.csv
[ "$(sed -n 's/^ *"jsum": \(.*\),/\1/p' all.json | tr '\n' ' ')" = "$(awk -F, 'NR > 1 { printf "%s ", $2 }' all.csv)" ] || wrong 'JSON and CSV have other sums'
# Row-major cells; pairs in each dimension, the first one wrapping around with weight 3.
by_hand=$(awk '{ node[NR - 1] = $1 } END {
  for (i = 0; i < 13; ++i) for (j = 0; j < 11; ++j) {
    if (node[i * 11 + j] != node[(i + 1) % 13 * 11 + j]) sum += 6
    if (j < 10 && node[i * 11 + j] != node[i * 11 + j + 1]) sum += 2
  }
  print sum }' cells)
[ "$by_hand" = "$(sed -n '$p' all.csv | cut -d, -f2)" ] || wrong "Jsum counted from the assignment: $by_hand, in the table: $(sed -n '$p' all.csv)"
[ "$(sort cells | uniq -c | awk '{ print $1 }' | sort -n | tr '\n' ' ')" = '30 40 73 ' ] || wrong "not the sizes of the nodes: $(sort cells | uniq -c)"

# A picture is a well-formed document with both orders and the metrics.
if command -v python3 > /dev/null; then
  python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' grid.svg || wrong 'the picture is not XML'
fi
out=$(cat grid.svg)
for text in 'given order' strips "Jsum $by_hand"; do holds "$text"; done

# The inside of nodes, where hwloc can be loaded.
expect 0 'inside nodes: weight between package domains' "$marshal" map --dims 50x48 --topology 'nodes:50 package:2 core:24 pu:1' --mapper nodecart

# Switches above the nodes: a second table, and whole nodes that trade places.
printf 'left: node0,node2\nright: node1,node3\n' > switches
expect 0 'best: levels: whole nodes moved' "$marshal" map --dims 8x2 --ppn 4 --topology-file switches
out=$(printf '%s\n' "$out" | tr -s ' ')
for text in 'weight between switches' ' given 12 1.000 6 1.000' ' best 4 0.333 2 0.333'; do holds "$text"; done
expect 0 '"levels_above"' "$marshal" map --dims 8x2 --ppn 4 --topology-file switches --json
expect 2 'switches: the node node4 stands under no switch' "$marshal" map --dims 8x3 --ppn 4 --topology-file switches
expect_one_line

# As the first run of a program decides: rows on nodes are the best there is if all goes along the rows.
expect 0 'best moves nothing: every order that is better for equal weights could be worse for others' "$marshal" map --dims 4x4 --ppn 4 --weights unknown
expect 0 '0.667' "$marshal" map --dims 4x4 --ppn 4

# Any size, without MPI.
expect 0 'nodecart' "$marshal" map --dims 1024x1024 --ppn 64 --mapper nodecart

expect 2 'the grid has 16 cells, the nodes hold 8 processes' "$marshal" map --dims 4x4 --nodes 2 --ppn 4
expect_one_line
expect 2 'give the nodes in one way' "$marshal" map --dims 4x4
expect 2 '--periodic: 2 is not from 0 to 1' "$marshal" map --dims 4x4 --ppn 4 --periodic 1,2
expect 2 '--dims: 99999999999 is not from 0 to 2147483647' "$marshal" map --dims 4x99999999999 --ppn 4
expect 2 "'4y' is no number" "$marshal" map --dims 4x4y --ppn 4
expect 2 'unknown mapper' "$marshal" map --dims 4x4 --ppn 4 --mapper quickest
expect 2 'excludes' "$marshal" map --dims 4x4 --ppn 4 --json --csv
finish
