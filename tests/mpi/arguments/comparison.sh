#!/bin/bash
# Functions of the scripts that make calls bare, once more and under Marshal; sourced by them.
# They set $srcdir, $scratch, $host and $status.

# shellcheck disable=SC2154,SC2034 # the variables of those scripts

# make_caller NAME: builds $scratch/NAME of NAME.c for the host. 1 if it has no compiler or no library here, 2 if that fails.
make_caller() {
  local compiler=${host^^}_MPICC
  [[ -n ${!compiler:-} && -e libmarshal-$host.so ]] || return 1
  [[ -e $scratch/rows.inc ]] || python3 "$srcdir/wrappers/entry/entries.py" rows "$srcdir/wrappers/entry/calls.table" |
    awk -f "$srcdir/tests/mpi/arguments/rows.awk" >"$scratch/rows.inc" || return 2
  "${!compiler}" -O1 -I"$scratch" -o "$scratch/$1" "$srcdir/tests/mpi/arguments/$1.c" -ldl || return 2
}

# compare LABEL [MAY_END]: compares the lines of bare.log, again.log and marshalled.log, and says which cases it leaves out. MAY_END: also cases
# that end the process are compared.
compare() {
  local label=$1 cases left_out
  paste -d '\t' "$scratch"/{bare,again,marshalled}.log | awk -F '\t' -v may_end="${2:-}" -v left_out="$scratch/left_out" '
    BEGIN { printf "" > left_out }
    $1 ~ /: (dies of signal|the job ends|left out)/ || ($1 ~ /: ends the process/ && may_end == "") { print "dies " $1 > left_out; next }
    $1 != $2 { print "unsteady " $1 > left_out; next }
    $1 != $3 { print "  bare:    " $1 "\n  Marshal: " $3; differs = 1 }
    END { exit differs }' >"$scratch/differ" || { echo "FAIL $host, $label: answers differ"; head -n 60 "$scratch/differ"; status=1; }
  cases=$(grep -c ' (.*):' "$scratch/bare.log") left_out=$(wc -l <"$scratch/left_out")
  echo "$host, $label: $((cases - left_out)) of $cases cases compared"
  for why in dies unsteady; do
    echo "  the bare host $why: $(sed -n -E "s/^$why ([A-Za-z_0-9]+ \([^()]*\)):.*/\1/p" "$scratch/left_out" | sed 's/, process [0-9]*//' |
      awk '!seen[$0]++' | paste -sd ';' | sed 's/;/; /g')"
  done | sed 's/bare host unsteady/bare host does not answer alike twice/; s/bare host dies/bare host dies or hangs/' | grep -v ': $'
  ((2 * left_out < cases)) || { echo "FAIL $host, $label: too few cases are compared"; status=1; }
}
