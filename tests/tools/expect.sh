# The common part of the tests of the `marshal` command; sourced by them. They run in the build directory.
set -u
marshal=$PWD/tools/marshal
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
unset LD_PRELOAD OMPI_COMM_WORLD_SIZE PMI_RANK MPI_LOCALNRANKS HYDI_CONTROL_FD TMPDIR
for variable in $(env | sed -n 's/^\(MARSHAL_[A-Z_]*\)=.*/\1/p'); do unset "$variable"; done
# One run must not teach the next one anything; and nothing goes to the user's own profiles.
MARSHAL_PROFILE=off
export MARSHAL_PROFILE
failures=0 checks=0

# wrong TEXT…: counts a failure.
wrong () { echo "FAILED: $*"; failures=$((failures + 1)); }

# expect STATUS TEXT COMMAND…: the command ends with STATUS, and its output (both streams) holds TEXT. Both stay in $out.
expect () {
  wanted_status=$1 wanted_text=$2
  shift 2
  out=$("$@" 2>&1) && status=0 || status=$?
  checks=$((checks + 1))
  case $out in
    *"$wanted_text"*) [ "$status" = "$wanted_status" ] && return 0 ;;
  esac
  failures=$((failures + 1))
  printf 'FAILED: %s\n  wanted status %s and: %s\n  got status %s and: %s\n' "$*" "$wanted_status" "$wanted_text" "$status" "$out"
  return 1
}

# expect_one_line: the last output was a single line that starts with "marshal: ".
expect_one_line () {
  checks=$((checks + 1))
  lines=$(printf '%s\n' "$out" | wc -l)
  case $out in
    "marshal: "*) [ "$lines" = 1 ] && return 0 ;;
  esac
  wrong "not one line of Marshal: $out"
  return 1
}

finish () {
  echo "$checks checks, $failures failed"
  [ "$failures" = 0 ]
  exit
}
