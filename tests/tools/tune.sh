#!/bin/sh
# marshal tune: shows the time against the segment size, keeps the best in a file of its own format, and says where.
. "${srcdir:-.}/tests/tools/expect.sh"

expect 0 'best: segments that touch ' "$marshal" tune --dry-run --output "$scratch/unwritten"
measured=$out
expect 0 ' best' printf '%s\n' "$out"
points=$(printf '%s\n' "$out" | grep -c '^  S  *[0-9]')
expect 0 '56 points' echo "$points points"  # four curves of fourteen
cpus=$(nproc)  # those that this process may use
if [ "$cpus" -gt 1 ]; then
  expect 0 'there and back: fragments packed in place ' printf '%s\n' "$measured"
fi
one_cpu=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
expect 0 'not measured, this process has one core' taskset -c "$one_cpu" "$marshal" tune --dry-run
expect 1 '' test -e "$scratch/unwritten"
expect 0 "kept in $scratch/cache/marshal/tune" env XDG_CACHE_HOME="$scratch/cache" "$marshal" tune
expect 0 '3' grep -c -E '^(segment_bytes|stream_bytes|stages_fragments) [0-9]+$' "$scratch/cache/marshal/tune"
touch "$scratch/file"
expect 1 "cannot write $scratch/file/tune" "$marshal" tune --output $scratch/file/tune
expect 1 'name a file with --output' env -u HOME -u XDG_CACHE_HOME "$marshal" tune
finish
