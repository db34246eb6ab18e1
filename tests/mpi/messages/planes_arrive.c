// A plane of a grid is one block in a datatype that is far longer: it arrives as it was sent, whatever is at the other
// side, and a receiver learns of it what the host would tell.
//
// cluster: nodes=1 ranks=2
// cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=on env=UCX_RNDV_THRESH=1000
// cluster: nodes=2 ranks=2 env=UCX_TLS=tcp,self env=OMPI_MCA_btl=self,tcp
// cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { planes = 3, turns = 8 };
static int me, wrong;

static void check(int condition, int n, const char* what) {
  if (condition) return;
  printf("rank %d, %d x %d: %s\n", me, n, n, what);
  wrong++;
}

// The middle one of three planes of n x n numbers.
static MPI_Datatype plane_of(int n) {
  const int sizes[3] = {planes, n, n}, part[3] = {1, n, n}, at[3] = {1, 0, 0};
  MPI_Datatype type;
  MPI_Type_create_subarray(3, sizes, part, at, MPI_ORDER_C, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}
// As many numbers, every other one.
static MPI_Datatype strided(int n) {
  MPI_Datatype type;
  MPI_Type_vector(n * n, 1, 2, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

static void fill(double* grid, int n, double seed) {
  for (int i = 0; i < planes * n * n; i++) grid[i] = seed + i;
}
static int is(const double* all, int count, int stride, double first, int step) {
  for (int i = 0; i < count; i++)
    if (all[stride * i] != first + step * i) return 0;
  return 1;
}
// So many numbers of the middle plane came from the other's grid, which was filled with `seed`; all else is -1.
static int came(const double* grid, int n, int count, double seed) {
  const double* const middle = grid + n * n;
  return is(middle, count, 1, seed + n * n, 1) && is(grid, n * n, 1, -1, 0) &&
         is(middle + count, planes * n * n - n * n - count, 1, -1, 0);
}
static void clear(double* grid, int n) {
  for (int i = 0; i < planes * n * n; i++) grid[i] = -1;
}

// Some time apart: Marshal learns how the host sends them.
static void one_by_one(double* grid, int n, MPI_Datatype plane, MPI_Datatype others) {
  for (int turn = 0; turn < turns; turn++) {
    MPI_Status status;
    int count;
    MPI_Barrier(MPI_COMM_WORLD);
    usleep(1500);
    if (me == 0) {
      fill(grid, n, turn);
      MPI_Send(grid, 1, plane, 1, 0, MPI_COMM_WORLD);
      MPI_Ssend(grid, 1, plane, 1, 1, MPI_COMM_WORLD);
      MPI_Send(grid, 1, plane, 1, 2, MPI_COMM_WORLD);
      MPI_Send(grid, n * n - 5, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD);
      MPI_Send(grid, 1, others, 1, 4, MPI_COMM_WORLD);
      MPI_Send(grid, 1, plane, 1, 5, MPI_COMM_WORLD);
    } else {
      for (int tag = 0; tag < 2; tag++) {
        clear(grid, n);
        MPI_Recv(grid, 1, plane, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, plane, &count);
        check(count == 1 && came(grid, n, n * n, turn), n, tag ? "a synchronous plane" : "a plane");
      }
      clear(grid, n);
      MPI_Recv(grid, 1, others, 0, 2, MPI_COMM_WORLD, &status);
      check(is(grid, n * n, 2, turn + n * n, 1) && grid[1] == -1, n, "a plane that is taken apart");
      clear(grid, n);
      MPI_Recv(grid, 1, plane, 0, 3, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_DOUBLE, &count);
      check(count == n * n - 5 && is(grid + n * n, count, 1, turn, 1) && grid[2 * n * n - 5] == -1, n,
            "a part of a plane");
      clear(grid, n);
      MPI_Recv(grid, 1, plane, 0, 4, MPI_COMM_WORLD, &status);
      check(is(grid + n * n, n * n, 1, turn, 2), n, "a plane that is put together");
      MPI_Message message;
      clear(grid, n);
      MPI_Mprobe(0, 5, MPI_COMM_WORLD, &message, &status);
      MPI_Mrecv(grid, 1, plane, &message, &status);
      check(came(grid, n, n * n, turn), n, "a plane that was probed");
    }
  }
}

// Both ways at once, by types that are gone before the messages are, and several of them.
static void under_way(double* grid, double* other_grid, int n) {
  MPI_Datatype plane = plane_of(n);
  MPI_Request requests[2];
  fill(grid, n, me);
  clear(other_grid, n);
  MPI_Irecv(other_grid, 1, plane, 1 - me, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(grid, 1, plane, 1 - me, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Type_free(&plane);
  plane = plane_of(n);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  check(came(other_grid, n, n * n, 1 - me), n, "a plane of a type that is gone");
  MPI_Send_init(grid, 1, plane, 1 - me, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(other_grid, 1, plane, 1 - me, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Type_free(&plane);
  for (int turn = 0; turn < 3; turn++) {
    clear(other_grid, n);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    check(came(other_grid, n, n * n, 1 - me), n, "a plane of a persistent request");
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void to_all(double* grid, int n, MPI_Datatype plane) {
  for (int root = 0; root < 2; root++) {
    if (me == root)
      fill(grid, n, root);
    else
      clear(grid, n);
    MPI_Bcast(grid, 1, plane, root, MPI_COMM_WORLD);
    if (me != root) check(came(grid, n, n * n, root), n, "a plane for all");
  }
}

static void failing(double* grid, int n, MPI_Datatype plane) {
  MPI_Request request;
  MPI_Status status;
  int cancelled = 0;
  MPI_Irecv(grid, 1, plane, 1 - me, 77, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &cancelled);
  check(cancelled, n, "a receive that is taken back");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (me == 0) {
    MPI_Datatype longer = plane_of(n + 1);
    fill(grid, n, 1);
    MPI_Send(grid, 1, longer, 1, 0, MPI_COMM_WORLD);
    MPI_Type_free(&longer);
  } else {
    int class = MPI_SUCCESS;
    const int code = MPI_Recv(grid, 1, plane, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
    check(class == MPI_ERR_TRUNCATE, n, "a receive that is too short");
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  const int sizes[] = {34, 70, 200, 400};  // 9 KB to 1.3 MB
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const int n = sizes[i];
    const size_t bytes = planes * (n + 1) * (n + 1) * sizeof(double);
    double *grid = malloc(bytes), *other_grid = malloc(bytes);
    MPI_Datatype plane = plane_of(n), others = strided(n);
    one_by_one(grid, n, plane, others);
    under_way(grid, other_grid, n);
    to_all(grid, n, plane);
    failing(grid, n, plane);
    MPI_Type_free(&plane);
    MPI_Type_free(&others);
    free(grid);
    free(other_grid);
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) puts(wrong ? "FAILED" : "OK");
  fflush(stdout);
  MPI_Finalize();
  return wrong != 0;
}
