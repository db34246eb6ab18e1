#!/bin/sh
# Collectives are listed by call with the bytes of the processes' parts, from C and Fortran; arguments that the standard does not make significant
# are never looked at.
. "${srcdir:-.}/tests/tools/expect.sh"
cat > "$scratch/app.c" << 'END'
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int rank, size, color, big[64] = {0}, small[64] = {0}, counts[4], places[4];
  double reals[64] = {0};
  union { long long bits; MPI_Datatype type; } junk = {0x12345}, nothing = {.type = MPI_DATATYPE_NULL};
  MPI_Datatype types[4];
  MPI_Request request;
  MPI_Comm half, inter;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 4) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 0; i < 4; ++i) counts[i] = i + 1, places[i] = 4 * i, types[i] = MPI_INT;
  const int root = rank == 1;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Bcast(big, 10, MPI_INT, 0, MPI_COMM_WORLD);                                             /* 4 x 40 */
  MPI_Allreduce(MPI_IN_PLACE, reals, 5, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);                 /* 4 x 40 */
  MPI_Reduce(root ? MPI_IN_PLACE : small, big, 3, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);       /* 4 x 12 */
  MPI_Gather(root ? MPI_IN_PLACE : (void *)reals, root ? 777 : 2, root ? junk.type : MPI_DOUBLE, reals, 2, root ? MPI_DOUBLE : junk.type, 1,
             MPI_COMM_WORLD);                                                                 /* 3 x 16 */
  MPI_Scatter(reals, 3, root ? MPI_DOUBLE : junk.type, root ? MPI_IN_PLACE : (void *)(reals + 32), 3, root ? junk.type : MPI_DOUBLE, 1,
              MPI_COMM_WORLD);                                                                /* 3 x 24 */
  MPI_Gatherv(small, rank + 1, MPI_INT, big, root ? counts : NULL, root ? places : NULL, MPI_INT, 1, MPI_COMM_WORLD); /* (1 + 3 + 4) x 4 */
  MPI_Allgather(MPI_IN_PLACE, 777, nothing.type, big, 1, MPI_INT, MPI_COMM_WORLD);            /* 4 x 4 x 4 */
  MPI_Allgatherv(small, rank + 1, MPI_INT, big, counts, places, MPI_INT, MPI_COMM_WORLD);     /* 4 x 10 x 4 */
  MPI_Alltoall(MPI_IN_PLACE, 777, junk.type, big, 2, MPI_INT, MPI_COMM_WORLD);                /* 4 x 4 x 8 */
  for (int i = 0; i < 4; ++i) counts[i] = 2;
  MPI_Alltoallv(small, counts, places, MPI_INT, big, counts, places, MPI_INT, MPI_COMM_WORLD); /* 4 x 4 x 8 */
  MPI_Alltoallw(small, counts, places, types, big, counts, places, types, MPI_COMM_WORLD);    /* 4 x 4 x 8 */
  MPI_Reduce_scatter_block(small, big, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);                  /* 4 x 4 x 4 */
  MPI_Scan(small, big, 7, MPI_INT, MPI_SUM, MPI_COMM_WORLD);                                  /* 4 x 28 */
  MPI_Iallreduce(small, big, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);                  /* 4 x 8 */
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  color = rank % 2;
  MPI_Comm_split(MPI_COMM_WORLD, color, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, !color, 0, &inter);
  MPI_Ibcast(color ? big : small, color || rank == 0 ? 6 : 777, MPI_INT,
             color ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter, &request);              /* 2 x 24 */
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Allreduce(small, big, 2, MPI_INT, MPI_SUM, half);                                       /* 4 x 8, on 2 processes */
#if MPI_VERSION >= 4
  MPI_Allreduce_init(small, big, 25, MPI_INT, MPI_SUM, half, MPI_INFO_NULL, &request);        /* 4 x 3 x 100 on 2 processes */
  for (int i = 0; i < 3; ++i) {
    if (i == 2) MPI_Startall(1, &request);
    else MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
  MPI_Gather_init(root ? MPI_IN_PLACE : (void *)reals, root ? 777 : 2, root ? junk.type : MPI_DOUBLE, reals, 2, root ? MPI_DOUBLE : junk.type, 1,
                  MPI_COMM_WORLD, MPI_INFO_NULL, &request);                                   /* 3 x 16 */
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  MPI_Bcast_init(big, 10, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);               /* never started */
  MPI_Request_free(&request);
  MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
#endif
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
  MPI_Finalize();
  return 0;
}
END
for interface in mpif use_mpi use_mpi_f08; do
  cat > "$scratch/$interface.f90" << END
program app
$(case $interface in mpif) ;; use_mpi) echo '  use mpi' ;; *) echo '  use mpi_f08' ;; esac)
  implicit none
$([ $interface = mpif ] && echo "  include 'mpif.h'")
  integer :: ierr, list(8), all(32)
  double precision :: reals(5)
  reals = 1
  list = 1
  call MPI_Init(ierr)
  call MPI_Allreduce(MPI_IN_PLACE, reals, 5, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr) ! 4 x 40
  call MPI_Bcast(list, 8, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr) ! 4 x 32
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 8, MPI_INTEGER, MPI_COMM_WORLD, ierr) ! 4 x 4 x 32
  call MPI_Finalize(ierr)
end program
END
done

# run_app PROGRAM: on two nodes; what Marshal reported is in $out, as JSON without line ends.
run_app () {
  rm -f "$scratch"/report*
  expect 0 '' env "$source/tools/cluster/run" --host $host --nodes 2 --ranks 4 --preload "$build/libmarshal.so" \
    --env MARSHAL_REPORT=json --env MARSHAL_REPORT_FILE="$scratch/report" --env "$2" -- "$scratch/$1"
  out=$("$marshal" report --json "$scratch/report.json" | tr -d ' \n')
  out=${out#*\"collectives\":}
  out=${out%%\"file\":*}
}
# lists NAME CALLS BYTES [KINDS]
lists () {
  case $out in *"\"MPI_$1\":{\"calls\":$2,\"bytes\":$3,\"kinds\":${4-}"*) ;; *) wrong "$host, $program: no MPI_$1 with $2 calls of $3 bytes ${4-} in $out" ;; esac
}

needs_mpi
for host in $hosts; do
  compilers_of $host
  program=app
  $compiler -o "$scratch/app" "$scratch/app.c" || exit 99
  run_app app A=B
  lists Bcast 4 160
  lists Allreduce 8 192 '[[2,8,4,32],[4,64,4,160]]'
  lists Reduce 4 48 '[[4,16,4,48]]'
  lists Gather 4 48
  lists Scatter 4 72
  lists Gatherv 4 32
  lists Allgather 4 64
  lists Allgatherv 4 160
  lists Alltoall 4 128
  lists Alltoallv 4 128
  lists Alltoallw 4 128
  lists Reduce_scatter_block 4 64
  lists Scan 4 112
  lists Iallreduce 4 32
  lists Ibcast 4 48
  if grep -q 'define *MPI_VERSION *[4-9]' $($compiler -show | tr ' ' '\n' | sed -n 's/^-I//p' | sed 's|$|/mpi.h|') 2>/dev/null; then
    lists Allreduce_init 12 1200 '[[2,128,12,1200]]'
    lists Gather_init 4 48 '[[4,0,1,0],[4,16,3,48]]'
    case $out in *Bcast_init*) wrong 'a persistent broadcast that was never started is listed' ;; esac
  else
    echo "not checked: this $host has no persistent collectives"
  fi
  case $out in *Barrier*) wrong 'a barrier moves no data' ;; esac
  in_parts=$(printf %s "$out" | grep -o '\[2,[0-9]*,[0-9]*,[0-9]*\]' | tr -d ']' | awk -F , '{ sum += $4 } END { print sum }')
  expect 0 "\"collectives_in_parts\": $in_parts.0" "$marshal" order "$scratch/report.traffic" --json
  expect 0 ' on 4 processes 4 calls, ' "$marshal" report --details "$scratch/report.json"
  run_app app MARSHAL_TRAFFIC=off
  [ "$out" = '{},' ] || wrong "with MARSHAL_TRAFFIC=off: $out"
  [ -n "$fortran" ] || { echo "not checked: no Fortran compiler of $host"; continue; }
  for program in mpif use_mpi use_mpi_f08; do
    (cd "$scratch" && $fortran -w -fallow-argument-mismatch -o $program $program.f90) || exit 99
    run_app $program A=B
    lists Allreduce 4 160
    lists Bcast 4 128
    lists Allgather 4 512
  done
done
finish
