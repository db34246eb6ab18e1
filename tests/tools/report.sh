#!/bin/sh
# marshal report: prints a report again, merges partial ones, names missing ranks, and refuses files that are no report.
. "${srcdir:-.}/tests/tools/expect.sh"
samples=$(cd "${srcdir:-.}" && pwd)/tests/tools/samples

expect 0 'sample (job 4711, SLURM), Open MPI 4.1.4 (MPI 3.1), 8 ranks on 4 nodes (2 a node)' "$marshal" report --details "$samples/whole.json"
expect 0 'MPI_Comm_split' "$marshal" report --details "$samples/whole.json"
expect 0 '33 % in MPI (rank 7: 36 %): MPI_Waitall 33 %; load balance 0.96, communication 0.70' "$marshal" report "$samples/whole.json"
expect 0 '2 of 8 ranks recorded; missing: 1, 3-7' "$marshal" report "$samples/rank0.json" "$samples/rank2.json"
expect 0 '"schema": "marshal-report"' "$marshal" report --json "$samples/whole.json"

# Reading what was written gives the same again. Findings, which come last, are worked out anew.
without_findings () { sed '/^ "findings": /,$d' "$1"; }
"$marshal" report --json "$samples/whole.json" > "$scratch/again.json"
without_findings "$samples/whole.json" > "$scratch/whole.json"
without_findings "$scratch/again.json" > "$scratch/again-without.json"
expect 0 '' cmp "$scratch/whole.json" "$scratch/again-without.json"
expect 0 '"verdict": "gained"' grep verdict "$scratch/again.json"

# Partial reports in any order give the same report, and what is missing is said.
expect 0 'INCOMPLETE: 2 of 8 ranks recorded; missing: 1, 3-7' "$marshal" report --details "$samples/rank0.json" "$samples/rank2.json"
expect 0 'ranks ended without MPI_Finalize: 0, 2' "$marshal" report --details "$samples/rank0.json" "$samples/rank2.json"
"$marshal" report --json "$samples/rank0.json" "$samples/rank2.json" > "$scratch/one.json"
"$marshal" report --json "$samples/rank2.json" "$samples/rank0.json" > "$scratch/other.json"
expect 0 '' cmp "$scratch/one.json" "$scratch/other.json"

# The differences between two runs.
sed -e 's/"search"/"nodecart"/; s/"ranks": 8,/"ranks": 16,/; s/"64 x 8 B every 128 B"/"other"/' "$samples/whole.json" > "$scratch/changed.json"
expect 0 'nodecart' "$marshal" report --compare "$samples/whole.json" "$scratch/changed.json"
for line in 'ranks *8 *16' 'mapper *search *nodecart' '64 x 8 B every 128 B *made *none' 'other *none *made' 'Communicators: no difference' 'Cost: no difference'; do
  checks=$((checks + 1))
  printf '%s\n' "$out" | grep -q "$line" || wrong "no line '$line' in: $out"
done
expect 0 'MPI_Waitall 4.04 s 4.04 s 1.00' sh -c '"$@" | tr -s " "' sh "$marshal" report --compare "$samples/whole.json" "$scratch/changed.json"
sed 's/"mars": /"host, as fast or faster": /' "$samples/whole.json" > "$scratch/by_host.json"
expect 0 'host, as fast or faster' "$marshal" report --compare "$samples/whole.json" "$scratch/by_host.json"
expect 0 'Grids: no difference' "$marshal" report --compare "$samples/whole.json" "$scratch/by_host.json"
expect 0 'Job: no difference' "$marshal" report --compare "$samples/whole.json" "$samples/whole.json"

one_line () { expect "$@" && expect_one_line; }
one_line 1 'has ranks (0) that an earlier file has too (0)' "$marshal" report "$samples/rank0.json" "$samples/rank0.json"
sed 's/"4711"/"4712"/' "$samples/rank2.json" > "$scratch/foreign.json"
one_line 1 'is of another run' "$marshal" report "$samples/rank0.json" "$scratch/foreign.json"
one_line 1 'cannot be read' "$marshal" report "$scratch/absent.json"
: > "$scratch/empty.json"
one_line 1 'it is not JSON' "$marshal" report "$scratch/empty.json"
one_line 1 'cannot be read' "$marshal" report "$scratch"
head -c 700 "$samples/whole.json" > "$scratch/cut.json"
one_line 1 'it is not JSON' "$marshal" report "$scratch/cut.json"
echo '{"schema": "other"}' > "$scratch/other-schema.json"
one_line 1 'it is not a report of Marshal' "$marshal" report "$scratch/other-schema.json"
expect 2 'required' "$marshal" report
one_line 2 'takes two reports, not 1' "$marshal" report --compare "$samples/whole.json"
one_line 1 'cannot be read' "$marshal" report --compare "$samples/whole.json" "$scratch/absent.json"
if [ -e /dev/full ]; then
  one_line 1 'standard output: ' sh -c "'$marshal' report '$samples/whole.json' > /dev/full"
fi
finish
