#!/bin/sh
# Two types that are committed again by turns before each pack, as libraries do: each counts once, and both come to the engine, from C and from Fortran.
. "${srcdir:-.}/tests/tools/expect.sh"

cat > "$scratch/turns.c" <<'END'
#include <mpi.h>
int main(int argc, char **argv) {
  static double user[4096], packed[4096];
  MPI_Datatype types[2];
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 2; ++i) MPI_Type_vector(40 + i, 1, 2 + i, MPI_DOUBLE, &types[i]);
  for (int turn = 0; turn < 3000; ++turn)
    for (int i = 0; i < 2; ++i) {
      int position = 0;
      MPI_Type_commit(&types[i]);
      MPI_Pack(user, 10, types[i], packed, sizeof packed, &position, MPI_COMM_SELF);
    }
  for (int i = 0; i < 2; ++i) MPI_Type_free(&types[i]);
  return MPI_Finalize();
}
END
cat > "$scratch/turns.f90" <<'END'
program turns
  use mpi
  implicit none
  integer :: types(2), i, turn, position, ierror
  double precision :: user(4096), packed(4096)
  call MPI_Init(ierror)
  user = 1
  do i = 1, 2
    call MPI_Type_vector(39 + i, 1, 1 + i, MPI_DOUBLE_PRECISION, types(i), ierror)
  end do
  do turn = 1, 3000
    do i = 1, 2
      position = 0
      call MPI_Type_commit(types(i), ierror)
      call MPI_Pack(user, 10, types(i), packed, 8 * 4096, position, MPI_COMM_SELF, ierror)
    end do
  end do
  do i = 1, 2
    call MPI_Type_free(types(i), ierror)
  end do
  call MPI_Finalize(ierror)
end program
END
needs_mpi
for host in $hosts; do
  compilers_of $host
  $compiler -w -o "$scratch/turns-c" "$scratch/turns.c" || exit 99
  programs=turns-c
  # shellcheck disable=SC2086
  [ -z "$fortran" ] || { $fortran -w -fallow-argument-mismatch -o "$scratch/turns-fortran" "$scratch/turns.f90" && programs="$programs turns-fortran"; } || exit 99
  for program in $programs; do
    # Messages off: types that are read for them need no pack to come to the engine.
    expect 0 'Datatypes: 2 committed' sh -c 'cd "$0" && exec "$@"' "$scratch" env "$source/tools/cluster/run" \
      --host $host --ranks 1 --preload "$build/libmarshal.so" --env MARSHAL_REPORT=details,json --env MARSHAL_MESSAGES=off -- "./$program"
    for layout in '40 x 8 B every 16 B' '41 x 8 B every 24 B'; do
      case $out in *"$layout"*) ;; *) wrong "$program on $host: the engine never got $layout: $out" ;; esac
    done
  done
done
finish
