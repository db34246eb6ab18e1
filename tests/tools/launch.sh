#!/bin/sh
# marshal launch with launchers that are made up: how it reads their commands, what it adds, and what it leaves as it is. No MPI needed.
. "${srcdir:-.}/tests/tools/expect.sh"
samples=$(cd "${srcdir:-.}/tests/tools/samples" && pwd)
cd "$scratch" || exit 99
MARSHAL_PROFILE=$scratch/profiles
for variable in $(env | sed -n 's/^\(SLURM_[A-Z_]*\|PBS_[A-Z_]*\|LSB_[A-Z_]*\|PE_HOSTFILE\|OMPI_MCA_[a-z_]*\|HYDRA_[A-Z_]*\|PRTE_MCA_[a-z_]*\|MPICH_RANK_REORDER_[A-Z]*\)=.*/\1/p'); do unset "$variable"; done

# made NAME VERSION: a launcher that says its version, or runs the words behind "marshal run … --" that it is given.
mkdir -p bin
cat > launcher.c <<'END'
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "--version") == 0) return puts(VERSION) < 0;
  char** word = argv + 1;
  while (word + 1 < argv + argc && strcmp(*word, "--") != 0) ++word;
  if (word < argv + argc && strcmp(*word, "--") == 0) ++word;
  execvp(*word, word);
  return 127;
}
END
made () { ${CC:-cc} -DVERSION="\"$2\"" -o "bin/$1" launcher.c || exit 99; }
made mpirun 'mpirun (Open MPI) 4.1.4'
made mpirun.prrte 'prterun (PRRTE) 3.0.8'
made mpiexec 'HYDRA build details:'
made srun 'slurm 22.05.8'
PATH=$scratch/bin:$PATH
cat > app <<'END'
#!/bin/sh
for word; do printf '<%s>' "$word"; done
cat
exit 7
END
chmod +x app
printf 'node%d slots=8\n' 0 1 2 3 4 5 6 7 > hosts
printf 'node%d:8\n' 0 1 2 3 4 5 6 7 > hosts.hydra
launch () { status_and_text=$1 text=$2; shift 2; expect "$status_and_text" "$text" "$marshal" launch "$@"; }
find_order () { order=$(printf '%s\n' "$out" | sed -n 's/.*--hostfile \([^ ]*\) .*/\1/p'); } # the file in the command that was printed

# The program gets its words and standard input, and its status is that of the command.
out=$(echo typed | "$marshal" launch mpirun -n 64 --hostfile hosts ./app 'a b' "it's" '' 2>&1); status=$?
[ "$status" = 7 ] || wrong "status $status"
case $out in *"<a b><it's><>typed"*) ;; *) wrong "the program got other words: $out" ;; esac
holds 'this one is measured, and places the next'

# Open MPI's launchers, which made-up ones are not, look for a program in the directory itself where PATH has none.
mkdir -p other && cp app other/papp
launch 0 '' --dry-run mpirun -n 2 -wdir other papp 1
holds '-wdir other '
expect 7 '<1>' env OMPI_COMM_WORLD_SIZE=2 sh -c "cd other && exec '$marshal' run papp 1"
expect 127 'no such program' sh -c "cd other && exec '$marshal' run papp 1"

# A launcher or an option that is not known runs unchanged, with one line.
launch 7 'is no launcher that Marshal knows' ./app x
holds 'the command runs unchanged'
launch 7 'option --no-such is not known to Marshal: the command runs unchanged' mpirun --no-such -- ./app
launch 0 'the command starts several programs' --dry-run mpirun -n 1 ./app : -n 2 ./app x
holds "env mpirun -n 1 $marshal run -- ./app : -n 2 $marshal run -- ./app x"
launch 127 'no-such-launcher: No such file or directory' no-such-launcher -n 2 ./app
lacks 'runs unchanged'
launch 7 'option -- is not known to Marshal' mpiexec -n 2 -- ./app
launch 2 '--order cannot be taken: the command starts several programs' --order f mpirun -n 1 ./app : -n 2 ./app x
launch 2 '--order cannot be taken: option --no-such is not known' --order f mpirun --no-such ./app
launch 2 'no launcher given'
launch 2 'did you mean --dry-run?' --dry-rnu mpirun ./app
launch 2 'exclude each other' --no-order --order f mpirun ./app

# A run of 64 ranks in a torus of 8x8 is known: the files of a profile carry its key. On 8 nodes, blocks of 2x4 send less than rows.
launch 0 '' --dry-run mpirun -n 64 --hostfile hosts ./app 1
note=$(printf '%s\n' "$out" | sed -n 's/.*--launched \([^ ]*\) .*/\1/p')
word () { sed -n "s/^$1 //p" "$note"; }
cp "$samples/torus.traffic" "profiles/$(word program).$(word arguments).$(word directory).64.traffic" || wrong 'no key in the note'
placed='64 ranks in another order on 8 nodes: 93.8 KiB between nodes where the launcher'
launch 0 "$placed" --dry-run mpirun -n 64 --hostfile hosts ./app 1
holds '.note.hosts --map-by seq -n 64 '
holds ' --bind socket '
holds ' -- ./app 1'
lacks '--hostfile hosts '
launch 0 "$placed" --dry-run mpirun --hostfile hosts --bind-to none ./app 1
lacks '--bind socket'
find_order
[ "$(sort "$order" | uniq -c | tr -s ' \n' ' ')" = ' 8 node0 8 node1 8 node2 8 node3 8 node4 8 node5 8 node6 8 node7 ' ] || wrong "the order: $(cat "$order")"
# Slots that have no rank are in the file, too, and so is their node: programs ask for the size of the universe.
for node in 0 1 2 3 4 5 6; do echo "node$node slots=8"; done > wide
echo 'node7 slots=12' >> wide && echo 'node8 slots=2' >> wide
launch 0 "$placed" --dry-run mpirun -n 64 --hostfile wide ./app 1
find_order
[ "$(grep -c 'node7 slots=5' "$order")" = 1 ] || wrong "no spare slots in: $(cat "$order")"
[ "$(sed -n '$p' "$order")" = 'node8 slots=2' ] || wrong "no spare node in: $(cat "$order")"
# PRRTE may not fill the places that are named: the run that was measured must have stood so.
cp "$samples/halo.traffic" "profiles/$(word program).$(word arguments).$(word directory).16.traffic"
prrte='--host=node0:4,node1:4,node2:4,node3:4 ./app 1' by_prrte='16 ranks in another order on 4 nodes'
# shellcheck disable=SC2086
launch 0 "$by_prrte" --dry-run mpirun.prrte --np=16 $prrte
holds '--map-by seq --bind-to core --np=16 '
for option in '--bind-to none' --oversubscribe; do
  # shellcheck disable=SC2086
  launch 0 "$by_prrte" --dry-run mpirun.prrte -n 16 $option $prrte
  lacks '--bind-to core'
done
launch 0 "$placed" --dry-run mpirun -n 64 --host node0:8,node1:8,node2:8,node3:8,node4:8,node5:8,node6:8,node7:8 ./app 1
launch 0 "$placed" --dry-run mpiexec -f hosts.hydra -n 64 ./app 1
holds 'env mpiexec -machinefile '
lacks 'hosts.hydra'
launch 0 "$placed" --dry-run mpiexec -n 64 -ppn 8 -hosts node0,node1,node2,node3,node4,node5,node6,node7 ./app 1
lacks '-ppn'
slurm='SLURM_JOB_NODELIST=node[0-7] SLURM_JOB_CPUS_PER_NODE=8(x8) SLURM_TASKS_PER_NODE=8(x8)'
# shellcheck disable=SC2086
expect 0 "$placed" env $slurm "$marshal" launch --dry-run mpirun -n 64 ./app 1
# The run that was measured was not one of Open MPI.
# shellcheck disable=SC2086
expect 0 'under srun shares no memory' env $slurm "$marshal" launch --dry-run srun -n64 ./app 1
# shellcheck disable=SC2086
expect 0 'starts its proxies by srun' env $slurm SLURM_JOB_ID=1 "$marshal" launch --dry-run mpiexec -n 64 ./app 1
# shellcheck disable=SC2086
expect 0 "$placed" env $slurm SLURM_JOB_ID=1 "$marshal" launch --dry-run mpiexec -launcher ssh -n 64 ./app 1
printf 'node0\nnode0\nnode1\nnode1\n' > own
# shellcheck disable=SC2086
expect 0 "env SLURM_HOSTFILE=$scratch/profiles/launch-" env $slurm "$marshal" launch --order own --dry-run srun -n4 ./app 1
holds 'srun --distribution=arbitrary -n4 '
launch 2 '--order cannot be taken: --map-by places the ranks' --order own mpirun -n 4 --map-by node ./app 1
launch 2 'it has 4 hosts, one for each rank, and the job has 5 ranks' --order own mpirun -n 5 ./app 1
awk 'BEGIN { for (i = 0; i < 64; ++i) print "node" int(i % 32 / 4) }' > nodes
expect 0 "$placed" env PBS_NODEFILE="$scratch/nodes" "$marshal" launch --dry-run mpirun -n 64 ./app 1
expect 0 "$placed" env LSB_DJOB_HOSTFILE="$scratch/nodes" "$marshal" launch --dry-run mpirun -n 64 ./app 1
printf 'node%d 8 all.q@node <NULL>\n' 0 1 2 3 4 5 6 7 > pe
expect 0 "$placed" env PE_HOSTFILE="$scratch/pe" "$marshal" launch --dry-run mpirun -n 64 ./app 1

expect 0 "the ranks stand in the launcher's order: how many ranks there are is not known" env SLURM_JOB_NODELIST='node[0-7]' "$marshal" launch --dry-run srun ./app 1
launch 2 '--order own: node0 is none of the job' --order own --dry-run mpirun -n 4 --host other0:2,other1:2 ./app 1
printf 'node0\n# the next\nnode1 nodes=2\n' > own
launch 2 "--order own, line 3: 'nodes=2' is not understood" --order own --dry-run mpirun -n 2 --host node0:2,node1:2 ./app 1
printf ' node1\nnode0:2\nnode1\n' > own
launch 0 '--map-by seq' --order own --dry-run mpirun -n 4 --host node0:2,node1:2 ./app 1
find_order
[ "$(tr '\n' ' ' < "$order")" = 'node1 node0 node0 node1 ' ] || wrong "the order: $(cat "$order")"

# The launcher's order stays, and one line says why.
stays () { why=$1; shift; launch 0 "the ranks stand in the launcher's order: $why" --dry-run "$@"; lacks "$placed"; }
stays '--no-order' --no-order mpirun -n 64 --hostfile hosts ./app 1
stays '--map-by places the ranks' mpirun -n 64 --hostfile hosts --map-by node ./app 1
stays '-bind-to places the ranks' mpiexec -n 64 -f hosts.hydra -bind-to core ./app 1
stays '--bind-to l3cache cannot be repeated' mpirun -n 64 --hostfile hosts --bind-to l3cache ./app 1
stays '--bind-to socket cannot be repeated' mpirun.prrte -n 64 --hostfile hosts --bind-to socket ./app 1
stays 'the launcher was seen to place ranks in another way' mpirun.prrte -n 64 --hostfile hosts ./app 1
stays 'the nodes are not known: no option names them' mpirun -n 64 ./app 1
stays 'no run of app with these arguments on 32 ranks is known' mpirun -n 32 --hostfile hosts ./app 1
stays 'no run of app with these arguments on 64 ranks is known' mpirun -n 64 --hostfile hosts ./app 2
stays 'how many ranks each of the 2 nodes takes is not known' mpirun -n 64 --host node0:4,node1:4 ./app 1
stays 'all ranks are on one node' mpirun -n 64 --host node0:64 ./app 1
stays '--map-by places the ranks' mpirun -n 32 --hostfile hosts --map-by node ./app 1
sed 's/$/ port=22/' hosts > more
stays 'the nodes are not known: their list says more of node0 than its ranks' mpirun -n 64 --hostfile more ./app 1
expect 0 'OMPI_MCA_orte_default_hostfile places the ranks' env OMPI_MCA_orte_default_hostfile=hosts "$marshal" launch --dry-run mpirun -n 64 --hostfile hosts ./app 1
stays 'no run of app with these arguments on 64 ranks is known' mpirun -n 64 -wdir other --hostfile hosts ../app 1
stays '--exclusive places the ranks' srun -n 64 --exclusive ./app 1
stays 'how many ranks there are is not known' mpiexec -f hosts.hydra ./app 1
expect 0 'OMPI_MCA_rmaps_base_mapping_policy places the ranks' env OMPI_MCA_rmaps_base_mapping_policy=node "$marshal" launch --dry-run mpirun -n 64 --hostfile hosts ./app 1
# To oversubscribe is no placement.
expect 0 "$placed" env OMPI_MCA_rmaps_base_oversubscribe=1 "$marshal" launch --dry-run mpirun --mca rmaps_base_oversubscribe 1 -n 64 --hostfile hosts ./app 1
mkdir -p .openmpi && printf '#hwloc_base_binding_policy = none\nbtl = self,tcp\nrmaps_base_mapping_policy = node\n' > .openmpi/mca-params.conf
expect 0 'rmaps_base_mapping_policy in /' env HOME="$scratch" "$marshal" launch --dry-run mpirun -n 64 --hostfile hosts ./app 1
holds '.openmpi/mca-params.conf places the ranks'
expect 0 'MPICH_RANK_REORDER_METHOD places the ranks' env MPICH_RANK_REORDER_METHOD=1 "$marshal" launch --dry-run mpirun -n 64 --hostfile hosts ./app 1
expect 0 'there is no profile (MARSHAL_PROFILE)' env MARSHAL_PROFILE=off "$marshal" launch --dry-run mpirun -n 64 --hostfile hosts ./app 1
printf 's0: node0,node2,node4,node6\ns1: node1,node3,node5,node7\n' > switches
launch 0 'KiB between switches where it has ' --topology-file=switches --dry-run mpirun -n 64 --hostfile hosts ./app 1
printf 's0: node0\n' > switches
launch 0 'the switches above the nodes are not taken into account' --topology-file=switches --dry-run mpirun -n 64 --hostfile hosts ./app 1
# Settings go on to `marshal run`.
launch 0 'run --launched' --cart=off --dry-run mpirun -n 64 --hostfile hosts ./app 1
holds ' --cart=off '

# A file that is broken is refused, and the run is a first one.
for file in profiles/*.traffic; do printf broken > "$file"; done
launch 0 'no run of app with these arguments on 64 ranks is known' --dry-run mpirun -n 64 --hostfile hosts ./app 1
holds 'is no traffic file of Marshal'

# The profile lists what is kept, and forgets it.
for file in profiles/*.traffic; do cp "$samples/torus.traffic" "$file"; done
expect 0 'app' "$marshal" profile list
holds '2 runs kept for `marshal launch`'
expect 0 '"processes": 64' "$marshal" profile list --json
# Rows of one program say which run each was.
for file in profiles/*.traffic; do cp "$samples/hostile.traffic" "$file"; done
expect 0 ' -n 3\x1b ' "$marshal" profile list
for text in ' /work/d ' ' 4711 '; do holds "$text"; done
expect 0 '"arguments": "-n 3\u001b"' "$marshal" profile list --json
expect 0 'removed from' "$marshal" profile forget app
for file in profiles/*.traffic; do [ ! -e "$file" ] || wrong "$file is not forgotten"; done

# A script with a launcher's name is not started to be asked: one that a site made may start the job whatever its options are.
mkdir wrapped linked
printf '#!/bin/sh\necho once >> %s\n' "$scratch/submitted" > wrapped/mpirun && chmod +x wrapped/mpirun
ln -s "$scratch/wrapped/mpirun" linked/srun
for launcher in mpirun wrapped/mpirun linked/srun; do
  rm -f submitted
  expect 0 "$launcher is a script" env PATH="$scratch/wrapped:$PATH" "$marshal" launch "$launcher" -n 64 --hostfile hosts ./app 3
  holds 'the command runs unchanged'
  [ "$(cat submitted)" = once ] || wrong "$launcher was started more than once"
done
ln -s "$scratch/bin/mpirun" linked/mpirun
launch 0 'this one is measured' --dry-run linked/mpirun -n 64 --hostfile hosts ./app 3

# Nothing is measured where Marshal does nothing: by a variable, a file or an option, in any case of letters.
printf 'disable = Yes\n' > site.conf
for setting in MARSHAL_DISABLE=1 MARSHAL_DISABLE=ON MARSHAL_EXCLUDE='a*' MARSHAL_MODE=Observe MARSHAL_TRAFFIC=OFF "MARSHAL_CONFIG=$scratch/site.conf"; do
  expect 0 'no run of app with these arguments on 64 ranks is known' env "$setting" "$marshal" launch --dry-run mpirun -n 64 --hostfile hosts ./app 3
  lacks 'is measured'
done
launch 0 'no run of app with these arguments on 64 ranks is known' --disable=TRUE --dry-run mpirun -n 64 --hostfile hosts ./app 3
lacks 'is measured'
holds '--disable=on'
expect 0 'this one is measured' env MARSHAL_DISABLE=1 "$marshal" launch --disable=No --dry-run mpirun -n 64 --hostfile hosts ./app 3
expect 0 'there is no profile (MARSHAL_PROFILE)' env MARSHAL_PROFILE=OFF "$marshal" launch --dry-run mpirun -n 64 --hostfile hosts ./app 3
[ ! -e OFF ] || wrong 'a folder is named OFF'

# Where this command lies is not looked for in the working directory.
if unshare --mount sh -c 'mount -t tmpfs none /proc' 2>/dev/null; then
  expect 7 'where this command lies is not known' unshare --mount sh -c \
    "mount -t tmpfs none /proc && cd '$(dirname "$marshal")' && exec ./marshal launch mpirun -n 2 -- '$scratch/app'"
  holds 'the command runs unchanged'
fi
finish
