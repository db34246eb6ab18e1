#!/bin/bash
# What the scripts of tests/mpi begin with; sourced by them in the build directory, where make check calls them.
set -u
unset LD_PRELOAD
srcdir=$(cd "${srcdir:-.}" && pwd) build=$PWD failed=0 status=77
export CLUSTER_YIELD=${CLUSTER_YIELD-$build/tools/cluster/yield.so}
scratch=$(mktemp -d /tmp/marshal-test.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=tests/hosts/known_fault.sh
. "$srcdir/tests/hosts/known_fault.sh"

# Options of tools/cluster/run beside sanitizers: as in tests/mpi/driver, for the same reasons.
sanitizers=()
for runtime in ${TEST_RUNTIMES:-}; do sanitizers+=(--preload "$runtime"); done
[[ -z ${TEST_RUNTIMES:-} ]] || sanitizers+=(--env UCX_MEM_EVENTS=no --env ASAN_OPTIONS=detect_leaks=0:handle_sigill=1)
[[ ${TEST_RUNTIMES:-} != *libtsan* ]] || sanitizers+=(--env TSAN_OPTIONS=ignore_noninstrumented_modules=1 --env MARSHAL_CALLSITES=1)

skip() { echo "SKIPPED: $*"; exit 77; }
without_sanitizers() { [[ -z ${TEST_RUNTIMES:-} ]] || skip "${1:-the sanitizers have no business with it}"; }
can_run() { [[ -x $1 && $(head -c 6 "$1") != '#!skip' ]]; }

# marshalled HOST OPTION... -- COMMAND...: a run under Marshal, by those options of tools/cluster/run. Leaves out, err and report.json: $report may
# name other forms of the report.
marshalled() {
  local host=$1
  shift
  rm -f "$scratch"/report.*
  "$srcdir/tools/cluster/run" --host "$host" --timeout 100 --env MARSHAL_REPORT="${report:-json}" --env MARSHAL_REPORT_FILE="$scratch/report" "${sanitizers[@]}" \
    --preload "$build/libmarshal.so" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
}
# of_report WORD...: what a Python program, on standard input, makes of that `report` and of the `words`.
of_report() { python3 -c $'import json, sys\nreport, words = json.load(open(sys.argv.pop(1))), sys.argv[1:]\n'"$(cat)" "$scratch/report.json" "$@"; }
