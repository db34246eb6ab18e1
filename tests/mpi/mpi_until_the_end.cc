// MPI goes on until MPI_Finalize, wherever a program calls that: in an atexit handler, in the destructor of a static
// object, after all thread-local objects of the main thread were destroyed. And on another thread it goes on in the
// destructors of keys, in each of their rounds.
// cluster: ranks=2 args=atexit
// cluster: ranks=2 args=static env=MARSHAL_PACK=mars
// cluster: ranks=2 args=local_static,first
// cluster: ranks=2 args=atexit,first env=MARSHAL_PAPI=perf::PAGE-FAULTS
// cluster: ranks=2 args=keys env=MARSHAL_PAPI=perf::PAGE-FAULTS
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

int rank_in_world, failures;

void check(bool good, const char* what) {
  if (good) return;
  ++failures;
  std::printf("rank %d: %s\n", rank_in_world, what);
}

void make_communicators() {
  int size = 0, sum = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm copy, part, grid;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(copy, 0, -rank_in_world, &part);
  const int periodic = 1;
  MPI_Cart_create(part, 1, &size, &periodic, 1, &grid);
  MPI_Allreduce(&rank_in_world, &sum, 1, MPI_INT, MPI_SUM, grid);
  check(sum == size * (size - 1) / 2, "a sum over the grid");
  MPI_Group group, world;
  MPI_Comm_group(part, &group);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int first = 0, there = -1;
  MPI_Group_translate_ranks(group, 1, &first, world, &there);
  check(there == size - 1, "a rank of the part");
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  for (MPI_Comm* each : {&grid, &part, &copy}) MPI_Comm_free(each);
}

void send_and_pack() {
  int size = 0, position = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank_in_world + 1) % size, before = (rank_in_world + size - 1) % size;
  int from[128], to[128];
  for (int i = 0; i < 128; ++i) from[i] = 128 * rank_in_world + i, to[i] = -1;
  char packed[256];
  MPI_Datatype every_other;
  MPI_Type_vector(64, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  MPI_Sendrecv(from, 1, every_other, next, 0, to, 1, every_other, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  check(to[0] == 128 * before && to[126] == 128 * before + 126 && to[127] == -1, "a message");
  MPI_Pack(from, 1, every_other, packed, sizeof packed, &position, MPI_COMM_WORLD);
  position = 0;
  MPI_Unpack(packed, sizeof packed, &position, to, 1, every_other, MPI_COMM_WORLD);
  check(to[126] == 128 * rank_in_world + 126, "a pack");
  MPI_Bcast(to, 1, every_other, 0, MPI_COMM_WORLD);
  check(to[126] == 126, "a broadcast");
  MPI_Request requests[2];
  MPI_Recv_init(to, 1, MPI_INT, before, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(from, 1, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Startall(2, requests);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  check(to[0] == 128 * before, "a persistent message");
  for (MPI_Request& each : requests) MPI_Request_free(&each);
  MPI_Type_free(&every_other);
}

void work() {
  for (int times = 0; times < 10; ++times) {
    make_communicators();
    send_and_pack();
  }
}

void end() {
  work();
  MPI_Finalize();
  if (failures != 0) _exit(1);
}

struct EndsAtLast {
  ~EndsAtLast() {
    if (wanted) end();
  }
  bool wanted = false;
};
EndsAtLast ends_at_last;  // NOLINT(cert-err58-cpp)

// Objects of the program's own have destructors, too.
struct CallsMpi {
  ~CallsMpi() {
    if (wanted) work();
  }
  bool wanted = false;
};
thread_local CallsMpi calls_mpi;

pthread_key_t early, late;
int rounds;

void in_each_round(void* value) {
  ++rounds;
  work();
  pthread_setspecific(early, value);
}

void in_first_round(void*) {
  ++rounds;
  work();
}

void* thread(void* value) {
  pthread_setspecific(early, value);
  pthread_setspecific(late, value);
  calls_mpi.wanted = true;
  work();
  return nullptr;
}

void run_threads() {
  for (int times = 0; times < 5; ++times) {
    pthread_t other;
    int value = 0;
    rounds = 0;
    pthread_create(&other, nullptr, thread, &value);
    pthread_join(other, nullptr);
    check(rounds >= 2, "no destructor of a key ran");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view way = argc > 1 ? argv[1] : "";
  pthread_key_create(&early, in_each_round);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, way == "keys" ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_in_world);
  calls_mpi.wanted = way != "keys";
  if (argc < 3) work();  // else the first calls come at the end
  if (way == "atexit") {
    std::atexit(end);
  } else if (way == "static") {
    ends_at_last.wanted = true;
  } else if (way == "local_static") {
    static EndsAtLast ends;
    ends.wanted = true;
  } else {
    pthread_key_create(&late, in_first_round);
    if (provided == MPI_THREAD_MULTIPLE) run_threads();
    end();
  }
  return 0;
}
