/* A program frees a grid as soon as its MPI_Comm_idup is complete, by what MPI tells it. The duplicate is a grid all
   the same, also where the ranks of the grid were moved; and questions to it are answered at once, while no other
   process is in MPI. With "parts" it keeps the grid, and at once makes a part and other duplicates of it, or has
   neighbours exchange. Marshal begins nothing of its own on the grid: beside a duplicate that is under way Open MPI's
   MPI_Cart_sub and MPI_Comm_dup of the same communicator hang. */
// cluster: ranks=4 nodes=2 cyclic=yes env=MARSHAL_CART_MOVE=ranks args=ask
// cluster: ranks=4 nodes=2 cyclic=yes env=MARSHAL_CART_MOVE=always args=ask,forced
// cluster: ranks=4 nodes=2 cyclic=yes env=MARSHAL_CART_MOVE=ranks args=leave
// cluster: ranks=12 nodes=3 env=MARSHAL_CART_MOVE=ranks args=parts
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int rank, size, failures;

static void check(int good, const char* what, int line) {
  if (good) return;
  ++failures;
  printf("rank %d: line %d: %s\n", rank, line, what);
}
#define CHECK(condition) check((condition) != 0, #condition, __LINE__)

static MPI_Comm grid(int reorder) {
  MPI_Comm made;
  const int periods = 0;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periods, reorder, &made);
  return made;
}

/* Frees the grid. */
static MPI_Comm duplicate(MPI_Comm of) {
  MPI_Comm made;
  MPI_Request request;
  MPI_Comm_idup(of, &made, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&of);
  return made;
}

/* The cell, and whether the neighbours are those of the cell. */
static int asked(MPI_Comm line) {
  int cell, before, behind, left = MPI_PROC_NULL, right = MPI_PROC_NULL, own, of_cell;
  MPI_Comm_rank(line, &own);
  MPI_Cart_coords(line, own, 1, &cell);
  MPI_Cart_shift(line, 0, 1, &before, &behind);
  if (cell > 0) MPI_Cart_rank(line, (int[]){cell - 1}, &left);
  if (cell < size - 1) MPI_Cart_rank(line, (int[]){cell + 1}, &right);
  CHECK(before == left && behind == right);
  MPI_Cart_rank(line, &cell, &of_cell);
  CHECK(of_cell == own);
  return cell;
}

/* By messages, too. */
static void use(MPI_Comm line) {
  int own, before, behind, got[2] = {-1, -1};
  MPI_Comm_rank(line, &own);
  MPI_Cart_shift(line, 0, 1, &before, &behind);
  MPI_Neighbor_allgather(&own, 1, MPI_INT, got, 1, MPI_INT, line);
  CHECK(got[0] == (before == MPI_PROC_NULL ? -1 : before) && got[1] == (behind == MPI_PROC_NULL ? -1 : behind));
}

/* Rank 0 asks; the others wait for a file of it, outside MPI. */
static void ask_alone(MPI_Comm line, int round) {
  char name[40];
  snprintf(name, sizeof name, "rank_0_has_asked.%d", round);
  if (rank == 0) {
    asked(line);
    FILE* const told = fopen(name, "w");
    if (told == NULL || fclose(told) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  } else {
    while (access(name, F_OK) != 0) usleep(1000);
    asked(line);
  }
}

/* Whether the grid's rank is another one. */
static int parts(void) {
  const int dims[2] = {4, 3}, periods[2] = {1, 1}, remain[2] = {0, 1};
  MPI_Comm torus;
  int own;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &torus);
  MPI_Comm_rank(torus, &own);
  for (int i = 0; i < 50; ++i) {
    MPI_Comm first, part, second = MPI_COMM_NULL;
    MPI_Request request;
    int of_part, of[4], back[2];
    MPI_Comm_idup(torus, &first, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (i % 4 == 1) MPI_Comm_dup(torus, &second);
    if (i % 4 == 2) {
      MPI_Comm_idup(torus, &second, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (i % 4 == 3) {
      MPI_Ineighbor_allgather(&own, 1, MPI_INT, of, 1, MPI_INT, torus, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Cart_shift(torus, 1, 1, &back[0], &back[1]);
      CHECK(of[2] == back[0] && of[3] == back[1]);
    }
    if (second != MPI_COMM_NULL) MPI_Comm_free(&second);
    MPI_Cart_sub(torus, remain, &part);
    MPI_Comm_size(part, &of_part);
    CHECK(of_part == 3);
    MPI_Comm_free(&part);
    MPI_Comm_free(&first);
  }
  MPI_Comm_free(&torus);
  return own != rank;
}

static int lines(int reorder) {
  int moved = 0;
  for (int round = 0; round < 20; ++round) {
    MPI_Comm line = duplicate(grid(reorder));
    ask_alone(line, round);
    use(line);
    moved |= asked(line) != rank;
    MPI_Comm_free(&line);
    /* Duplicates of duplicates, which nobody asks anything. */
    line = duplicate(duplicate(duplicate(grid(reorder))));
    if (round % 2) use(line);
    MPI_Comm copy;
    MPI_Comm_dup(line, &copy);
    MPI_Comm_free(&line);
    use(copy);
    MPI_Comm_free(&copy);
    line = duplicate(grid(reorder));
    MPI_Comm_free(&line);
  }
  return moved;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int reorder = argc < 3, leaves = strcmp(argv[1], "leave") == 0;
  const int moved = strcmp(argv[1], "parts") == 0 ? parts() : lines(reorder);
  int sum, any;
  MPI_Allreduce(&failures, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&moved, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0 && !any) printf("no grid was moved: nothing was tested\n");
  if (leaves) duplicate(duplicate(grid(reorder)));
  MPI_Finalize();
  return sum != 0 || !any;
}
