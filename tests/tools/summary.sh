#!/bin/sh
# MARSHAL_REPORT=summary: real runs leave one file of at most 8 KiB, where MARSHAL_REPORT_FILE says, and not a word. It stands beside a full report.
. "${srcdir:-.}/tests/tools/expect.sh"
cat > "$scratch/app.c" <<'END_C'
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, vector;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm parts[20];
  for (int i = 0; i < 20; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &parts[i]);
  vector = rank;
  MPI_Sendrecv_replace(&vector, 1, MPI_INT, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (getenv("APP_LEAVES") != NULL) {
    if (rank == 1) sleep(2);  // a launcher may end the job once a process has left
    exit(0);
  }
  return MPI_Finalize();
}
END_C

# run_app PROGRAM VARIABLE=VALUE…: two ranks on two nodes; what they and Marshal said is in $out.
run_app () {
  program=$1
  shift
  words=
  for variable in "$@"; do words="$words --env $variable"; done
  # shellcheck disable=SC2086
  out=$(cd "$scratch" && env -u SLURM_JOB_ID "$source/tools/cluster/run" --host $host --nodes 2 --ranks 2 \
    --preload "$build/libmarshal.so" $words --env SLURM_JOB_ID=4711 -- "$program" 2>&1) || wrong "status $? of $* on $host: $out"
  # Open MPI's launcher warns where a process that it starts is faster than itself.
  out=$(printf '%s' "$out" | grep -v 'plm:[rs]sh: Warning: setpgid')
}
is_silent () {
  [ -z "$out" ] || wrong "not silent on $host: $out"
}
# the_file PATTERN: sets $file, the only one that was left.
the_file () {
  file=$(find "$scratch/site" -type f)
  case $file in
    *"
"* | '') wrong "not one file on $host: $file" ;;
    *) printf '%s\n' "$file" | grep -Eqx -- "$1" || wrong "on $host not $1: $file" ;;
  esac
}
is_small () {
  [ "$(wc -c < "$file")" -le 8192 ] || wrong "$file has $(wc -c < "$file") B"
}
runs_are () {
  expect 0 "\"runs\": $1," "$marshal" jobs --json "$scratch/site"
}

needs_mpi
for host in $hosts; do
  compilers_of $host
  $compiler -o "$scratch/app" "$scratch/app.c" || exit 99
  pattern=MARSHAL_REPORT_FILE=$scratch/site/%u/%Y/%m/%d/%p-%j

  run_app "$scratch/app" MARSHAL_REPORT=summary "$pattern"
  is_silent
  the_file "$scratch/site/[^/]+/[0-9]{4}/[01][0-9]/[0-3][0-9]/app-4711\.summary\.json"
  is_small
  expect 0 "$(date +%Y)" grep '"started":' "$file"
  user=$(sed -n 's/^ "user": "\(.*\)",$/\1/p' "$file")
  expect 0 "/$user/" echo "$file"
  for line in '"program": "app",' '"ranks": 2,' '"nodes": 2,' '"recorded_ranks": 2,' '"messages": 2,' '"bytes": 8,' '"in_force": 8,' '"report": "",'; do
    expect 0 "$line" cat "$file"
  done
  expect 0 '"subject": "communicators"' cat "$file"
  runs_are 1
  if python3 -c 'import jsonschema' 2> /dev/null; then
    python3 -c 'import json, sys, jsonschema; jsonschema.validate(json.load(open(sys.argv[2])), json.load(open(sys.argv[1])))' \
      "$source/man/marshal-summary.schema.json" "$file" || wrong "$file does not fit its schema"
  fi
  rm -r "$scratch/site"

  long=$scratch/$(printf '"%.0s' $(seq 240))
  cp "$scratch/app" "$long"
  run_app "$long" MARSHAL_REPORT=summary "MARSHAL_REPORT_FILE=$scratch/site/x.summary.json"
  is_silent
  the_file "$scratch/site/x\.summary\.json"
  is_small
  rm -r "$scratch/site"

  # Beside a full report it counts once; a second run counts, too.
  run_app "$scratch/app" MARSHAL_REPORT=json,summary MARSHAL_TRAFFIC=off "$pattern"
  is_silent
  runs_are 1
  run_app "$scratch/app" MARSHAL_REPORT=json,summary MARSHAL_TRAFFIC=off "$pattern"
  runs_are 2
  run_app "$scratch/app" MARSHAL_REPORT=json MARSHAL_TRAFFIC=off "$pattern"
  runs_are 3
  rm -r "$scratch/site"

  run_app "$scratch/app" MARSHAL_REPORT=text,summary "$pattern"
  expect 0 'MARSHAL_REPORT=text,summary' echo "$out"
  the_file "$scratch/site/.*/app-4711\.summary\.json"
  rm -r "$scratch/site"

  mkdir "$scratch/site"
  ln -s "$scratch/target" "$scratch/site/x.summary.json"
  run_app "$scratch/app" MARSHAL_REPORT=summary "MARSHAL_REPORT_FILE=$scratch/site/x" "TMPDIR=$scratch"
  expect 0 "marshal: cannot write $scratch/site/x.summary.json ($scratch/site/x.summary.json is a symbolic link); wrote $scratch/x.summary.json instead" echo "$out"
  expect_one_line
  [ ! -e "$scratch/target" ] || wrong 'the target of a symbolic link was written'
  rm -r "$scratch/site" "$scratch/x.summary.json"

  # Without MPI_Finalize rank 0 writes what it knows.
  out=$("$source/tools/cluster/run" --host $host --nodes 1 --ranks 2 --preload "$build/libmarshal.so" --env MARSHAL_REPORT=summary \
    --env APP_LEAVES=1 --env "MARSHAL_REPORT_FILE=$scratch/site/%p" -- "$scratch/app" 2>&1)
  case $out in *marshal:*) wrong "Marshal says of a run that leaves: $out" ;; esac
  the_file "$scratch/site/app-partial-rank0\.summary\.json"
  is_small
  expect 0 '"runs_ended_early": 1,' "$marshal" jobs --json "$scratch/site"
  rm -r "$scratch/site"
done
finish
