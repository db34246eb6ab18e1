# The hosts' own faults, as tests/hosts/faults lists them, and what some versions need. Sourced by tests/mpi/driver, tests/hosts/run and scripts of
# tests/mpi.

# version_of_host openmpi|mpich: "Open MPI 5.0.7", "MPICH 4.2.1", of its launcher.
version_of_host() {
  case $1 in
    openmpi) mpiexec.openmpi --version | sed -n '1s/.*) /Open MPI /p' ;;
    mpich) mpiexec.mpich --version | sed -n 's/^ *Version: */MPICH /p' ;;
  esac
}

is_openmpi_4() { [[ $(version_of_host openmpi 2>/dev/null) == 'Open MPI 4'* ]]; }

# pt2pt_windows: the options of tools/cluster/run by which Open MPI 4 makes windows over messages. Later ones end where a component is asked for
# that they lack.
pt2pt_windows() { ! is_openmpi_4 || echo --env OMPI_MCA_osc=pt2pt; }

# again_if_piped COMMAND...: what a launcher writes, and its status. On a busy machine MPICH's dies of SIGPIPE (141) where its processes end at once:
# without Marshal as often, 4 times of 150.
again_if_piped() {
  local out status attempt
  for attempt in 1 2 3 4; do
    out=$("$@")
    status=$?
    [[ $status == 141 ]] || break
  done
  printf '%s\n' "$out"
  return $status
}

# known_fault FILE VERSION TEST WORD...: what the host of this version does wrong in this run of this test, or nothing. TEST has no host and no
# ending; the words are those of the run (tests/mpi/driver), and what it says.
known_fault() {
  local file=$1 wanted_version=$2 wanted_test=$3 version test fault word
  shift 3
  while IFS='|' read -r version test fault; do
    [[ $version != '#'* ]] || continue
    version=${version%"${version##*[! ]}"}
    # shellcheck disable=SC2053
    [[ $wanted_version == $version ]] || continue
    read -r test word <<<"$test"
    # shellcheck disable=SC2053
    [[ $wanted_test == $test && (-z $word || " $* " == *" $word "*) ]] || continue
    echo "${fault# }"
    return
  done <"$file"
}

# hydra_failed OUT ERR: whether MPICH's launcher, whose outputs are in these files, ended by an assertion of its own, as it can on a busy machine.
# It also does so after a process died, which it says: that is no fault of the launcher.
hydra_failed() {
  grep -aq '^\[.*\] HYD.* assert (.*) failed' "$2" && ! grep -aq 'BAD TERMINATION' "$@" &&
    echo "the launcher ended by an assertion of its own: once more"
}
