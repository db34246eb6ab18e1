# The common part of the tests of the `marshal` command; sourced by them. They run in the build directory.
set -u
source=$(cd "${srcdir:-.}" && pwd) build=$PWD marshal=$PWD/tools/marshal
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
unset LD_PRELOAD OMPI_COMM_WORLD_SIZE PMI_RANK MPI_LOCALNRANKS HYDI_CONTROL_FD TMPDIR
for variable in $(env | sed -n 's/^\(MARSHAL_[A-Z_]*\)=.*/\1/p'); do unset "$variable"; done
# One run must not teach the next one anything; and nothing goes to the user's own profiles.
export MARSHAL_PROFILE=off CLUSTER_YIELD="${CLUSTER_YIELD-$build/tools/cluster/yield.so}"
failures=0 checks=0

# The hosts that are here, and their compilers.
hosts=$(for host in openmpi mpich; do [ ! -e "libmarshal-$host.so" ] || echo "$host"; done)
needs_mpi () { [ -n "$hosts" ] || { echo 'SKIPPED: no MPI'; exit 77; }; }
compilers_of () { if [ "$1" = openmpi ]; then compiler=$OPENMPI_MPICC fortran=${OPENMPI_MPIFC:-}; else compiler=$MPICH_MPICC fortran=${MPICH_MPIFC:-}; fi; }

# wrong TEXT…: counts a failure.
wrong () { echo "FAILED: $*"; failures=$((failures + 1)); }

# expect STATUS TEXT COMMAND…: the command ends with STATUS, and its output (both streams) holds TEXT. Both stay in $out.
expect () {
  checks=$((checks + 1)) wanted_status=$1 wanted_text=$2
  shift 2
  out=$("$@" 2>&1) && status=0 || status=$?
  case $out in
    *"$wanted_text"*) [ "$status" = "$wanted_status" ] && return 0 ;;
  esac
  failures=$((failures + 1))
  printf 'FAILED: %s\n  wanted status %s and: %s\n  got status %s and: %s\n' "$*" "$wanted_status" "$wanted_text" "$status" "$out"
  return 1
}

# holds TEXT, lacks TEXT: so does the last output.
holds () { checks=$((checks + 1)); case $out in *"$1"*) ;; *) wrong "${host:-}: no '$1' in: $out" ;; esac; }
lacks () { checks=$((checks + 1)); case $out in *"$1"*) wrong "${host:-}: '$1' in: $out" ;; esac; }

# expect_one_line: the last output was a single line that starts with "marshal: ".
expect_one_line () {
  checks=$((checks + 1)) lines=$(printf '%s\n' "$out" | wc -l)
  case $out in
    "marshal: "*) [ "$lines" = 1 ] && return 0 ;;
  esac
  wrong "not one line of Marshal: $out"
  return 1
}

# Nothing is counted where a script calls `wrong` alone.
finish () {
  [ "$checks" != 0 ] || ! grep -Eq '(^|[^a-z_])(expect|holds|lacks|expect_one_line) ' "$0" || wrong 'no check was made'
  echo "$checks checks, $failures failed"
  [ "$failures" = 0 ]
  exit
}
