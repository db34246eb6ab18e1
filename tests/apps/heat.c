// Heat spreads on a plate: a Jacobi iteration on a Cartesian grid of processes, which MPI may reorder; columns are sent as a strided
// datatype. The demonstration's program, as such programs are: nothing in it knows of Marshal.
// cluster: nodes=4 ranks=8 args=200,60 env=MARSHAL_SELF_CHECK=on
// cluster: nodes=4 ranks=16 args=96,40 cyclic=yes under=run
// cluster: nodes=4 ranks=8 args=96,40 env=MARSHAL_RANKMAP=off
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int cells = argc > 1 ? atoi(argv[1]) : 400, steps = argc > 2 ? atoi(argv[2]) : 100;
  int ranks, rank, dims[2] = {0, 0}, periods[2] = {0, 0}, place[2], north, south, west, east;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 2, dims);
  MPI_Comm plate, row;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &plate);
  MPI_Comm_rank(plate, &rank);
  MPI_Cart_coords(plate, rank, 2, place);
  MPI_Cart_shift(plate, 0, 1, &north, &south);
  MPI_Cart_shift(plate, 1, 1, &west, &east);
  const int along_row[2] = {0, 1};
  MPI_Cart_sub(plate, along_row, &row);

  const int height = cells / dims[0], width = cells / dims[1], pitch = width + 2;
  MPI_Datatype column;
  MPI_Type_vector(height, 1, pitch, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  const size_t points = (size_t)(height + 2) * (size_t)pitch;
  double *now = calloc(points, sizeof *now), *next = calloc(points, sizeof *next);
  if (place[0] == 0) {
    for (int x = 0; x < pitch; x++) now[x] = next[x] = 100; // the hot edge
  }
  const double began = MPI_Wtime();
  for (int step = 0; step < steps; step++) {
    MPI_Request requests[8];
    MPI_Irecv(now + 1, width, MPI_DOUBLE, north, 0, plate, &requests[0]);
    MPI_Irecv(now + (height + 1) * pitch + 1, width, MPI_DOUBLE, south, 1, plate, &requests[1]);
    MPI_Irecv(now + pitch, 1, column, west, 2, plate, &requests[2]);
    MPI_Irecv(now + pitch + width + 1, 1, column, east, 3, plate, &requests[3]);
    MPI_Isend(now + height * pitch + 1, width, MPI_DOUBLE, south, 0, plate, &requests[4]);
    MPI_Isend(now + pitch + 1, width, MPI_DOUBLE, north, 1, plate, &requests[5]);
    MPI_Isend(now + pitch + width, 1, column, east, 2, plate, &requests[6]);
    MPI_Isend(now + pitch + 1, 1, column, west, 3, plate, &requests[7]);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    double change = 0, largest;
    for (int y = 1; y <= height; y++) {
      for (int x = 1; x <= width; x++) {
        const int at = y * pitch + x;
        next[at] = 0.25 * (now[at - pitch] + now[at + pitch] + now[at - 1] + now[at + 1]);
        change = fmax(change, fabs(next[at] - now[at]));
      }
    }
    double* swap = now;
    now = next;
    next = swap;
    MPI_Allreduce(&change, &largest, 1, MPI_DOUBLE, MPI_MAX, plate);
    if (rank == 0 && (step + 1) % (steps / 4 > 0 ? steps / 4 : 1) == 0) printf("step %4d: largest change %.12f\n", step + 1, largest);
  }
  if (rank == 0 && steps > 0) fprintf(stderr, "heat: %d steps, %.2f ms a step\n", steps, (MPI_Wtime() - began) * 1e3 / steps);
  double warmest = 0, of_row;
  for (int x = 1; x <= width; x++) warmest = fmax(warmest, now[height * pitch + x]);
  MPI_Allreduce(&warmest, &of_row, 1, MPI_DOUBLE, MPI_MAX, row);
  if (place[1] == 0) printf("row %d of %d: %.12f at its lower edge\n", place[0], dims[0], of_row);
  MPI_Type_free(&column);
  MPI_Comm_free(&row);
  MPI_Comm_free(&plate);
  free(now);
  free(next);
  MPI_Finalize();
  return 0;
}
