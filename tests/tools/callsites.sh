#!/bin/sh
# Where communicators, grids and datatypes are made: in programs with and without debug information, at any and at a fixed address, stripped, in
# Fortran, through a library; told by the report on the screen and again by marshal report.
. "${srcdir:-.}/tests/tools/expect.sh"

cat > "$scratch/sites.c" <<'END'
#include <mpi.h>
MPI_Comm split(MPI_Comm of);
static void communicators(MPI_Comm *grid) {
  MPI_Comm part = split(MPI_COMM_WORLD);
  MPI_Comm_free(&part);
  const int dims[2] = {2, 1}, periods[2] = {0, 0};
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, grid);  // line 7
}
static void datatypes(void) {
  MPI_Datatype column;
  double from[4096] = {0}, to[1024];
  MPI_Type_vector(1024, 1, 4, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);  // line 13
  for (int i = 0; i < 64; i++) {
    int position = 0;
    MPI_Pack(from, 1, column, to, sizeof to, &position, MPI_COMM_SELF);
  }
  MPI_Type_free(&column);
}
int main(void) {
  MPI_Init(0, 0);
  MPI_Comm grid, part = split(MPI_COMM_WORLD);
  communicators(&grid);
  datatypes();
  MPI_Comm_free(&grid);
  MPI_Comm_free(&part);
  return MPI_Finalize();
}
END
cat > "$scratch/split.c" <<'END'
#include <mpi.h>
MPI_Comm split(MPI_Comm of) {
  MPI_Comm part;
  MPI_Comm_split(of, 0, 0, &part);  // line 4
  return part;
}
END
cat > "$scratch/sites.f90" <<'END'
module solver
contains
  subroutine make_grid()
    use mpi
    integer :: grid, ierror
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [2], [.false.], .true., grid, ierror)
    call MPI_Comm_free(grid, ierror)
  end subroutine
end module
program sites
  use mpi
  use solver
  integer :: ierror
  call MPI_Init(ierror)
  call make_grid()
  call MPI_Finalize(ierror)
end program
END

# run_program PROGRAM: 2 ranks under Marshal; the screen is left in $screen, and the text of marshal report in $again.
run_program () {
  rm -f "$scratch"/marshal-*.json
  screen=$(cd "$scratch" && "$source/tools/cluster/run" --host $host --ranks 2 --preload "$build/libmarshal.so" \
    --env MARSHAL_REPORT=details,json --env MARSHAL_PACK=mars -- "./$1" 2>&1) || wrong "$1 on $host: $screen"
  again=$("$marshal" report --details "$scratch"/marshal-*.json 2>&1) || wrong "marshal report: $again"
}
# tells WHERE TEXT PATTERN: each line of TEXT matches PATTERN somewhere; WHERE is for the message.
tells () {
  printf '%s\n' "$2" | grep -Eq -- "$3" || wrong "$1: no line with '$3' in:
$2"
}
both_tell () { tells "the screen of $program on $host" "$screen" "$1"; tells "marshal report of $program on $host" "$again" "$1"; }

needs_mpi
for host in $hosts; do
  compilers_of $host
  cd "$scratch" || exit 99
  $compiler -g -O1 -fPIC -shared -o libsplit.so split.c || exit 99
  for program in pie fixed; do
    [ $program = fixed ] && flags='-no-pie -fno-pie' || flags='-pie -fPIE'
    # shellcheck disable=SC2086
    $compiler -g -O1 -fno-inline $flags -w -o $program sites.c -L. -lsplit -Wl,-rpath,"$scratch" || exit 99
  done
  cp fixed stripped && strip stripped
  $compiler -O1 -fno-inline -w -o nolines sites.c -L. -lsplit -Wl,-rpath,"$scratch" || exit 99
  cd "$build" || exit 99

  for program in pie fixed; do
    run_program $program
    both_tell 'MPI_Comm_split +split.c:4 in split, from sites.c:22'
    both_tell 'MPI_Comm_split +split.c:4 in split, from sites.c:4 '
    both_tell 'MPI_Cart_create +sites.c:7 in communicators'
    both_tell '^  sites.c:7 in communicators +2x1'
    both_tell 'sites.c:13 in datatypes'
  done
  program=nolines
  run_program nolines
  both_tell 'MPI_Cart_create +communicators  '
  both_tell 'B +datatypes  '
  program=stripped
  run_program stripped
  both_tell 'MPI_Cart_create +stripped[+]0x[0-9a-f]+  '
  both_tell 'MPI_Comm_split +split.c:4 in split, from'
  # If a file is gone when the report is read, the names that are known stay.
  rm "$scratch/libsplit.so"
  again=$("$marshal" report --details "$scratch"/marshal-*.json 2>&1)
  tells 'marshal report without the library' "$again" 'MPI_Comm_split +split.c:4 in split'

  if [ -n "$fortran" ] && $fortran -g -O1 -J"$scratch" -o "$scratch/sites_fortran" "$scratch/sites.f90" 2> "$scratch/log"; then
    program=sites_fortran
    run_program sites_fortran
    both_tell 'MPI_Cart_create +sites.f90:6 in solver::make_grid'
  fi
done
finish
