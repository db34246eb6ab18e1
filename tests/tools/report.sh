#!/bin/sh
# marshal report: prints a report again, merges partial ones, names missing ranks, and refuses files that are no report.
. "${srcdir:-.}/tests/tools/expect.sh"
samples=$(cd "${srcdir:-.}" && pwd)/tests/tools/samples
tests/tools/make_reports partial "$samples/whole.json" "$scratch" 0 2 || exit 99

expect 0 'sample (job 4711, SLURM), Open MPI 4.1.4 (MPI 3.1), 8 ranks on 4 nodes (2 a node)' "$marshal" report --details "$samples/whole.json"
expect 0 'MPI_Comm_split' "$marshal" report --details "$samples/whole.json"
expect 0 '33 % in MPI (rank 7: 36 %): MPI_Waitall 33 %; load balance 0.96, communication 0.70' "$marshal" report "$samples/whole.json"
expect 0 '2 of 8 ranks recorded; missing: 1, 3-7' "$marshal" report "$scratch/rank0.json" "$scratch/rank2.json"
expect 0 '"schema": "marshal-report"' "$marshal" report --json "$samples/whole.json"

# Reading what was written gives the same again. Findings, which come last, are worked out anew.
without_findings () { sed '/^ "findings": /,$d' "$1"; }
"$marshal" report --json "$samples/whole.json" > "$scratch/again.json"
without_findings "$samples/whole.json" > "$scratch/whole.json"
without_findings "$scratch/again.json" > "$scratch/again-without.json"
expect 0 '' cmp "$scratch/whole.json" "$scratch/again-without.json"
expect 0 '"verdict": "gained"' grep verdict "$scratch/again.json"

# Partial reports in any order give the same report, and what is missing is said.
expect 0 'INCOMPLETE: 2 of 8 ranks recorded; missing: 1, 3-7' "$marshal" report --details "$scratch/rank0.json" "$scratch/rank2.json"
expect 0 'ranks ended without MPI_Finalize: 0, 2' "$marshal" report --details "$scratch/rank0.json" "$scratch/rank2.json"
"$marshal" report --json "$scratch/rank0.json" "$scratch/rank2.json" > "$scratch/one.json"
"$marshal" report --json "$scratch/rank2.json" "$scratch/rank0.json" > "$scratch/other.json"
expect 0 '' cmp "$scratch/one.json" "$scratch/other.json"

# The differences between two runs.
sed -e 's/"search"/"nodecart"/; s/"ranks": 8,/"ranks": 16,/; s/"64 x 8 B every 128 B"/"other"/' "$samples/whole.json" > "$scratch/changed.json"
expect 0 'nodecart' "$marshal" report --compare "$samples/whole.json" "$scratch/changed.json"
for line in 'ranks *8 *16' 'mapper *search *nodecart' '64 x 8 B every 128 B *made *none' 'other *none *made' 'Communicators: no difference' 'Cost: no difference'; do
  printf '%s\n' "$out" | grep -q "$line" || wrong "no line '$line' in: $out"
done
expect 0 'MPI_Waitall 4.04 s 4.04 s 1.00' sh -c '"$@" | tr -s " "' sh "$marshal" report --compare "$samples/whole.json" "$scratch/changed.json"
sed 's/"mars": /"host, as fast or faster": /' "$samples/whole.json" > "$scratch/by_host.json"
expect 0 'host, as fast or faster' "$marshal" report --compare "$samples/whole.json" "$scratch/by_host.json"
expect 0 'Grids: no difference' "$marshal" report --compare "$samples/whole.json" "$scratch/by_host.json"
expect 0 'Job: no difference' "$marshal" report --compare "$samples/whole.json" "$samples/whole.json"
# The mean of the processes and the longest of them have different names.
sed '/"wall_ns"/,/}/s/"max": [0-9]*/"max": 99000000000/' "$samples/whole.json" > "$scratch/longer.json"
expect 0 'longest wall time' "$marshal" report --compare "$samples/whole.json" "$scratch/longer.json"
[ "$(printf '%s\n' "$out" | grep -c '^ *wall time ')" = 1 ] || wrong "not one row of the wall time: $out"

one_line () { expect "$@" && expect_one_line; }
one_line 1 'has ranks (0) that an earlier file has too (0)' "$marshal" report "$scratch/rank0.json" "$scratch/rank0.json"
sed 's/"4711"/"4712"/' "$scratch/rank2.json" > "$scratch/foreign.json"
one_line 1 'is of another run' "$marshal" report "$scratch/rank0.json" "$scratch/foreign.json"
one_line 1 'cannot be read' "$marshal" report "$scratch/absent.json"
: > "$scratch/empty.json"
one_line 1 'it is not JSON' "$marshal" report "$scratch/empty.json"
one_line 1 'cannot be read: it is a directory' "$marshal" report "$scratch"
head -c 700 "$samples/whole.json" > "$scratch/cut.json"
one_line 1 'it is not JSON' "$marshal" report "$scratch/cut.json"
echo '{"schema": "other"}' > "$scratch/other-schema.json"
one_line 1 'it is not a report of Marshal' "$marshal" report "$scratch/other-schema.json"
expect 2 'required' "$marshal" report
one_line 2 'takes two reports, not 1' "$marshal" report --compare "$samples/whole.json"
one_line 1 'cannot be read' "$marshal" report --compare "$samples/whole.json" "$scratch/absent.json"

# Whatever stands under the name: it is named in one short line, in bounded time and memory.
bounded () { one_line 1 "$1" sh -c "ulimit -v 1048576; ulimit -t 20; exec timeout 30 '$marshal' report $2" && short; }
short () {
  [ ${#out} -le 300 ] || wrong "a line of ${#out} characters"
}
head -c 60000000 /dev/zero | tr '\0' x > "$scratch/long"
mkfifo "$scratch/pipe"
{ printf '['; yes 0, | head -n 30000000 | tr -d '\n'; printf '0]'; } > "$scratch/zeros.json"
{ printf '{"schema": "marshal-report", "schema_version": "'; head -c 20000000 "$scratch/long"; printf '"}'; } > "$scratch/version.json"
{ printf '{"schema": "marshal-report", "schema_version": 6, "job": '; yes '[' | head -n 100000 | tr -d '\n'; } > "$scratch/deep.json"
truncate -s 3G "$scratch/huge.json"
for option in '' '--html page' "--compare '$samples/whole.json'"; do
  bounded '/dev/zero: cannot be read: it is no regular file' "$option /dev/zero"
  bounded "$scratch/zeros.json: it is not a report of Marshal: it is too large" "$option '$scratch/zeros.json'"
done
bounded "$scratch/pipe: it is not JSON" "'$scratch/pipe'"
bounded "$scratch/long: it is not JSON" "'$scratch/long'"
bounded "$scratch/version.json: its schema version is no number, and this Marshal reads version" "'$scratch/version.json'"
bounded "$scratch/deep.json: it is not a report of Marshal: it is nested too deep" "'$scratch/deep.json'"
bounded "$scratch/huge.json: cannot be read: it is too large" "'$scratch/huge.json'"
rm "$scratch/long" "$scratch/zeros.json" "$scratch/version.json" "$scratch/huge.json"

# Nothing in a report steers the terminal.
sed 's/"sample"/"a\\u001b[31m\xc2\x9b\x7f\xe2\x80\xae"/; s/"4711"/"\\u009b"/' "$samples/whole.json" > "$scratch/terminal.json"
for option in '' --details --all; do
  expect 0 'a\x1b[31m\x9b\x7f\u202e' "$marshal" report $option "$scratch/terminal.json"
  printf '%s' "$out" | LC_ALL=C grep -q "$(printf '[\033\177]\|\302\233')" && wrong "control characters by report $option"
done
expect 0 '"a\u001b[31m\u009b\u007f\u202e"' "$marshal" report --json "$scratch/terminal.json"
if [ -e /dev/full ]; then
  one_line 1 'standard output: ' sh -c "'$marshal' report '$samples/whole.json' > /dev/full"
fi
finish
