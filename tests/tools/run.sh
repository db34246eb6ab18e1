#!/bin/sh
# marshal run: finds the program's MPI from its files, preloads the library for it, and says one line where it cannot.
# All programs and libraries here are made up, so no MPI is needed.
. "${srcdir:-.}/tests/tools/expect.sh"
cc=${CC:-cc}

# An installed tree: bin/marshal, lib/libmarshal-openmpi.so (which tells that it was loaded), and no library for MPICH.
mkdir -p "$scratch/install/bin" "$scratch/install/lib" "$scratch/mpi" "$scratch/deep" || exit 99
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
library () { name=$1; shift; $cc -shared -fPIC -Wl,-soname,"$(basename "$name")" -o "$name" "$@" || exit 99; }
library install/lib/libmarshal-openmpi.so preload.c
echo 'int ompi_mpi_comm_world; int MPI_Init(void) { return 0; }' > openmpi.c
echo 'int MPI_Init(void) { return 0; }' > mpich.c
library mpi/libmpi.so.40 openmpi.c
library mpi/libmpi.so.12 mpich.c
echo 'int MPI_Init(void); int through(void) { return MPI_Init(); }' > through.c
library deep/libthrough.so through.c -Lmpi -l:libmpi.so.40 -Wl,-rpath,'$ORIGIN/../mpi'
echo 'int MPI_Init(void); int main(void) { return MPI_Init() + 7; }' > main.c
echo 'int through(void); int main(void) { return through(); }' > far.c
echo 'int main(void) { return 3; }' > plain.c
$cc -o openmpi main.c -Lmpi -l:libmpi.so.40 -Wl,-rpath,"$scratch/mpi" || exit 99
$cc -o mpich main.c -Lmpi -l:libmpi.so.12 -Wl,-rpath,"$scratch/mpi" || exit 99
$cc -o far far.c -Ldeep -lthrough -Wl,-rpath,'$ORIGIN/deep' -Wl,-rpath-link,mpi || exit 99
$cc -o rpath far.c -Ldeep -lthrough -Wl,--disable-new-dtags,-rpath,"$scratch/deep" -Wl,-rpath-link,mpi || exit 99
$cc -o plain plain.c || exit 99

expect 7 'loaded, cart is unset' "$marshal" run ./openmpi
expect 7 'loaded, cart is search' "$marshal" run --cart=search -- ./openmpi --cart=off
expect 7 'loaded, cart is search' "$marshal" run --cart search ./openmpi
# Nothing behind the equals sign does not make the program a value.
expect 7 'loaded, cart is' "$marshal" run --cart= ./openmpi
expect 0 'loaded' "$marshal" run ./far
expect 0 'loaded' "$marshal" run ./rpath
expect 7 'Open MPI' "$marshal" run -v ./openmpi
expect 7 'loaded' env PATH="$scratch:$PATH" "$marshal" run openmpi
expect 0 'env LD_PRELOAD='"$scratch"'/install/lib/libmarshal-openmpi.so ./openmpi '"'a b'" "$marshal" run --dry-run ./openmpi 'a b'
expect 0 'MARSHAL_CART=off MARSHAL_COMMAND_LINE=MARSHAL_CART' "$marshal" run --dry-run --cart=off ./openmpi
expect 0 "LD_PRELOAD=/lib/other.so:$scratch/install/lib" env LD_PRELOAD=/lib/other.so "$marshal" run --dry-run ./openmpi

# A library found through LD_LIBRARY_PATH only, and one not found at all: the name still tells.
$cc -o loose main.c -Lmpi -l:libmpi.so.40 || exit 99
expect 7 'loaded' env LD_LIBRARY_PATH="$scratch/mpi" "$marshal" run ./loose
expect 0 'libmarshal-openmpi.so' "$marshal" run --dry-run ./loose

one_line () { expect "$@" && expect_one_line; }
one_line 126 'uses MPICH, and there is no libmarshal-mpich.so in ' "$marshal" run ./mpich
one_line 126 'uses Open MPI' "$marshal" run --mpi=mpich ./openmpi
one_line 126 'has no MPI among its libraries' "$marshal" run ./plain
one_line 127 'no such program' "$marshal" run ./absent
one_line 127 'no such program' "$marshal" run absent-from-path
one_line 126 'cannot be executed' "$marshal" run "$scratch"
one_line 126 'cannot be executed' "$marshal" run ./main.c
one_line 2 'no program given' "$marshal" run
one_line 2 'did you mean --cart?' "$marshal" run --crat=off ./openmpi
one_line 2 "choices: nodecart, " "$marshal" run --cart=bets ./openmpi
one_line 2 'the choices are openmpi and mpich' "$marshal" run --mpi=intel ./openmpi
one_line 2 'exclude each other' "$marshal" run -q -v ./openmpi
if $cc -static -o static plain.c 2>/dev/null; then
  one_line 126 'is statically linked' "$marshal" run ./static
fi
printf '\177ELF\002\001\001 damaged' > damaged && chmod +x damaged
one_line 126 'damaged: is ' "$marshal" run ./damaged
if [ "$(id -u)" = 0 ]; then
  cp openmpi other && chown 65534 other && chmod 4755 other
  one_line 126 "another user's rights" "$marshal" run ./other
fi
# Only the first process of a node speaks.
expect 127 '' env OMPI_COMM_WORLD_LOCAL_RANK=1 "$marshal" run ./absent
[ -z "$out" ] || wrong "every process speaks: $out"

# Under the other MPI's launcher processes do not find each other.
expect 7 'each process will be alone' env HYDI_CONTROL_FD=5 PMI_SIZE=2 MPI_LOCALRANKID=0 "$marshal" run ./openmpi
expect 7 'loaded' env HYDI_CONTROL_FD=5 PMI_SIZE=2 MPI_LOCALRANKID=1 "$marshal" run ./openmpi
case $out in *alone*) wrong "every process speaks: $out" ;; esac
expect 7 'loaded' env HYDI_CONTROL_FD=5 PMI_SIZE=1 "$marshal" run ./openmpi
case $out in *alone*) wrong "one process is no fault: $out" ;; esac

# Scripts and interpreters: the launcher tells which MPI, or --mpi does.
printf '#!/bin/sh\necho "script $*"\nexec ./openmpi\n' > script && chmod +x script
printf '#!/usr/bin/env -S sh\necho second\n' > second && chmod +x second
echo 'echo bare' > bare && chmod +x bare
one_line 126 'say --mpi=openmpi or --mpi=mpich' "$marshal" run ./script
expect 7 'script one two' env OMPI_COMM_WORLD_SIZE=2 "$marshal" run ./script one two
expect 0 'second' "$marshal" run --mpi=openmpi ./second
expect 0 'bare' "$marshal" run --mpi=openmpi ./bare
expect 126 'uses MPICH' env PMI_RANK=0 "$marshal" run ./script
expect 0 'loaded' env OMPI_COMM_WORLD_SIZE=1 "$marshal" run sh -c true
expect 3 'loaded' "$marshal" run --mpi=openmpi ./plain

mkdir 'with blank' && cp -r install 'with blank/'
one_line 126 'cannot preload a path with a blank' 'with blank/install/bin/marshal' run ./openmpi
finish
