#!/bin/sh
# A program that makes a grid only to ask it for ranks, and uses them elsewhere, is warned of; one that works on its grid is not.
. "${srcdir:-.}/tests/tools/expect.sh"

cat > "$scratch/grid.c" <<'END'
#include <mpi.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const int dims[2] = {4, 4}, periods[2] = {0, 0}, works = argc > 1 && strcmp(argv[1], "works") == 0;
  int before, after;
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
  MPI_Cart_shift(grid, 0, 1, &before, &after);
  if (!works) MPI_Comm_free(&grid);
  sleep(4);
  if (works) MPI_Comm_free(&grid);
  return MPI_Finalize();
}
END
warning='Warning: the program asked a grid for ranks and freed it at once'
needs_mpi
for host in $hosts; do
  compilers_of $host
  $compiler -w -o "$scratch/grid-$host" "$scratch/grid.c" || exit 99
  run () {
    (cd "$scratch" && "$source/tools/cluster/run" --host $host --nodes 4 --ranks 16 --preload "$build/libmarshal.so" \
      --env MARSHAL_REPORT=details --env MARSHAL_CART=best --env MARSHAL_CART_WEIGHTS=equal -- "./grid-$host" "$@")
  }
  expect 0 "$warning" run asks
  expect 0 'Warnings: 0' run works
done
finish
