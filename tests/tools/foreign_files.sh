#!/bin/sh
# Reports, summaries, traffic files and profiles that somebody else made, damaged or meant to harm (make_foreign.cc): each command that
# reads them ends in time, in bounded memory, without a signal, and what it writes is harmless.
# FOREIGN_FUZZ_PERCENT: so much of 1,500 sets of files (default: 1). FOREIGN_FUZZ_SEED: the first seed (default: another one each time).
. "${srcdir:-.}/tests/tools/expect.sh"
python3 -c '' 2>/dev/null || { echo 'SKIPPED: no python3 here'; exit 77; }
sets=$(((1500 * ${FOREIGN_FUZZ_PERCENT-1} + 99) / 100))
seed=${FOREIGN_FUZZ_SEED-$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')}
echo "FOREIGN_FUZZ_SEED=$seed, $sets sets"
python3 "$source/tests/tools/read_foreign.py" "$marshal" "$PWD/tests/tools/make_foreign" "$source/tests/tools/samples" "$scratch" "$seed" "$sets" ||
  wrong 'a command that reads foreign files'
finish
