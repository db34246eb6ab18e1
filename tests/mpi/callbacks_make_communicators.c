// Attribute callbacks make and free communicators inside MPI_Comm_dup and MPI_Comm_free: the maps stay right, though handles come back.
// cluster: nodes=2 ranks=4 env=MARSHAL_SELF_CHECK=on
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "wrappers/actions/marshal.h"

static int me, size, calls;

static void check(MPI_Comm comm, int expected_first, const char* when) {
  int group, lpid, n;
  MPI_Comm_size(comm, &n);
  int known;
  if (marshal_comm_size(comm, &known) != MARSHAL_SUCCESS) return;  // made unseen, not yet asked for: unknown is right, wrong would not be
  if (known != n || marshal_comm_process(comm, 0, &group, &lpid) != MARSHAL_SUCCESS || lpid != expected_first) {
    fprintf(stderr, "rank %d: %s: wrong map\n", me, when);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static MPI_Comm kept = MPI_COMM_NULL;

static int copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)key, (void)extra;
  *(void**)out = in;
  *flag = 1;
  ++calls;
  // Frees a communicator that the books know and makes another, which most likely gets its handle.
  if (kept != MPI_COMM_NULL) MPI_Comm_free(&kept);
  int rank;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &kept);
  return MPI_SUCCESS;
}
static int drop(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  ++calls;
  if (kept != MPI_COMM_NULL) MPI_Comm_free(&kept);
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int key, value = 1;
  MPI_Comm parent;
  MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  MPI_Comm_create_keyval(copy, drop, &key, NULL);
  MPI_Comm_set_attr(parent, key, &value);
  for (int round = 0; round < 50; round++) {
    MPI_Comm made, half;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &kept);  // reversed, and freed in the callback
    check(kept, size - 1, "reversed");
    MPI_Comm_dup(parent, &made);
    check(made, 0, "duplicate");
    if (kept != MPI_COMM_NULL) check(kept, me % 2, "made in a callback");
    if (kept != MPI_COMM_NULL) {
      MPI_Comm_dup(kept, &half);
      check(half, me % 2, "duplicate of what a callback made");
      MPI_Comm_free(&half);
    }
    MPI_Comm_free(&made);
  }
  MPI_Comm_delete_attr(parent, key);
  MPI_Comm_free_keyval(&key);
  MPI_Comm_free(&parent);
  if (me == 0) printf("%s\n", calls >= 100 ? "callbacks ran" : "callbacks did not run");
  MPI_Finalize();
  return calls >= 100 ? 0 : 1;
}
