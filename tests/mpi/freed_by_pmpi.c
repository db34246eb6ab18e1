// A tool that is linked into a program may free what the program made, and make something else, by PMPI_ functions: the
// handle may come again. Marshal then answers for what it means now, and counts what that sends.
// cluster: nodes=2 ranks=4 env4=OMPI_MCA_osc=pt2pt
// cluster: nodes=2 ranks=4 env4=OMPI_MCA_osc=pt2pt env=MARSHAL_SELF_CHECK=on env=MARSHAL_PACK=mars
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "wrappers/actions/marshal.h"

enum { tries = 8, ranks = 4 };
static int wrong, came_again, me;
static const int all[ranks] = {0, 1, 2, 3};
static MPI_Group world;
static MPI_Comm turned;  // the world's ranks in falling order, made unseen

#define CHECK(condition) \
  if (!(condition)) wrong++, printf("rank %d, line %d: %s\n", me, __LINE__, #condition)

static void check_group(MPI_Group group) {
  int size, found[ranks], expected[ranks], relation, relation_expected;
  PMPI_Group_size(group, &size);
  MPI_Group_translate_ranks(group, size, all, world, found);
  PMPI_Group_translate_ranks(group, size, all, world, expected);
  CHECK(memcmp(found, expected, (size_t)size * sizeof(int)) == 0);
  MPI_Group_translate_ranks(world, ranks, all, group, found);
  PMPI_Group_translate_ranks(world, ranks, all, group, expected);
  CHECK(memcmp(found, expected, sizeof found) == 0);
  MPI_Group_compare(group, world, &relation);
  PMPI_Group_compare(group, world, &relation_expected);
  CHECK(relation == relation_expected);
}

static void check_communicator(MPI_Comm communicator) {
  int relation, expected;
  MPI_Comm_compare(communicator, MPI_COMM_WORLD, &relation);
  PMPI_Comm_compare(communicator, MPI_COMM_WORLD, &expected);
  CHECK(relation == expected);
  MPI_Group group;
  MPI_Comm_group(communicator, &group);
  check_group(group);
  PMPI_Group_free(&group);
}

static void communicators(int (*end)(MPI_Comm*)) {
  int again = 0;
  for (int i = 0; i < tries; i++) {
    MPI_Comm first, second;
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    check_communicator(first);
    const MPI_Comm had = first;
    end(&first);
    CHECK(first == MPI_COMM_NULL);
    PMPI_Comm_split(MPI_COMM_WORLD, i % 2 ? me / 2 : 0, i % 3 ? -me : me, &second);
    again += second == had;
    check_communicator(second);
    end(&second);
  }
  came_again += again != 0;
}

static void groups(void) {
  int again = 0;
  for (int i = 0; i < tries; i++) {
    MPI_Group first, second;
    MPI_Group_incl(world, ranks, all, &first);
    check_group(first);
    const MPI_Group had = first;
    PMPI_Group_free(&first);
    PMPI_Group_excl(world, 1 + i % 3, all, &second);
    again += second == had;
    check_group(second);
    PMPI_Group_free(&second);
  }
  came_again += again != 0;
}

static void windows(void) {
  int again = 0, memory[4];
  for (int i = 0; i < tries; i++) {
    MPI_Win first, second;
    MPI_Group group;
    MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &first);
    MPI_Win_get_group(first, &group);
    check_group(group);
    MPI_Group_free(&group);
    const MPI_Win had = first;
    PMPI_Win_free(&first);
    PMPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, turned, &second);
    again += second == had;
    MPI_Win_get_group(second, &group);
    check_group(group);
    MPI_Group_free(&group);
    PMPI_Win_free(&second);
  }
  came_again += again != 0;
}

static void files(void) {
  int again = 0;
  for (int i = 0; i < tries; i++) {
    MPI_File first, second;
    MPI_Group group;
    const int how = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    MPI_File_open(MPI_COMM_WORLD, "freed_by_pmpi.file", how, MPI_INFO_NULL, &first);
    const MPI_File had = first;
    PMPI_File_close(&first);
    PMPI_File_open(turned, "freed_by_pmpi.file", how, MPI_INFO_NULL, &second);
    again += second == had;
    MPI_File_get_group(second, &group);
    check_group(group);
    MPI_Group_free(&group);
    PMPI_File_close(&second);
  }
  came_again += again != 0;
}

// The messages that this process has sent to the next one.
typedef struct {
  unsigned long long messages, bytes;
} Sent;
static Sent sent(void) {
  Sent so_far = {0, 0};
  if (marshal_sent != NULL) CHECK(marshal_sent((me + 1) % ranks, &so_far.messages, &so_far.bytes) == MARSHAL_SUCCESS);
  return so_far;
}
static void check_sent(Sent before, unsigned long long messages, unsigned long long bytes) {
  if (marshal_sent == NULL) return;
  const Sent now = sent();
  CHECK(now.messages == before.messages + messages && now.bytes == before.bytes + bytes);
}

static void requests(void) {
  const int next = (me + 1) % ranks, previous = (me + ranks - 1) % ranks;
  int again = 0, out[3] = {1, 2, 3}, in[3];
  for (int i = 0; i < tries; i++) {
    MPI_Request sending, receiving;
    MPI_Send_init(out, 3, MPI_INT, next, 1, MPI_COMM_WORLD, &sending);
    const MPI_Request had = sending;
    PMPI_Request_free(&sending);
    MPI_Recv_init(in, 3, MPI_INT, previous, 2, MPI_COMM_WORLD, &receiving);
    again += receiving == had;
    const Sent before = sent();
    MPI_Start(&receiving);
    check_sent(before, 0, 0);
    PMPI_Send(out, 3, MPI_INT, next, 2, MPI_COMM_WORLD);
    MPI_Wait(&receiving, MPI_STATUS_IGNORE);
    MPI_Request_free(&receiving);
  }
  came_again += again != 0;
}

static void types(void) {
  const int next = (me + 1) % ranks, previous = (me + ranks - 1) % ranks;
  int again = 0, out[64], in[64], packed[64], expected[64];
  for (int i = 0; i < 64; i++) out[i] = i;
  for (int i = 0; i < tries; i++) {
    MPI_Datatype first, second;
    MPI_Type_vector(2, 1, 2, MPI_INT, &first);
    MPI_Type_commit(&first);
    Sent before = sent();
    MPI_Sendrecv(out, 1, first, next, 3, in, 1, first, previous, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check_sent(before, 1, 2 * sizeof(int));
    for (int k = 0; k < 20; k++) {
      int position = 0;
      MPI_Pack(out, 2, first, packed, sizeof packed, &position, MPI_COMM_WORLD);
    }
    const MPI_Datatype had = first;
    PMPI_Type_free(&first);
    PMPI_Type_vector(3, 2, 5, MPI_INT, &second);
    PMPI_Type_commit(&second);
    again += second == had;
    before = sent();
    MPI_Sendrecv(out, 1, second, next, 3, in, 1, second, previous, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check_sent(before, 1, 6 * sizeof(int));
    int position = 0, position_expected = 0;
    MPI_Pack(out, 2, second, packed, sizeof packed, &position, MPI_COMM_WORLD);
    PMPI_Pack(out, 2, second, expected, sizeof expected, &position_expected, MPI_COMM_WORLD);
    CHECK(position == position_expected && memcmp(packed, expected, (size_t)position) == 0);
    PMPI_Type_free(&second);
  }
  came_again += again != 0;
}

static int refuse(MPI_Comm communicator, int keyval, void* value, void* refuses) {
  (void)communicator, (void)keyval, (void)refuses;
  return *(int*)value ? MPI_ERR_OTHER : MPI_SUCCESS;
}

// A communicator that the host does not free stays known.
static void refused(void) {
  int keyval, refuses = 1, size;
  MPI_Comm kept;
  MPI_Comm_dup(MPI_COMM_WORLD, &kept);
  MPI_Comm_set_errhandler(kept, MPI_ERRORS_RETURN);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, &keyval, NULL);
  MPI_Comm_set_attr(kept, keyval, &refuses);
  if (PMPI_Comm_free(&kept) == MPI_SUCCESS) return (void)MPI_Comm_free_keyval(&keyval);  // so does MPICH
  if (marshal_comm_size != NULL) CHECK(marshal_comm_size(kept, &size) == MARSHAL_SUCCESS && size == ranks);
  refuses = 0;
  CHECK(PMPI_Comm_free(&kept) == MPI_SUCCESS);
  MPI_Comm_free_keyval(&keyval);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Comm_split(MPI_COMM_WORLD, 0, -me, &turned);
  communicators(PMPI_Comm_free);
  communicators(PMPI_Comm_disconnect);
  groups();
  windows();
  files();
  requests();
  types();
  refused();
  MPI_Group_free(&world);
  PMPI_Comm_free(&turned);
  if (me == 0) printf("of 7 ways to free handles, %d saw one come again\n", came_again);
  CHECK(came_again > 0);
  MPI_Finalize();
  return wrong != 0;
}
