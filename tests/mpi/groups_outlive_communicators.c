// MPI_Comm_group gives one handle for a communicator, however often it is asked, and the group stays what it is when the
// communicator is gone. Handles come back for other groups afterwards.
// cluster: nodes=1 ranks=8 env=MARSHAL_SELF_CHECK=on
// cluster: nodes=1 ranks=8
#include <mpi.h>
#include <stdio.h>

enum { most = 64, rounds = 300 };
static int me, size, wrong;

// Checks that the group has the world's ranks (start + i * step) mod size, i < n; asked both ways.
static void check(MPI_Group world, MPI_Group group, int start, int step, int n, const char* when) {
  int all[most], in_world[most], back[most], members;
  for (int r = 0; r < size; r++) all[r] = r;
  MPI_Group_size(group, &members);
  if (members != n) {
    printf("rank %d, %s: %d members in place of %d\n", me, when, members, n);
    wrong++;
    return;
  }
  MPI_Group_translate_ranks(group, n, all, world, in_world);
  MPI_Group_translate_ranks(world, size, all, group, back);
  for (int i = 0; i < n; i++) {
    const int expected = (start + i * step) % size;
    if (in_world[i] == expected && back[expected] == i) continue;
    printf("rank %d, %s: member %d is %d, not %d, which is member %d\n", me, when, i, in_world[i], expected, back[expected]);
    wrong++;
  }
}

static int place_of(int start, int step) {
  for (int i = 0; i < size; i++)
    if ((start + i * step) % size == me) return i;
  return MPI_UNDEFINED;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Group world;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  for (int round = 0; round < rounds; round++) {
    const int start = round % size, step = round % 2 ? size - 1 : 1;
    MPI_Comm comm, twin;
    MPI_Group first, second, third, other;
    MPI_Comm_split(MPI_COMM_WORLD, 0, place_of(start, step), &comm);
    MPI_Comm_group(comm, &first);
    MPI_Comm_group(comm, &second);
    MPI_Comm_dup(comm, &twin);
    MPI_Comm_group(twin, &third);
    MPI_Group_free(&first);
    check(world, second, start, step, size, "one of two references freed");
    MPI_Comm_group(comm, &first);
    MPI_Group_free(&first);
    MPI_Comm_free(&comm);
    check(world, second, start, step, size, "the communicator freed");
    MPI_Group_free(&second);
    check(world, third, start, step, size, "its duplicate's");
    MPI_Comm_free(&twin);
    check(world, third, start, step, size, "both freed");
    if (round % 3) MPI_Group_free(&third);

    // Whatever handles are free now.
    const int range[1][3] = {{size - 1, 1, -1}};
    MPI_Group_range_incl(world, 1, (int(*)[3])range, &other);
    check(world, other, size - 1, size - 1, size - 1, "a group made afterwards");
    MPI_Group_free(&other);
    if (round % 3 == 0) {
      check(world, third, start, step, size, "kept while others came and went");
      MPI_Group_free(&third);
    }

    // References that Marshal does not see.
    MPI_Comm_split(MPI_COMM_WORLD, 0, place_of(start, step), &comm);
    MPI_Comm_group(comm, &first);
    PMPI_Comm_group(comm, &second);
    MPI_Group_free(&first);
    MPI_Group_free(&second);
    MPI_Comm_group(comm, &first);
    check(world, first, start, step, size, "after a reference that was got unseen");
    PMPI_Group_free(&first);
    MPI_Comm_group(comm, &first);
    MPI_Comm_free(&comm);
    check(world, first, start, step, size, "after one that was given back unseen");
    MPI_Group_free(&first);
  }
  MPI_Group_free(&world);
  if (wrong == 0) printf("rank %d: all groups were right\n", me);
  MPI_Finalize();
  return wrong != 0;
}
