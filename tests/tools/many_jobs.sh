#!/bin/sh
# marshal jobs reads 100,000 summaries, and full reports beside them, in a minute and in 1 GiB of memory.
. "${srcdir:-.}/tests/tools/expect.sh"
tests/tools/make_reports summaries "$scratch/site" 100000 > "$scratch/sums" || exit 99
mkdir "$scratch/site/full"
for i in $(seq 2000); do cp "$source/tests/tools/samples/whole.json" "$scratch/site/full/app-$i.json"; done

# seconds_of PLACE…: sets $seconds; the table stays in $scratch/table.
seconds_of () {
  began=$(date +%s.%N)
  (ulimit -v 1048576 && exec timeout 60 "$marshal" jobs --by program,user,host,month --json "$@" > "$scratch/table") || wrong "status $? of marshal jobs $*"
  seconds=$(echo "$began $(date +%s.%N)" | awk '{printf "%.2f", $2 - $1}')
}
seconds_of "$scratch"/site/user*
echo "100,000 summaries: $seconds s"
while read -r line; do
  grep -qE "^ *$line,\$" "$scratch/table" || wrong "no line '$line'"
done < "$scratch/sums"
seconds_of "$scratch/site/full"
echo "2,000 full reports of $(wc -c < "$source/tests/tools/samples/whole.json") B: $seconds s"
seconds_of "$scratch/site"
grep -qE '^ *"reports": 102000,$' "$scratch/table" || wrong 'not 102,000 reports'
finish
