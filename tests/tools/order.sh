#!/bin/sh
# marshal order: from a traffic file and from a grid, on nodes given in each way, for each launcher; the ranks land where the files say.
. "${srcdir:-.}/tests/tools/expect.sh"
samples=$(cd "${srcdir:-.}/tests/tools/samples" && pwd)
cluster=$(cd "${srcdir:-.}/tools/cluster" && pwd)/run
cd "$scratch" || exit 99

# A torus of 8x8 ranks, dealt out over 4 nodes: half of the bytes cross nodes, in squares of 4x4 a quarter.
cp "$samples/torus.traffic" .
expect 0 '64 ranks on 4 nodes of 16 processes' "$marshal" order torus.traffic --svg torus.svg
for text in '(torus)' '250 KiB in 256 messages' 'grid 8x8' 'prediction, not a measurement'; do holds "$text"; done
expect 0 '"bytes_between_nodes": 128000' "$marshal" order torus.traffic --json
printf '%s\n' "$out" > torus.json
holds '"bytes_between_nodes": 64000'
# The same again is the same.
"$marshal" order torus.traffic --json | cmp - torus.json || wrong 'two runs differ'

# The bytes between nodes, counted from the file's order.
expect 0 '' "$marshal" order torus.traffic --for list --output places
by_hand=$(awk '{ node[NR - 1] = int($1 / 16) } END {
  for (i = 0; i < 8; ++i) for (j = 0; j < 8; ++j) {
    if (node[i * 8 + j] != node[(i + 1) % 8 * 8 + j]) sum += 2
    if (node[i * 8 + j] != node[i * 8 + (j + 1) % 8]) sum += 2
  }
  print sum * 1000 }' places)
[ "$by_hand" = 64000 ] || wrong "$by_hand bytes between nodes by hand"
[ "$(sort -n places | tr '\n' ' ')" = "$(seq -s ' ' 0 63) " ] || wrong 'not every place once'

if command -v python3 > /dev/null; then
  python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' torus.svg || wrong 'the picture is not XML'
fi
# Whatever the file says, nothing steers the terminal, the picture is XML, and no name of a node becomes a line for a launcher.
expect 0 'a\x1b[31m</text>\x9b\x7f&' "$marshal" order "$samples/hostile.traffic" --effort 1K --svg hostile.svg
printf '%s' "$out" | LC_ALL=C grep -q "$(printf '[\033\177]\|\302\233')" && wrong 'control characters'
if command -v python3 > /dev/null; then
  python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' hostile.svg || wrong 'the picture of hostile names is not XML'
fi
expect 2 'needs the names of the nodes' "$marshal" order "$samples/hostile.traffic" --effort 1K --always --for openmpi --output hostile.ranks
[ ! -e hostile.ranks ] || wrong 'a file for a launcher has hostile names'

out=$(cat torus.svg)
for text in 'order given' 'this order' '125 KiB between nodes'; do holds "$text"; done

# Nodes in every way; never worse than given.
printf 'n0 slots=4\nn1 slots=4\nn2 slots=4\nn3 slots=4\n' > hosts
expect 0 '4x4 grid: 16 ranks on 4 nodes of 4' "$marshal" order --dims 4x4 --hostfile hosts
from_pipe () { cat hosts | "$marshal" order --dims 4x4 --hostfile /dev/stdin; }
expect 0 '4x4 grid: 16 ranks on 4 nodes of 4' from_pipe
expect 0 '16 ranks on 3 nodes of 2 to 8' "$marshal" order --dims 4x4 --sizes 8,6,2
expect 0 '16 ranks on 4 nodes of 4' "$marshal" order --dims 4x4 --nodes 4 --ppn 4 --given cyclic
expect 0 'No better order was found: the order given stays' "$marshal" order --dims 16 --ppn 4
expect 0 'within nodes, between package domains' "$marshal" order --dims 16x16 --ppn 16 --inside 'package:2 core:8 pu:1'

# Switches above the nodes: nothing can be gained between nodes, but whole nodes trade places. Slurm's notation says the same as short lines.
printf 'left: node0,node2\nright: node1,node3\n' > switches
printf '# two\nSwitchName=s0 Nodes=node[0,2] LinkSpeed=1\nSwitchName=s1 \\\n Nodes=node[1,3]\nSwitchName=top Switches=s[0-1]\n' > topology.conf
rows () { expect 0 '' "$marshal" order --dims 8x2 --nodes 4 --ppn 4 "$@"; out=$(printf '%s\n' "$out" | tr -s ' '); }
rows --topology-file switches
for text in 'bytes between nodes 768 KiB 768 KiB 1.000' 'bytes between switches 768 KiB 256 KiB 0.333'; do holds "$text"; done
rows --topology-file topology.conf
holds 'bytes between switches 768 KiB 256 KiB 0.333'
rows
case $out in *switches*) wrong "switches without a file of them: $out" ;; esac
expect 0 '' "$marshal" order --dims 8x2 --nodes 4 --ppn 4 --topology-file switches --json
case $(printf %s "$out" | tr -d ' \n') in
  *'"levels_above":[{"level":"switches","bytes_before":786432,"bytes_after":262144}]'*) ;;
  *) wrong "not the bytes between switches: $out" ;;
esac
from_scontrol () { cat topology.conf | "$marshal" order --dims 8x2 --nodes 4 --ppn 4 --topology-file /dev/stdin; }
expect 0 'bytes between switches' from_scontrol
printf 'left: n0,n1\nright: n2,n3\n' > named
expect 0 'bytes between switches' "$marshal" order --dims 4x4 --hostfile hosts --topology-file named

# A factorization whose columns broadcast more than the order found saves: it is not taken, unless asked for. The file says how long the run took.
cp "$samples/lu.traffic" .
expect 0 'would be saved, too little to hope for on such a network' "$marshal" order lu.traffic
for text in 'order found' 'The order given stays: collectives' 'Not part of it: 19.7 MiB of collectives on parts of the job'; do holds "$text"; done
slow () { "$marshal" order lu.traffic --node-rate 0.00001 "$@"; }
expect 0 'The order given stays: collectives on parts of the job have 19.7 MiB' slow
expect 0 '"reason_to_stay": "collectives on parts' slow --json
holds '"moved": false'
in_order='0,4,8,12,1,5,9,13,2,6,10,14,3,7,11,15'
case $(printf %s "$out" | tr -d ' \n') in *"\"place_of_rank\":[$in_order]"*) ;; *) wrong "not the order given: $out" ;; esac
expect 0 '' slow --for list --output given
[ "$(paste -s -d , given)" = "$in_order" ] || wrong "the file has another order than the one given: $(paste -s -d , given)"
expect 0 '"reason_to_stay": ""' slow --always --json
holds '"moved": true'
expect 0 '' slow --always --for list --output found
[ "$(paste -s -d , found)" != "$in_order" ] || wrong 'the file has the order given, with --always'
expect 0 'order found, not taken' slow --svg -

# Each launcher's file.
for_launcher () { expect 0 "$2" "$marshal" order --dims 4x4 --hostfile hosts --for "$1" --output -; }
for_launcher openmpi 'rank 4=n0 slot=2'
for_launcher mpich 'n0:2
n1:2'
for_launcher intel 'n0:2
n1:2'
for_launcher slurm 'n0
n0
n1'
for_launcher cray '0,1,4,5'
for_launcher flux '[[0,2,2,1]'
for_launcher list '4'
expect 0 'wrote MPICH_RANK_ORDER, to use as' "$marshal" order --dims 4x4 --ppn 4 --for cray
grep -q '^2,3,6,7$' MPICH_RANK_ORDER || wrong "MPICH_RANK_ORDER: $(cat MPICH_RANK_ORDER)"

# A request that does not fit, or a file of another kind, gets one line.
refused () { wanted=$1; shift; expect 2 "$wanted" "$marshal" order "$@"; expect_one_line; }
printf 'n0 slots=4\nn1 slots=4\n' > few
refused '16 processes do not fit: the 2 nodes take 8' --dims 4x4 --hostfile few
refused 'few2: No such file or directory' --dims 4x4 --hostfile few2
printf 'n0 slots=4\nn1 slot=4\n' > misspelt
refused "misspelt, line 2: 'slot=4' is not understood" --dims 4x4 --hostfile misspelt
mkfifo nobody-writes
refused 'nobody-writes: has no hosts' --dims 4x4 --hostfile nobody-writes
refused '/dev/zero: it is no regular file' --dims 4x4 --hostfile /dev/zero
refused 'give the nodes in one way' --dims 4x4 --hostfile hosts --ppn 4
refused '--sizes: 0 is not from 1 to 2147483647' --dims 4x2 --sizes 4,0,4
refused 'give the nodes: --hostfile, --nodes with --ppn, or --sizes' --dims 4x4
refused 'give what the ranks send: a traffic file, or --dims' --ppn 4
refused 'give what the ranks send: a traffic file, or --dims' torus.traffic --dims 8x8
refused '--weights describes a grid: it needs --dims' torus.traffic --weights 1,2
refused '--for openmpi needs the names of the nodes: give them by --hostfile' --dims 4x4 --ppn 4 --for openmpi
refused '--output needs --for' --dims 4x4 --ppn 4 --output x
for_four="--dims 8x2 --nodes 4 --ppn 4"
refused 'switches: the node n0 stands under no switch' --dims 4x4 --hostfile hosts --topology-file switches
printf 'left: node0,node1\nright: node1,node2,node3\n' > twice
refused 'twice, line 2: node1 stands under left already' $for_four --topology-file twice
printf 'a: b\nb: a\n' > round
refused 'round, line 1: the switch a stands under itself' $for_four --topology-file round
refused 'nowhere: No such file or directory' $for_four --topology-file nowhere
refused '--inside: hwloc does not understand' --dims 4x4 --ppn 4 --inside 'socket two'
expect 2 'openmpi' "$marshal" order --dims 4x4 --hostfile hosts --for openmp
expect 2 '' "$marshal" order --dims 4x4 --ppn 4 --hostfiles x
head -c 300 torus.traffic > cut.traffic
broken () { expect 1 "$1" "$marshal" order "$2"; expect_one_line; }
broken 'cut.traffic: ends in the middle: it was cut off' cut.traffic
broken 'torus.json: is no traffic file of Marshal' torus.json
broken 'none: No such file or directory' none
broken 'nobody-writes: is a pipe; a traffic file must be a regular file' nobody-writes

# On emulated nodes, which have names of their own, each rank lands on the node that the file says.
node_of_ranks=$("$marshal" order --dims 4x4 --hostfile hosts --for slurm --output - | tr '\n' ' ')
"$marshal" order --dims 4x4 --hostfile hosts --for openmpi --cores "$(nproc)" --output order.openmpi > /dev/null
"$marshal" order --dims 4x4 --hostfile hosts --for mpich --output order.mpich > /dev/null
for host in openmpi mpich; do
  CLUSTER_YIELD=$build/tools/cluster/yield.so
  export CLUSTER_YIELD
  if ! "$cluster" --host $host --way namespaces --dry-run -- true > /dev/null 2>&1; then
    echo "not checked: $host on emulated nodes with names of their own"
    continue
  fi
  got=$("$cluster" --host $host --way namespaces --nodes 4 --ranks 16 --order order.$host -- \
    sh -c 'echo "${OMPI_COMM_WORLD_RANK:-$PMI_RANK} $(hostname)"' 2> errors | sort -n | cut -d ' ' -f 2 | tr '\n' ' ')
  [ "$got" = "$node_of_ranks" ] || wrong "$host: ranks on $got, wanted $node_of_ranks; $(cat errors)"
done
finish
