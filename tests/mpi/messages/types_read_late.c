// Types of a place whose first ones were in no message: they are read when their own messages have paid for it, while
// earlier ones of these messages are under way. With an argument all threads may call MPI, and they are not read. Types
// of another place have blocks that no engine moves.
//
// cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=auto
// cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { in_vain = 20, lives_of_long_blocks = 200, at_once = 64, rounds = 300, most_blocks = 258 };
static int me, wrong;

// The place. Types differ by their number of blocks.
static MPI_Datatype committed(int blocks) {
  MPI_Datatype type;
  MPI_Type_vector(blocks, 1, 3, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

static void fill(double* user, int blocks, int number) {
  for (int i = 0; i < blocks; i++) user[3 * i] = number + i / 1024.0;
}

static void look(const char* what, const double* user, int blocks, int number) {
  int right = 1;
  for (int i = 0; i < blocks; i++)
    right &= user[3 * i] == number + i / 1024.0 && user[3 * i + 1] == -1 && user[3 * i + 2] == -1;
  if (right) return;
  printf("rank %d, %d blocks, %s %d: wrong\n", me, blocks, what, number);
  wrong++;
}

// All receives wait, or all messages do.
static void many_at_once(int blocks, int receives_first) {
  MPI_Datatype type = committed(blocks);
  static double user[at_once][3 * most_blocks];
  MPI_Request requests[at_once];
  for (int i = 0; i < at_once; i++) {
    for (int k = 0; k < 3 * most_blocks; k++) user[i][k] = -1;
    if (me == 0) fill(user[i], blocks, i);
  }
  for (int turn = 0; turn < 2; turn++) {
    const int my_turn = (turn == 0) == (me == receives_first);
    for (int i = 0; my_turn && i < at_once; i++) {
      if (me == 0)
        MPI_Isend(user[i], 1, type, 1, i, MPI_COMM_WORLD, &requests[i]);
      else
        MPI_Irecv(user[i], 1, type, 0, i, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Waitall(at_once, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < at_once; i++)
    look(receives_first ? "awaited message" : "message that waited", user[i], blocks, i);
  MPI_Type_free(&type);
}

static void one_after_the_other(int blocks) {
  MPI_Datatype type = committed(blocks);
  double user[3 * most_blocks];
  for (int i = 0; i < rounds; i++) {
    for (int k = 0; k < 3 * most_blocks; k++) user[k] = -1;
    if (me == i % 2) {
      fill(user, blocks, i);
      MPI_Send(user, 1, type, !me, 0, MPI_COMM_WORLD);
    } else {
      MPI_Recv(user, 1, type, !me, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      look("message", user, blocks, i);
    }
  }
  MPI_Type_free(&type);
}

static void long_blocks(void) {
  for (int life = 0; life < lives_of_long_blocks; life++) {
    MPI_Datatype type;
    MPI_Type_vector(90, 1024, 1200, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&type);
  }
}

int main(int argc, char** argv) {
  int level;
  MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  for (int life = 0; life < in_vain; life++) {
    MPI_Datatype type = committed(100 + life);
    MPI_Type_free(&type);
  }
  long_blocks();
  many_at_once(256, 1);
  many_at_once(257, 0);
  one_after_the_other(258);
  if (wrong == 0 && me == 0) printf("all right\n");
  MPI_Finalize();
  return wrong != 0;
}
