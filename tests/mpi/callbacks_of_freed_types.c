// The delete function of a datatype's attribute makes a communicator inside MPI_Type_free, on all ranks alike, whatever
// each rank has done with the type: some have packed it, and one has committed far more types before.
// cluster: nodes=2 ranks=4 env=MARSHAL_SELF_CHECK=on
#include <mpi.h>
#include <stdio.h>

enum { rounds = 60, many = 1200 };  // the first thousand commits of a process are looked at
static int me, calls;

static int drop(MPI_Datatype type, int key, void* value, void* extra) {
  MPI_Comm made;
  int size;
  (void)type, (void)key, (void)value, (void)extra;
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &made);
  MPI_Comm_size(made, &size);
  if (size == 2) ++calls;
  return MPI_Comm_free(&made);
}

static MPI_Datatype new_type(void) {
  MPI_Datatype type;
  MPI_Type_vector(5, 1, 3, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  int key, numbers[16] = {0}, packed[16], failed;
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, drop, &key, NULL);
  for (int i = 0; me != 1 && i < many; i++) {
    MPI_Datatype type = new_type();
    MPI_Type_free(&type);
  }
  for (int round = 0; round < rounds; round++) {
    MPI_Datatype type = new_type();
    int position = 0;
    MPI_Type_set_attr(type, key, NULL);
    for (int i = 0; me == 2 && i <= round % 3; i++, position = 0)
      MPI_Pack(numbers, 1, type, packed, sizeof packed, &position, MPI_COMM_SELF);
    MPI_Type_free(&type);
  }
  MPI_Type_free_keyval(&key);
  const int wrong = calls != rounds;
  MPI_Allreduce(&wrong, &failed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) puts(failed ? "FAILED" : "OK");
  fflush(stdout);
  MPI_Finalize();
  return failed != 0;
}
