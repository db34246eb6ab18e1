// Makes five objects of each kind, frees three when there are four, and says so: CALL made alive at-once.
#include <mpi.h>
#include <stdio.h>

#define CYCLE(call, make, end)                     \
  for (int i = 0; i < 5; ++i) {                    \
    make;                                          \
    if (i == 3)                                    \
      for (int k = 0; k < 3; ++k) end;             \
  }                                                \
  if (rank == 0) printf("objects %s 5 2 4\n", call)

static void sum(void *in, void *inout, int *count, MPI_Datatype *type) { (void)in, (void)inout, (void)count, (void)type; }

static int freed_inside = MPI_KEYVAL_INVALID;
static int free_other(MPI_Comm comm, int keyval, void *value, void *state) {
  (void)comm, (void)keyval, (void)value, (void)state;
  return MPI_Win_free_keyval(&freed_inside);
}

// Requests of nonblocking calls end in each way there is. A persistent one among them does not end.
static void count_requests(MPI_Request persistent, int rank) {
  MPI_Request r[6];
  int number, flag, done, numbers[6], to_nobody = 1000000;
  for (int i = 0; i < 6; ++i) MPI_Ibarrier(MPI_COMM_SELF, &r[i]);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  do MPI_Test(&r[1], &flag, MPI_STATUS_IGNORE);
  while (!flag);
  MPI_Request all[4] = {MPI_REQUEST_NULL, r[2], persistent, r[3]};
  MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
  MPI_Request more[3] = {r[4], MPI_REQUEST_NULL, r[5]};
  do MPI_Testall(3, more, &flag, MPI_STATUSES_IGNORE);
  while (!flag);
  for (int i = 0; i < 6; ++i) MPI_Ibarrier(MPI_COMM_SELF, &r[i]);
  MPI_Waitany(6, r, &number, MPI_STATUS_IGNORE);
  do MPI_Testany(6, r, &number, &flag, MPI_STATUS_IGNORE);
  while (!flag);
  MPI_Waitsome(6, r, &done, numbers, MPI_STATUSES_IGNORE);
  int ended = 2 + done;
  do {
    MPI_Testsome(6, r, &done, numbers, MPI_STATUSES_IGNORE);
    if (done != MPI_UNDEFINED) ended += done;
  } while (done != MPI_UNDEFINED);
  if (ended != 6) printf("%d of 6 requests ended\n", ended);
  MPI_Irecv(&number, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &r[0]);
  MPI_Request_free(&r[0]);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Irecv(&number, 1, MPI_INT, to_nobody, 0, MPI_COMM_SELF, &r[0]);
  MPI_Isend(&number, 1, MPI_INT, to_nobody, 0, MPI_COMM_SELF, &r[0]);
  MPI_Ibcast(&number, 1, MPI_INT, to_nobody, MPI_COMM_SELF, &r[0]);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  for (int i = 0; i < 2; ++i) MPI_Ibarrier(MPI_COMM_SELF, &r[i]);
  if (rank == 0) printf("objects nonblocking_calls 15 2 -\n");
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, keyvals[5], buffer = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Datatype types[5], duplicates[5];
  MPI_Group groups[5], unions[5], world;
  MPI_Op ops[5];
  MPI_Request sends[5], receives[5];
  MPI_Comm comms[5];
  MPI_Win windows[5];
  const int first[1] = {0};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_free(&world);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  if (rank == 0) printf("objects MPI_Comm_group 1 1 -\n");
  CYCLE("MPI_Type_commit", (MPI_Type_vector(2, 1, 2 + i, MPI_INT, &types[i]), MPI_Type_commit(&types[i])), MPI_Type_free(&types[k]));
  CYCLE("MPI_Type_dup", MPI_Type_dup(types[4], &duplicates[i]), MPI_Type_free(&duplicates[k]));
  CYCLE("MPI_Group_incl", MPI_Group_incl(world, 1, first, &groups[i]), MPI_Group_free(&groups[k]));
  CYCLE("MPI_Group_union", MPI_Group_union(groups[4], world, &unions[i]), MPI_Group_free(&unions[k]));
  CYCLE("MPI_Op_create", MPI_Op_create(sum, 1, &ops[i]), MPI_Op_free(&ops[k]));
  CYCLE("MPI_Comm_create_keyval", MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_other, &keyvals[i], NULL), MPI_Comm_free_keyval(&keyvals[k]));
  CYCLE("MPI_Send_init", MPI_Send_init(&buffer, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &sends[i]), MPI_Request_free(&sends[k]));
  CYCLE("MPI_Recv_init", MPI_Recv_init(&buffer, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &receives[i]), MPI_Request_free(&receives[k]));
#if MPI_VERSION >= 4
  CYCLE("MPI_Barrier_init", MPI_Barrier_init(MPI_COMM_SELF, MPI_INFO_NULL, &sends[i]), MPI_Request_free(&sends[k]));
#endif
  CYCLE("MPI_Comm_dup", MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]), MPI_Comm_free(&comms[k]));
  CYCLE("MPI_Win_create", MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &windows[i]), MPI_Win_free(&windows[k]));
  count_requests(receives[4], rank);
  // A callback of the program frees what the program made.
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &freed_inside, NULL);
  MPI_Comm_set_attr(comms[4], keyvals[4], NULL);
  MPI_Comm_delete_attr(comms[4], keyvals[4]);
  if (rank == 0) printf("objects MPI_Win_create_keyval 1 0 1\n");
  fflush(stdout);
  return MPI_Finalize();
}
