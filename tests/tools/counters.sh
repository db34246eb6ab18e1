#!/bin/sh
# MARSHAL_PAPI where PAPI is right, missing, of another version, or broken: one line on stderr, and the run goes on and reports.
. "${srcdir:-.}/tests/tools/expect.sh"
needs_mpi
host=$(echo $hosts | cut -d " " -f 1)
compilers_of "$host"
$compiler -g -o "$scratch/work" "$source/tests/mpi/counters/work_to_count.c" -pthread || exit 1
cd "$scratch" || exit 1

# lines_about WANTED DIRECTORY EVENTS: of a run of 2 ranks that finds PAPI there first, one line speaks of the counters.
run_with () {
  wanted=$1
  expect 0 "$wanted" env "$source/tools/cluster/run" --host $host --ranks 2 --preload "$build/libmarshal.so" \
    --env LD_LIBRARY_PATH="$2" --env MARSHAL_PAPI="$3" --env MARSHAL_REPORT=details --env MARSHAL_PACK=mars -- ./work
  lines=$(printf '%s\n' "$out" | grep -c '^marshal: ')
  [ "$lines" = "$4" ] || wrong "$lines lines of Marshal, not $4: $out"
}
none=$scratch/none
run_with 'marshal: MARSHAL_PAPI: not counted: nonsense, rubbish: PAPI knows no such event here' "$none" nonsense,rubbish 1
run_with 'Counter nonsense: not available' "$none" nonsense 1
# An event that machines have without hardware counters, if they let PAPI see it.
printf '%s\n' '#include <papi.h>' 'int main(void) { int code; return PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT ||' \
  'PAPI_event_name_to_code("perf::PAGE-FAULTS", &code) != PAPI_OK; }' > "$scratch/has_event.c"
if $compiler -o "$scratch/has_event" "$scratch/has_event.c" -lpapi && "$scratch/has_event"; then
  run_with 'Counter perf::PAGE-FAULTS: ' "$none" perf::PAGE-FAULTS 0
else
  echo 'not checked: the PAPI of this machine knows no perf::PAGE-FAULTS'
fi

# Stand-ins for a PAPI that is something else, of another version, and one that cannot start.
stand_in () {
  mkdir -p "$scratch/$1"
  printf '%s\n' "$2" > "$scratch/$1.c"
  $compiler -shared -fPIC -w -o "$scratch/$1/libpapi.so.7.0" "$scratch/$1.c" && for name in libpapi.so.7 libpapi.so; do cp "$scratch/$1/libpapi.so.7.0" "$scratch/$1/$name"; done
}
functions='int PAPI_thread_init; int PAPI_unregister_thread; int PAPI_event_name_to_code; int PAPI_get_event_component; int PAPI_create_eventset;
int PAPI_add_event; int PAPI_start; int PAPI_read; int PAPI_stop; int PAPI_cleanup_eventset; int PAPI_destroy_eventset;
char *PAPI_strerror(int code) { return code == -3 ? "System call failed" : 0; }'
stand_in other 'int nothing;'
stand_in older "$functions int PAPI_get_opt(int o, void *p) { return 0x03070000; } int PAPI_library_init(int v) { return v; }"
stand_in broken "$functions int PAPI_get_opt(int o, void *p) { return 0x07000000; } int PAPI_library_init(int v) { return -3; }"
stand_in silent "$functions int PAPI_get_opt(int o, void *p) { return 0x07000000; } int PAPI_library_init(int v) { return -99; }"
version=$(sed -n 's/.*PAPI_VERSION[[:space:]][[:space:]]*PAPI_VERSION_NUMBER(\([0-9]*\),\([0-9]*\),.*/\1.\2/p' /usr/include/papi.h 2> /dev/null)
if [ "$version" = 7.0 ]; then
  run_with 'libpapi.so.7.0 is of no use: functions of PAPI are missing in it' "$scratch/other" PAPI_TOT_INS 1
  run_with 'libpapi.so.7.0 is of no use: it is version 3.7, and this Marshal was built for 7.0' "$scratch/older" PAPI_TOT_INS 1
  run_with 'libpapi.so.7.0 is of no use: it cannot be initialised (System call failed)' "$scratch/broken" PAPI_TOT_INS 1
  run_with 'it cannot be initialised (-99)' "$scratch/silent" PAPI_TOT_INS 1
  mkdir "$scratch/empty"
  for name in libpapi.so.7.0 libpapi.so.7 libpapi.so; do : > "$scratch/empty/$name"; done
  run_with 'PAPI cannot be loaded (' "$scratch/empty" PAPI_TOT_INS 1
else
  echo "not checked: stand-ins are for PAPI 7.0, and this is ${version:-another}"
fi

# The library does not need PAPI, libdw or anything else of the kind to be loaded.
for library in "$build"/libmarshal-*.so; do
  needed=$(readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vE '^(libc|libm|ld-linux.*|libasan|libubsan|libtsan|libstdc\+\+|libgcc_s)\.so' | tr '\n' ' ')
  [ -z "$needed" ] || wrong "$library needs $needed"
done
finish
