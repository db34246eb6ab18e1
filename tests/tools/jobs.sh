#!/bin/sh
# marshal jobs adds up the runs below directories; what is no report is named and passed over.
. "${srcdir:-.}/tests/tools/expect.sh"
samples=$source/tests/tools/samples
export LC_ALL=C

# holds LINE…: the last output has these lines, with blanks in front or a comma behind.
holds () {
  for line in "$@"; do
    printf '%s\n' "$out" | grep -qE "^ *$line,?\$" || wrong "no line '$line' in: $out"
  done
}
# runs_are NUMBER DIR…: marshal jobs finds so many runs there, and has nothing to complain of.
runs_are () {
  wanted=$1
  shift
  expect 0 '"passed_over": 0' "$marshal" jobs --json "$@"
  holds "\"runs\": $wanted"
}

# The sums are those of what was written, in every form, by every key.
tests/tools/make_reports summaries "$scratch/site" 300 > "$scratch/sums" || exit 99
expect 0 '"schema": "marshal-jobs"' "$marshal" jobs --json "$scratch/site"
while read -r line; do holds "$line"; done < "$scratch/sums"
holds '"reports": 300' '"passed_over": 0' '"program": "lmp"' '"verdict": "gained"' '"what": "N of N processes of the N grid were moved."' '"example": "0 of 64 processes of the 8x8 grid were moved."'
expect 0 '300 runs in 300 reports' "$marshal" jobs "$scratch/site"
expect 0 '      15 runs, to do: Communicators made by setup (setup.c:10) are not freed.' "$marshal" jobs "$scratch/site"
for by in program=8 user=1 host=3 month=11 program,month=88 program,user,host,month=260; do
  out=$("$marshal" jobs --by "${by%=*}" --csv "$scratch/site")
  [ "$(printf '%s\n' "$out" | wc -l)" = $((${by#*=} + 1)) ] || wrong "not ${by#*=} rows by ${by%=*}"
  [ "$(printf '%s\n' "$out" | awk -F , 'NR > 1 {n += $'"$(echo "${by%=*}" | awk -F , '{print NF + 1}')"'} END {print n}')" = 300 ] || wrong "not 300 runs by ${by%=*}"
  "$marshal" jobs --by "${by%=*}" --all "$scratch/site" | awk 'length > 100 {exit 1}' || wrong "more than 100 columns by ${by%=*}"
done
expect 0 'month,runs,runs_ended_early,' "$marshal" jobs --by month --csv "$scratch/site"
expect 0 'and 58 more (--all)' "$marshal" jobs --by program,month "$scratch/site"
runs_are 28 --since 2026-02 --until 2026-02 "$scratch/site"
runs_are 29 --since 2026-02-01 --until 2026-03-01 "$scratch/site"
runs_are 300 --since 2026 "$scratch/site"
runs_are 600 "$scratch/site" "$scratch/site/"

# Numbers are said as one run has them.
expect 0 ' 6 runs, gained: 1 of 64 processes of the 8x8 grid were moved.' "$marshal" jobs "$scratch/site/user01"
holds 'Findings of several runs, in the words of one of them; the numbers of the others may differ'

# The owner of a file is believed, and not what it says.
me=$(id -un)
mkdir "$scratch/users"
first=$(ls "$scratch"/site/user00/2026/01/*.summary.json | head -n 1)
cp "$first" "$scratch/users/other.summary.json"
expect 0 '*: the owner of the reports; they name another user' "$marshal" jobs --by user "$scratch/users"
expect 0 "
$me*,1," "$marshal" jobs --csv --by user "$scratch/users"
sed "s/\"user\": \"[^\"]*\"/\"user\": \"$me\"/" "$first" > "$scratch/users/other.summary.json"
expect 0 "
$me,1," "$marshal" jobs --csv --by user "$scratch/users"
expect 1 '' sh -c "'$marshal' jobs --by user '$scratch/users' | grep '[*]'"
if chown daemon "$scratch/users/other.summary.json" 2> /dev/null; then
  expect 0 "
daemon*,1," "$marshal" jobs --csv --by user "$scratch/users"
fi

# No cell of a table is a formula, and nothing steers a terminal.
mkdir "$scratch/formula"
sed 's/"program": "[^"]*"/"program": "=1+2,\\u001b\xc2\x9b\x7f"/' "$first" > "$scratch/formula/x.summary.json"
expect 0 "
\"'=1+2,\\x1b\\x9b\\x7f\",1," "$marshal" jobs --csv "$scratch/formula"
expect 0 '  =1+2,\x1b\x9b\x7f ' "$marshal" jobs "$scratch/formula"
expect 0 '"=1+2,\u001b\u009b\u007f"' "$marshal" jobs --json "$scratch/formula"

# One run counts once: a full report beside its summary, and the files of processes that ended without MPI_Finalize.
mkdir "$scratch/one"
cp "$samples/whole.json" "$scratch/one/app-1.json"
runs_are 1 "$scratch/one"
sed 's/"report": ""/"report": "app-1.json"/' "$first" > "$scratch/one/app-1.summary.json"
runs_are 1 "$scratch/one"
cp "$samples/whole.json" "$scratch/one/app-1-2.json"
runs_are 2 "$scratch/one"
mkdir "$scratch/partial"
tests/tools/make_reports partial "$samples/whole.json" "$scratch" 0 2 || exit 99
cp "$scratch/rank0.json" "$scratch/partial/app-partial-rank0.json"
cp "$scratch/rank2.json" "$scratch/partial/app-partial-rank2.json"
runs_are 1 "$scratch/partial"
holds '"runs_ended_early": 1' '"most_ranks": 8' '"reports": 2'
cp "$scratch/rank2.json" "$scratch/partial/app-partial-rank2-2.json"
runs_are 2 "$scratch/partial"
runs_are 1 "$scratch/partial/app-partial-rank2.json"
runs_are 1 "$scratch/partial/app-partial-rank0.json" "$scratch/partial/app-partial-rank2.json"
runs_are 2 "$scratch/partial"/app-partial-rank*.json
# A run whose start is not known is in no month.
mkdir "$scratch/undated"
sed 's/"started": "[^"]*"/"started": ""/' "$samples/whole.json" > "$scratch/undated/app.json"
runs_are 1 "$scratch/undated"
for bound in --since --until; do expect 1 'no report of a run is there' "$marshal" jobs --json $bound 2026 "$scratch/undated"; done

# Only regular files named *.json count; links are not followed, except a directory that is named.
mkdir "$scratch/links"
ln -s "$scratch/site" "$scratch/links/site"
ln -s "$scratch/one/app-1.json" "$scratch/links/app-1.json"
mkfifo "$scratch/links/pipe.json"
echo text > "$scratch/links/notes.txt"
expect 1 'no report of a run is there' "$marshal" jobs "$scratch/links"
expect_one_line
runs_are 300 "$scratch/links/site"

# Broken, truncated, foreign and huge files are named and passed over.
broken=$scratch/broken
mkdir "$broken"
cp "$first" "$broken/good.summary.json"
head -c 500 "$first" > "$broken/cut.summary.json"
head -c 5000 "$samples/whole.json" > "$broken/cut.json"
: > "$broken/empty.json"
head -c 3000 /dev/urandom > "$broken/noise.json"
echo '{"type": "FeatureCollection"}' > "$broken/foreign.json"
sed 's/"schema_version": 1/"schema_version": 77/' "$first" > "$broken/newer.summary.json"
sed 's/"ranks": [0-9]*/"ranks": -1/' "$first" > "$broken/odd.summary.json"
truncate -s 3G "$broken/huge.json"
expect 0 '1 run in 1 report, 8 passed over' "$marshal" jobs "$broken"
holds "marshal: $broken/cut.summary.json: it is not JSON" "marshal: $broken/cut.json: it is not JSON" \
  "marshal: $broken/empty.json: it is not JSON" "marshal: $broken/noise.json: it is not JSON" \
  "marshal: $broken/foreign.json: it is not a report of Marshal" "marshal: $broken/huge.json: it is too large" \
  "marshal: $broken/newer.summary.json: its schema version is 77, and this Marshal reads version 1" \
  "marshal: $broken/odd.summary.json: its ranks is not a whole number of 0 or more"
for i in $(seq 30); do : > "$broken/empty-$i.json"; done
expect 0 'marshal: and 18 more passed over' "$marshal" jobs --csv "$broken"
[ "$(printf '%s\n' "$out" | grep -c '^marshal: ')" = 21 ] || wrong "not 21 lines of Marshal in: $out"
printf '%s' "$(printf '[%.0s' $(seq 1000))" > "$broken/deep.json"
expect 1 'it is nested too deep' "$marshal" jobs "$broken/deep.json"
# Small values take the most memory for each byte of a file.
{ printf '['; yes '[],' | head -n 15000000 | tr -d '\n'; } > "$broken/values.json"
expect 1 'it is too large' sh -c "ulimit -v 1048576; '$marshal' jobs '$broken/values.json'"
{ printf '{'; yes '"":1,' | head -n 11000000 | tr -d '\n'; } > "$broken/members.json"
expect 1 'it is too large' sh -c "ulimit -v 1048576; '$marshal' jobs '$broken/members.json'"
rm "$broken/values.json" "$broken/members.json"
# A table of many long names is bounded, too.
mkdir "$scratch/long"
long=$(printf 'x%.0s' $(seq 100000))
for i in $(seq 100); do sed "s/\"program\": \"[^\"]*\"/\"program\": \"$i$long\"/" "$first" > "$scratch/long/$i.summary.json"; done
expect 0 '' sh -c "ulimit -v 1048576; '$marshal' jobs --json '$scratch/long' | awk 'length > 1000 {exit 1}'"
name=$(printf 'esc\033[31m.json')
: > "$scratch/one/$name"
expect 0 'esc\x1b[31m.json: it is not JSON' "$marshal" jobs "$scratch/one"

expect 2 'required' "$marshal" jobs
expect 1 'it cannot be read: No such file or directory' "$marshal" jobs "$scratch/absent"
expect 1 '300 runs' "$marshal" jobs "$scratch/absent" "$scratch/site"
expect 2 '--by=user,weekday: weekday is none of program, user, host, month' "$marshal" jobs --by user,weekday "$scratch/site"
expect_one_line
expect 2 'a date is YYYY, YYYY-MM or YYYY-MM-DD' "$marshal" jobs --since yesterday "$scratch/site"
expect_one_line
if [ -e /dev/full ]; then
  expect 1 'standard output: ' sh -c "'$marshal' jobs '$scratch/site' > /dev/full"
fi
finish
