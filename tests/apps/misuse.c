// Wrong calls with errors returned: Marshal passes every one on, and the host's own error class comes back. (Not here, as hosts die of them
// by themselves: MPI_Comm_free(NULL) on Open MPI, MPI_Intercomm_merge of an intracommunicator, NULL dims and MPI_Type_commit(NULL) on MPICH.)
// cluster: nodes=1 ranks=2
#include <mpi.h>
#include <stdio.h>

static int me;

static void show(const char* name, int error) {
  int error_class = -1, length;
  char text[MPI_MAX_ERROR_STRING];
  MPI_Error_class(error, &error_class);
  MPI_Error_string(error_class, text, &length);
  printf("%d: %s: %s\n", me, name, error == MPI_SUCCESS ? "success" : text);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm comm = MPI_COMM_NULL, null = MPI_COMM_NULL;
  MPI_Group group, result, null_group = MPI_GROUP_NULL;
  int number = 0, dims[2] = {3, 3}, periods[2] = {0, 0}, ranks[2] = {0, 99}, same[2] = {0, 0};
  show("dup of null", MPI_Comm_dup(MPI_COMM_NULL, &comm));
  show("dup into NULL", MPI_Comm_dup(MPI_COMM_SELF, NULL));
  show("split of null", MPI_Comm_split(MPI_COMM_NULL, 0, 0, &comm));
  show("split into NULL", MPI_Comm_split(MPI_COMM_SELF, 0, 0, NULL));
  show("free of null", MPI_Comm_free(&null));
  show("rank of null", MPI_Comm_rank(MPI_COMM_NULL, &number));
  show("rank into NULL", MPI_Comm_rank(MPI_COMM_SELF, NULL));
  show("create of null group", MPI_Comm_create(MPI_COMM_SELF, null_group, &comm));
  show("cart larger than its ranks", MPI_Cart_create(MPI_COMM_SELF, 2, dims, periods, 0, &comm));
  show("cart_sub of no cart", MPI_Cart_sub(MPI_COMM_SELF, periods, &comm));
  dims[0] = -1;
  show("dims_create of -1", MPI_Dims_create(4, 2, dims));
  dims[0] = 3, dims[1] = 0;
  show("dims_create that cannot be", MPI_Dims_create(4, 2, dims));
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  show("incl of a rank too large", MPI_Group_incl(group, 2, ranks, &result));
  show("incl of one rank twice", MPI_Group_incl(group, 2, same, &result));
  show("translate a rank too large", MPI_Group_translate_ranks(group, 2, ranks, group, same));
  show("union with null", MPI_Group_union(group, null_group, &result));
  show("free of null group", MPI_Group_free(&null_group));
  MPI_Datatype type = MPI_DATATYPE_NULL;
  show("commit of null", MPI_Type_commit(&type));
  char buffer[8];
  int position = 0;
  show("pack into too little", MPI_Pack(ranks, 2, MPI_INT, buffer, 4, &position, MPI_COMM_SELF));
  show("pack of -1", MPI_Pack(ranks, -1, MPI_INT, buffer, 8, &position, MPI_COMM_SELF));
  show("pack of null type", MPI_Pack(ranks, 1, MPI_DATATYPE_NULL, buffer, 8, &position, MPI_COMM_SELF));
  show("pack size on null", MPI_Pack_size(1, MPI_INT, MPI_COMM_NULL, &number));
  MPI_Group_free(&group);
  MPI_Finalize();
  return 0;
}
