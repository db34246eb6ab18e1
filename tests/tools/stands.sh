#!/bin/sh
# marshal stands finds the files of a job, and its status says whether the job stands.
. "${srcdir:-.}/tests/tools/expect.sh"
unset MARSHAL_REPORT_FILE
world=00000000000000aa

# picture FILE JOB RUN SECONDS: rank 0 is in a barrier for SECONDS, rank 1 does not come.
picture () {
  printf 'marshal-running\t1\njob\theat\t%s\t%s\t2\t1\t300\nnode\t0\tn7\t2\t%s\t900\t0\n' "$2" "$3" "$(date +%s)"
  printf 'process\t0\t4711\tS\t0\t0\ncommunicator\t%s\t8\t2\t0\tMPI_COMM_WORLD\t-\nthread\tin\t%s\tMPI_Barrier\t%s\t8\t-\t-\t/app+0x10\n' $world "$4" $world
  printf 'process\t1\t4712\tR\t0\t0\ncommunicator\t%s\t7\t2\t1\tMPI_COMM_WORLD\t-\nthread\tout\t%s\tMPI_Send\t%s\t0\t0\t1\t/app+0x20\nend\n' $world "$4" $world
} > "$1"

mkdir "$scratch/job" "$scratch/job/reports" "$scratch/bin" "$scratch/empty"
picture "$scratch/job/heat-12.node0.running" 12.0 0000000000000001 300
picture "$scratch/job/heat-123.node0.running" 123 0000000000000002 2
picture "$scratch/job/reports/heat-13.node0.running" 13 0000000000000003 300

# Files, folders, and jobs in the current folder; a step belongs to its job, and job 123 is not job 12.
expect 1 'Next: gdb -p 4712 on n7, for rank 1' "$marshal" stands "$scratch/job/heat-12.node0.running"
holds '1 of 2 processes (rank 0): MPI_Barrier at app+0x10 on MPI_COMM_WORLD, the 8th collective there, for 300 s'
expect 0 'job 123:' "$marshal" stands "$scratch/job/heat-123.node0.running"
expect 1 'There are files of several runs:' "$marshal" stands "$scratch/job"
expect 1 'job 12.0:' env -C "$scratch/job" "$marshal" stands 12
lacks 'job 123'
expect 1 'job 12.0:' "$marshal" report "$scratch/job/heat-12.node0.running"
expect 1 '"schema": "marshal-stands"' "$marshal" stands --json "$scratch/job/heat-12.node0.running"
holds '"waits_for": ['

# The folder of the job is Slurm's, and that of the report's name is below it.
printf '#!/bin/sh\necho "   JobId=$3 Name=x"\necho "   WorkDir=%s"\n' "$scratch/job" > "$scratch/bin/scontrol"
chmod +x "$scratch/bin/scontrol"
expect 1 'job 12.0:' env -C "$scratch/empty" PATH="$scratch/bin:$PATH" "$marshal" stands 12
expect 1 'job 13:' env -C "$scratch/empty" PATH="$scratch/bin:$PATH" MARSHAL_REPORT_FILE=reports/%p-%j "$marshal" stands 13
expect 1 'job 12.0:' env -C "$scratch/empty" PATH="$scratch/bin:$PATH" MARSHAL_REPORT_FILE=%u/%p-%j "$marshal" stands 12

# Files that are not there, and files that are none.
expect 2 'is no file or folder' env -C "$scratch/empty" "$marshal" stands 12
expect 2 'no file *.running is here' "$marshal" stands "$scratch/empty"
expect 2 'JOB is required' "$marshal" stands
echo '{}' > "$scratch/empty/x.running"
expect 2 'it is no file of a watched run' "$marshal" stands "$scratch/empty/x.running"
mkfifo "$scratch/empty/pipe.running"
expect 2 'pipe.running: ' timeout 20 "$marshal" stands "$scratch/empty"
printf 'x\n\033[31m' >> "$scratch/job/heat-12.node0.running"
expect 1 'job 12.0:' "$marshal" stands "$scratch/job/heat-12.node0.running"
finish
