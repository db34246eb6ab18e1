#!/bin/sh
# marshal run: puts libmarshal.so in front of any program, and prints one line if it cannot.
# The library here is made up, so no MPI is needed.
. "${srcdir:-.}/tests/tools/expect.sh"
cc=${CC:-cc}

# An installed tree: bin/marshal, lib/libmarshal.so, which tells that it was loaded.
mkdir -p "$scratch/install/bin" "$scratch/install/lib" || exit 99
cp "$marshal" "$scratch/install/bin/" || exit 99
marshal=$scratch/install/bin/marshal
cd "$scratch" || exit 99
cat > preload.c <<'END'
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void loaded(void) {
  const char* cart = getenv("MARSHAL_CART");
  fprintf(stderr, "loaded, cart is %s\n", cart ? cart : "unset");
}
END
$cc -shared -fPIC -o install/lib/libmarshal.so preload.c || exit 99
echo 'int main(void) { return 3; }' > plain.c
$cc -o plain plain.c || exit 99
library=$scratch/install/lib/libmarshal.so

expect 3 'loaded, cart is unset' "$marshal" run ./plain
expect 3 'loaded, cart is search' "$marshal" run --cart=search -- ./plain --cart=off
expect 3 'loaded, cart is search' "$marshal" run --cart search ./plain
# Nothing behind the equals sign does not make the program a value.
expect 3 'loaded, cart is' "$marshal" run --cart= ./plain
expect 3 "preloading $library" "$marshal" run -v ./plain
expect 3 'loaded' env PATH="$scratch:$PATH" "$marshal" run plain
expect 0 "LD_PRELOAD=$library ./plain 'a b'" "$marshal" run --dry-run ./plain 'a b'
expect 0 'MARSHAL_CART=off MARSHAL_COMMAND_LINE=MARSHAL_CART' "$marshal" run --dry-run --cart=off ./plain
# In front of what is there already, and once.
expect 0 "LD_PRELOAD=$library:/lib/other.so " env LD_PRELOAD=/lib/other.so "$marshal" run --dry-run ./plain
expect 0 "LD_PRELOAD=$library:/lib/a.so:/lib/b.so " env LD_PRELOAD="/lib/a.so $library /lib/b.so" "$marshal" run --dry-run ./plain

one_line () { expect "$@" && expect_one_line; }
one_line 127 'no such program' "$marshal" run ./absent
one_line 127 'no such program' "$marshal" run absent-from-path
one_line 126 'cannot be executed' "$marshal" run "$scratch"
one_line 126 'cannot be executed' "$marshal" run ./plain.c
one_line 2 'no program given' "$marshal" run
one_line 2 'did you mean --cart?' "$marshal" run --crat=off ./plain
one_line 2 "choices: nodecart, " "$marshal" run --cart=bets ./plain
one_line 2 'is no value any more: nothing moves; `marshal launch`' "$marshal" run --cart-move=coordinates ./plain
one_line 2 '--cart-ties is no option any more: it is always `first`' "$marshal" run --cart-ties=last ./plain
one_line 2 'exclude each other' "$marshal" run -q -v ./plain
if $cc -static -o static plain.c 2>/dev/null; then
  one_line 126 'is statically linked' "$marshal" run ./static
fi
if $cc -static-pie -o static-pie plain.c 2>/dev/null; then
  one_line 126 'is statically linked' "$marshal" run ./static-pie
fi
printf '\177ELF\002\001\001 damaged' > damaged && chmod +x damaged
one_line 126 'damaged: is ' "$marshal" run ./damaged
cp plain other-machine && printf '\377\377' | dd of=other-machine bs=1 seek=18 conv=notrunc 2>/dev/null
one_line 126 'another kind of machine' "$marshal" run ./other-machine
if [ "$(id -u)" = 0 ]; then
  cp plain other && chown 65534 other && chmod 4755 other
  one_line 126 "another user's rights" "$marshal" run ./other
fi
# Only the first process of a node speaks.
expect 127 '' env OMPI_COMM_WORLD_LOCAL_RANK=1 "$marshal" run ./absent
[ -z "$out" ] || wrong "every process speaks: $out"

# Scripts and interpreters, and all that they start.
printf '#!/bin/sh\necho "script $*"\nexec ./plain\n' > script && chmod +x script
printf '#!/usr/bin/env -S sh\necho second\n' > second && chmod +x second
echo 'echo bare' > bare && chmod +x bare
expect 3 'script one two' "$marshal" run ./script one two
expect 3 'loaded' "$marshal" run ./script
expect 0 'second' "$marshal" run ./second
expect 0 'bare' "$marshal" run ./bare
expect 0 'loaded' "$marshal" run sh -c true

# A program of gcc's address sanitizer, a library, starts, and so does one that a script starts. It finds its faults. The user's own options stay.
cat > faulty.c <<'END'
#include <stdlib.h>
int main(int argc, char** argv) {
  (void)argv;
  char* volatile memory = malloc(10);
  free(memory);
  return argc > 1 ? memory[1] : 3;
}
END
for sanitizer in address thread undefined; do
  for compiler in gcc clang; do
    $compiler -fsanitize=$sanitizer -o faulty faulty.c 2>/dev/null && ./faulty; [ $? = 3 ] || continue
    expect 3 'loaded' "$marshal" run ./faulty
    expect 3 'loaded' "$marshal" run sh -c ./faulty
    [ $sanitizer != address ] || expect 1 'heap-use-after-free' "$marshal" run ./faulty x
  done
done
expect 0 'ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 ' env ASAN_OPTIONS=detect_leaks=0 "$marshal" run --dry-run ./plain

# Without /proc the library is that of the configuration, never one in the working directory.
mkdir -p trap/lib && cp install/lib/libmarshal.so trap/lib/ && cp install/lib/libmarshal.so trap/
if unshare --mount sh -c 'mount -t tmpfs none /proc' 2>/dev/null; then
  out=$(cd trap && PATH=../install/bin:$PATH unshare --mount sh -c 'mount -t tmpfs none /proc && exec marshal run ../plain' 2>&1)
  case $out in *loaded*) wrong "a library of the working directory is loaded: $out" ;; esac
  expect 3 'loaded' unshare --mount sh -c "mount -t tmpfs none /proc && exec '$marshal' run ./plain"
fi

mkdir 'with blank' && cp -r install 'with blank/'
one_line 126 'cannot preload a path with a blank' 'with blank/install/bin/marshal' run ./plain
finish
