# Sourced by the scripts that run on a Slurm cluster of emulated nodes.
. "${srcdir:-.}/tests/tools/expect.sh"

# on_cluster [option of tools/cluster/slurm...]: runs the whole script anew as the cluster's command. Skips it by name where there is no cluster.
on_cluster() {
  [[ -z ${ON_CLUSTER-} ]] || return 0
  local said
  said=$("$source/tools/cluster/slurm" --probe 2>&1) || { echo "SKIPPED: $said"; exit 77; }
  ON_CLUSTER=yes "$source/tools/cluster/slurm" --timeout 300 "$@" -- bash "$0"
  exit
}

# For MPI in each task: how srun starts tasks of Open MPI or MPICH.
mpi_of() { if [[ $1 == openmpi ]]; then echo pmix; else echo pmi2; fi; }

# hosts_with PROGRAM...: prints the hosts that are here; builds these programs for each: tests/apps/hello.mpi is openmpi/tests/apps/hello.mpi.
hosts_with() {
  local host any=no
  for host in openmpi mpich; do
    [[ -e $build/libmarshal-$host.so ]] || continue
    "${MAKE:-make}" -s "${@/#/$host/}" >"$scratch/make.log" 2>&1 || { tail -n 5 "$scratch/make.log" >&2; exit 99; }
    echo $host
    any=yes
  done
  [[ $any == yes ]] || { echo "SKIPPED: no MPI" >&2; exit 77; }
}

# batch OUT [option of sbatch...]: runs the script on standard input as a batch job, and returns when it is done; its output is then in OUT.
batch() {
  local out=$1 script
  shift
  rm -f "$out"
  script=$(cat)
  sbatch --quiet --output "$out" "$@" <<<$'#!/bin/bash\n'"$script"$'\necho done of batch' || return
  for _ in {1..600}; do
    ! grep -qsx 'done of batch' "$out" || return 0
    sleep 0.1
  done
  wrong "the batch job did not end: $(tail -n 5 "$out")"
}
