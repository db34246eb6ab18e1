// Broadcasts of datatypes arrive at every process, from each root. Root and receivers may have the numbers in other
// places, and some processes may leave the call to the host. Parts of the job and groups of two sides do the same. The
// handle of a freed type is given to another one. Calls that the host refuses are refused. Where counts differ, the
// bytes that came are there.
//
// cluster: nodes=1 ranks=3 env=MARSHAL_MESSAGES=on
// cluster: nodes=2 ranks=5 env=MARSHAL_MESSAGES=auto
// cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=on env=UCX_TLS=tcp,self
// cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=off
// cluster: nodes=2 ranks=4 env=MARSHAL_MESSAGES=on env=MPIR_CVAR_BCAST_INTRA_ALGORITHM=binomial
// cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=on env=BROADCASTS_THREADS=multiple
// cluster: nodes=1 ranks=3 env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { most = 40000, gap = -1 };
static int me, wrong;
static double user[3 * most];

typedef int Bcast(void*, int, MPI_Datatype, int, MPI_Comm);
typedef int TypeCall(MPI_Datatype*);

static MPI_Datatype vector(int blocks, int length, int stride, TypeCall* commit) {
  MPI_Datatype type;
  MPI_Type_vector(blocks, length, stride, MPI_DOUBLE, &type);
  commit(&type);
  return type;
}

static double value(int i, int number) { return number + i / 65536.0; }

// `numbers` of them, `length` at a time, `stride` apart; gaps between.
static void fill(int numbers, int length, int stride, int number) {
  for (int i = 0; i < numbers / length * stride; i++) user[i] = gap;
  for (int i = 0; i < numbers; i++) user[i / length * stride + i % length] = value(i, number);
}
static void look(const char* what, int numbers, int length, int stride, int number) {
  int good = 1;
  for (int i = 0; i < numbers / length * stride; i++) {
    const int inside = i % stride, k = i / stride * length + inside;
    good &= user[i] == (inside < length ? value(k, number) : gap);
  }
  if (good) return;
  if (wrong++ < 10)
    printf("rank %d: %s, %d numbers, %d of %d, broadcast %d\n", me, what, numbers, length, stride, number);
}

// Each process has the numbers in places of its own.
static void from_each_root(MPI_Comm comm, int numbers, int length, Bcast* bcast, TypeCall* commit,
                           TypeCall* free_type) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int root = 0; root < size; root++) {
    const int stride = (root + rank) % 3 == 2 ? length : length + 1 + rank % 2;  // one in three is contiguous
    MPI_Datatype type = vector(numbers / length, length, stride, commit);
    for (int i = 0; i < 3; i++) {
      fill(numbers, length, stride, rank == root ? 100 * root + i : 7777);
      bcast(user, 1, type, root, comm);
      look("from each root", numbers, length, stride, 100 * root + i);
    }
    free_type(&type);
  }
}

// A handle that was freed is given to the next type, which may be contiguous.
static void one_type_after_the_other(TypeCall* commit, TypeCall* free_type) {
  for (int i = 0; i < 200; i++) {
    const int numbers = 64 + i % 7, stride = i % 2 == 0 ? 2 : 1;
    MPI_Datatype type = vector(numbers, 1, stride, commit);
    fill(numbers, 1, stride, me == 0 ? i : 7777);
    MPI_Bcast(user, 1, type, 0, MPI_COMM_WORLD);
    look("after another type", numbers, 1, stride, i);
    free_type(&type);
  }
}

static void at_absolute_addresses(void) {
  MPI_Aint at;
  MPI_Get_address(user, &at);
  MPI_Datatype gaps = vector(100, 2, 5, MPI_Type_commit), type;
  const int one = 1;
  MPI_Type_create_struct(1, &one, &at, &gaps, &type);
  MPI_Type_commit(&type);
  fill(200, 2, 5, me == 0 ? 5 : 7777);
  MPI_Bcast(MPI_BOTTOM, 1, type, 0, MPI_COMM_WORLD);
  look("MPI_BOTTOM", 200, 2, 5, 5);
  MPI_Type_free(&type);
  MPI_Type_free(&gaps);
}

static void several_instances(void) {
  MPI_Datatype one, type;  // two numbers of three
  MPI_Type_contiguous(2, MPI_DOUBLE, &one);
  MPI_Type_create_resized(one, 0, 3 * sizeof(double), &type);
  MPI_Type_commit(&type);
  for (int count = 0; count < 500; count += 83) {
    fill(2 * count, 2, 3, me == 0 ? count : 7777);
    MPI_Bcast(user, count, type, 0, MPI_COMM_WORLD);
    look("several instances", 2 * count, 2, 3, count);
  }
  MPI_Type_free(&type);
  MPI_Type_free(&one);
}

// Elements of several lengths, which fragments cut, between two processes that leave the call to the host.
static void structs(void) {
  enum { count = 9000, bytes = 24 };
  static unsigned char all[count * bytes];
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Datatype fields, type;
  const int lengths[3] = {1, 1, 3};
  const MPI_Aint places[3] = {0, 8, 16};
  const MPI_Datatype types[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
  MPI_Type_create_struct(3, lengths, places, types, &fields);
  MPI_Type_create_resized(fields, 0, bytes, &type);
  MPI_Type_commit(&type);
  for (int odd = 0; odd < 2; odd++)
    for (int root = 0; root < size; root++) {
      for (int i = 0; i < count * bytes; i++) {
        const int in = i % bytes, has_data = in < 4 || (in >= 8 && in < 19);
        all[i] = me == root && has_data ? (unsigned char)(7 * i + root) : 255;
      }
      (me % 2 == odd ? MPI_Bcast : PMPI_Bcast)(all, count, type, root, MPI_COMM_WORLD);
      int good = 1;
      for (int i = 0; i < count * bytes; i++) {
        const int in = i % bytes, has_data = in < 4 || (in >= 8 && in < 19);
        good &= all[i] == (has_data ? (unsigned char)(7 * i + root) : 255);
      }
      if (!good) printf("rank %d: structs from root %d\n", me, root), wrong++;
    }
  MPI_Type_free(&type);
  MPI_Type_free(&fields);
}

// Longer than Marshal packs.
static void a_long_one(void) {
  const int numbers = 9 << 20;  // 72 MiB
  double* all = malloc(2 * sizeof(double) * (size_t)numbers);
  MPI_Datatype type = vector(numbers, 1, 2, MPI_Type_commit);
  for (int i = 0; i < 2 * numbers; i++) all[i] = me == 0 && i % 2 == 0 ? i : gap;
  MPI_Bcast(all, 1, type, 0, MPI_COMM_WORLD);
  int good = 1;
  for (int i = 0; i < 2 * numbers; i++) good &= all[i] == (i % 2 == 0 ? i : gap);
  if (!good) printf("rank %d: a long one\n", me), wrong++;
  MPI_Type_free(&type);
  free(all);
}

#if MPI_VERSION >= 4
static void large_count(void) {
  MPI_Datatype type = vector(300, 1, 2, MPI_Type_commit);
  fill(300, 1, 2, me == 0 ? 9 : 7777);
  MPI_Bcast_c(user, 1, type, 0, MPI_COMM_WORLD);
  look("MPI_Bcast_c", 300, 1, 2, 9);
  MPI_Type_free(&type);
}
#endif

// From the first process of the world to the odd ones.
static void between_groups(void) {
  MPI_Comm half, between;
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &half);
  from_each_root(half, 3000, 2, MPI_Bcast, MPI_Type_commit, MPI_Type_free);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - me % 2, 0, &between);
  MPI_Datatype type = vector(500, 1, 3, MPI_Type_commit);
  fill(500, 1, 3, me == 0 ? 3 : 7777);
  MPI_Bcast(user, 1, type, me % 2 == 1 ? 0 : me == 0 ? MPI_ROOT : MPI_PROC_NULL, between);
  look("between groups", 500, 1, 3, me % 2 == 1 || me == 0 ? 3 : 7777);
  MPI_Type_free(&type);
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
}

static void refused(void) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Datatype type = vector(100, 1, 2, MPI_Type_commit);
  int size, by_marshal, by_host;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Error_class(MPI_Bcast(user, 1, type, size, MPI_COMM_WORLD), &by_marshal);
  MPI_Error_class(PMPI_Bcast(user, 1, type, size, MPI_COMM_WORLD), &by_host);
  if (by_marshal != by_host || by_marshal == MPI_SUCCESS)
    printf("rank %d: no such root: class %d\n", me, by_marshal), wrong++;
  MPI_Error_class(MPI_Bcast(user, -1, type, 0, MPI_COMM_WORLD), &by_marshal);
  MPI_Error_class(PMPI_Bcast(user, -1, type, 0, MPI_COMM_WORLD), &by_host);
  if (by_marshal != by_host || by_marshal == MPI_SUCCESS)
    printf("rank %d: count -1: class %d\n", me, by_marshal), wrong++;
  MPI_Type_free(&type);
}

// An error of the program's. The root's numbers arrive where more are awaited. MPICH leaves the rest to chance.
// Open MPI does not come back from such a call everywhere.
#ifdef MPICH_VERSION
static void counts_differ(Bcast* bcast, int of_root, int of_others, int* class) {
  const int numbers = me == 0 ? of_root : of_others, both = of_root < of_others ? of_root : of_others;
  MPI_Datatype type = vector(numbers, 1, 2, MPI_Type_commit);
  fill(of_others, 1, 2, 7777);
  fill(me == 0 ? of_root : 0, 1, 2, 8);
  MPI_Error_class(bcast(user, 1, type, 0, MPI_COMM_WORLD), class);
  if (of_root < of_others) look("counts that differ", both, 1, 2, 8);
  MPI_Type_free(&type);
}

static void wrong_counts(void) {
  const int counts[][2] = {{80, 100}, {100, 80}, {900, 1000}, {1000, 900}};
  for (int i = 0; i < 4; i++) {
    int by_marshal, by_host;
    counts_differ(MPI_Bcast, counts[i][0], counts[i][1], &by_marshal);
    counts_differ(PMPI_Bcast, counts[i][0], counts[i][1], &by_host);
    if (by_marshal != by_host)
      printf("rank %d: counts %d and %d: class %d, not %d\n", me, counts[i][0], counts[i][1], by_marshal, by_host),
          wrong++;
  }
}
#else
static void wrong_counts(void) {}
#endif

int main(int argc, char** argv) {
  int level, size;
  MPI_Init_thread(&argc, &argv, getenv("BROADCASTS_THREADS") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  for (int numbers = 12; numbers <= most; numbers = 3 * numbers / 12 * 12)
    for (int length = 1; length <= 3; length++)
      from_each_root(MPI_COMM_WORLD, numbers, length, MPI_Bcast, MPI_Type_commit, MPI_Type_free);
  from_each_root(MPI_COMM_WORLD, 3000, 1, me % 2 == 0 ? MPI_Bcast : PMPI_Bcast, MPI_Type_commit, MPI_Type_free);
  from_each_root(MPI_COMM_WORLD, 3000, 1, me % 2 == 1 ? MPI_Bcast : PMPI_Bcast, MPI_Type_commit, MPI_Type_free);
  from_each_root(MPI_COMM_WORLD, 3000, 1, MPI_Bcast, me % 2 == 0 ? MPI_Type_commit : PMPI_Type_commit, PMPI_Type_free);
  one_type_after_the_other(MPI_Type_commit, MPI_Type_free);
  one_type_after_the_other(MPI_Type_commit, PMPI_Type_free);
  one_type_after_the_other(PMPI_Type_commit, PMPI_Type_free);
  at_absolute_addresses();
  several_instances();
  structs();
#if MPI_VERSION >= 4
  large_count();
#endif
  if (size == 2) a_long_one();
  between_groups();
  refused();
  wrong_counts();
  MPI_Finalize();
  return wrong != 0;
}
