#!/bin/sh
# The manual and the completion agree with the commands' own help.
. "${srcdir:-.}/tests/tools/expect.sh"

# The mappers of marshal-mechanisms(7) and the settings of marshal(7) are those of their tables.
"$marshal" info --mdoc > "$scratch/settings"
sed -n -e '/^\.It No given/,/^\.El/{/^\.El/d;p;}' -e '/^\.It Ev MARSHAL_/,/^\.El/{/^\.El/d;p;}' \
  "$source/man/marshal-mechanisms.7" "$source/man/marshal.7" > "$scratch/manual"
cmp "$scratch/settings" "$scratch/manual" || wrong 'marshal.7 differs from `marshal info --mdoc`'

# Each command has a page, and marshal(1) names it.
for command in $("$marshal" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
  [ -e "$source/man/marshal-$command.1" ] || wrong "no page for marshal $command"
  grep -q "^\.It Cm $command\$" "$source/man/marshal.1" || wrong "marshal.1 does not name $command"
done

# Each option of a command stands in its page, and each option of the page is one. The settings, which are options of run and launch,
# stand in marshal(7).
"$marshal" info --json | sed -n 's/.*"option": "--\(.*\)",/\1/p' | grep -vx verbose > "$scratch/settings"
for command in run launch info report jobs stands map order profile tune; do
  "$marshal" --help | grep -q "^  $command " || continue
  "$marshal" $command --help | sed -n 's/^  *\(-[a-z], *\)\{0,1\}--\([a-z-]*\).*/\2/p' | sort -u > "$scratch/options"
  if [ $command = run ] || [ $command = launch ]; then
    grep -vxF -f "$scratch/settings" "$scratch/options" > "$scratch/own"
    mv "$scratch/own" "$scratch/options"
  fi
  sed -n 's/^\.It.*\\-\([a-z][a-z-]*\).*/\1/p' "$source/man/marshal-$command.1" | sort -u > "$scratch/page"
  diff "$scratch/options" "$scratch/page" || wrong "options of marshal $command and of its page differ"
done

for bench in $("$marshal" bench --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
  "$marshal" bench "$bench" --help | sed -n 's/^  *\(-[a-z], *\)\{0,1\}--\([a-z-]*\).*/\2/p'
  grep -q "^\.Ss marshal bench $bench\$" "$source/man/marshal-bench.1" || wrong "marshal-bench.1 has nothing of $bench"
done | sort -u > "$scratch/options"
grep '^\.It' "$source/man/marshal-bench.1" | grep -o '\\-[a-z][a-z-]*' | sed 's/^..//' | sort -u | diff "$scratch/options" - || wrong 'options of marshal bench and of its page differ'

if command -v mandoc > /dev/null; then
  for page in "$source"/man/*.[1357]; do
    # A page that is not yet installed cannot be found by the linter.
    mandoc -Tlint -W warning "$page" > "$scratch/lint" 2>&1
    grep -v 'referenced manual not found' "$scratch/lint" && wrong "$page"
  done
else
  echo 'not checked: mandoc is not installed'
fi

# The completion made with this build completes.
"$marshal" info --bash-completion | cmp - tools/completion/marshal || wrong 'tools/completion/marshal differs from `marshal info --bash-completion`'
if command -v bash > /dev/null; then
  completes () {  # completes WANTED WORD…: the last word is completed
    wanted=$1
    shift
    got=$(PATH=$PWD/tools:$PATH bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _marshal; echo "${COMPREPLY[*]}"' bash "$PWD/tools/completion/marshal" "$@" 2> "$scratch/errors")
    [ "$got" = "$wanted" ] && [ ! -s "$scratch/errors" ] || wrong "completing '$*' gives '$got' $(cat "$scratch/errors")"
  }
  completes 'run' marshal ru
  completes '--cart-move' marshal run --cart-mo
  completes 'strips search' marshal run --cart = s
  completes 'off' marshal run --cart of
  completes 'openmpi' marshal run --mpi = o
  completes '--json' marshal info --j
  completes '--compare' marshal report --com
  completes '--since' marshal jobs --si
  completes '--no-symbols' marshal report --no
  completes '--nodes --node-rate' marshal map --node
  completes 'strips search' marshal map --mapper s
  completes 'rankmap' marshal bench ra
  completes '--rounds' marshal bench pack --rou
  completes '' marshal run ./app --ca
fi
finish
