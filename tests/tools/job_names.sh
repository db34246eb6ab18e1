#!/bin/sh
# Reports of real runs are named after the job, by whatever batch system or launcher started it. They never take each other's place. Where they cannot
# be written they go elsewhere, and a line says so.
. "${srcdir:-.}/tests/tools/expect.sh"
echo 'int MPI_Init(int*, char***); int MPI_Finalize(void); int main(void) { MPI_Init(0, 0); return MPI_Finalize(); }' > "$scratch/app.c"
mkdir "$scratch/reports"

# run_in VARIABLE=VALUE…: one rank of the program, with these in its environment; what Marshal said is in $out.
run_in () {
  words='--env MARSHAL_REPORT=details,json'
  for variable in "$@"; do words="$words --env $variable"; done
  # shellcheck disable=SC2086
  expect 0 'Marshal itself' env -u SLURM_JOB_ID -u PBS_JOBID -u LSB_JOBID -u FLUX_JOB_ID sh -c 'cd "$0" && exec "$@"' "$scratch/reports" \
    "$source/tools/cluster/run" --host $host --ranks 1 --preload "$build/libmarshal.so" $words -- "$scratch/app"
}
# left PATTERN: exactly this file was left, and it is a report; it is removed.
left () {
  found=$(ls "$scratch/reports")
  printf '%s\n' "$found" | grep -Eqx -- "$1" && [ "$(printf '%s\n' "$found" | wc -l)" = 1 ] || wrong "on $host not $1 but: $found"
  "$marshal" report "$scratch"/reports/* > /dev/null || wrong "$found cannot be read"
  rm -f "$scratch"/reports/*
}

needs_mpi
for host in $hosts; do
  compilers_of $host
  $compiler -o "$scratch/app" "$scratch/app.c" || exit 99

  run_in
  case $host in
    mpich) launcher=hydra job='[0-9]+' ;;
    *) launcher='Open MPI' job='[0-9]+'
       # From 5 on its launcher is PRRTE, which names the machine, too.
       case $(mpiexec.openmpi --version) in *'(OpenRTE) 4'*) ;; *) launcher=PRRTE job="prterun-[A-Za-z0-9._-]+" ;; esac ;;
  esac
  left "marshal-app-$job\.json"
  case $out in *"app (job "*", $launcher), "*) ;; *) wrong "the report does not name the launcher: $out" ;; esac
  run_in SLURM_JOB_ID=4711 MARSHAL_REPORT_FILE=%p.%j.%h.%n.%t.json
  left 'app\.4711\.[^.]+\.1\.[0-9]{8}T[0-9]{6}\.json'
  case $out in *'app (job 4711, SLURM)'*) ;; *) wrong "the report does not name the job: $out" ;; esac

  # A second run of the same job.
  run_in SLURM_JOB_ID=4711
  run_in SLURM_JOB_ID=4711
  [ -e "$scratch/reports/marshal-app-4711.json" ] || wrong 'the first report of a job is gone'
  rm "$scratch/reports/marshal-app-4711.json"
  left 'marshal-app-4711-2\.json'

  run_in MARSHAL_REPORT_FILE=/proc/nowhere/app SLURM_JOB_ID=4711
  case $out in
    *'marshal: cannot write /proc/nowhere/app.json ('*'); wrote /'*/app*.json' instead'*) ;;
    *) wrong "no word of a report that cannot be written: $out" ;;
  esac
done

run_in PBS_JOBID=123.server.example
left 'marshal-app-123\.json'
run_in 'PBS_JOBID=123[7].server.example'
left 'marshal-app-123_7_\.json'
run_in LSB_JOBID=99 LSB_JOBINDEX=0
left 'marshal-app-99\.json'
run_in LSB_JOBID=99 LSB_JOBINDEX=4
left 'marshal-app-99_4\.json'
run_in FLUX_JOB_ID=f2oE9
left 'marshal-app-f2oE9\.json'
finish
