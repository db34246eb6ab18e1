// Eight threads of each process make, use and free handles of each other's, all at once (MPI_THREAD_MULTIPLE). One
// makes a communicator, a group, a type, requests, sometimes a window. Two others use them at the same time, and a
// fourth frees them. Chance takes the MPI_ or the PMPI_ function. All answers and all data are right.
// Arguments: for how many seconds (TEST_SECONDS goes before that); "late": no type is freed before the messages
// that it is in have arrived. MARSHAL_TEST_SEED=N repeats a run's choices.
// cluster: nodes=1 ranks=2 args=2
// cluster: nodes=1 ranks=2 args=1 env=MARSHAL_SELF_CHECK=on
// cluster: nodes=2 ranks=3 args=2 env=MARSHAL_PACK=mars env=MARSHAL_MESSAGES=on
#include <mpi.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <numeric>
#include <random>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tests/mpi/thread_multiple.h"
#include "wrappers/actions/marshal.h"

namespace {

constexpr int threads = 8, far_ahead = 4;
int me, ranks;
bool frees_early = true, makes_windows = true;
std::atomic<int> wrong{0}, last_round{1 << 30};
std::array<MPI_Comm, threads> of_thread;
MPI_Group world;

#define CHECK(condition)                                                          \
  do {                                                                            \
    if (condition) break;                                                         \
    if (wrong++ < 10) printf("rank %d, line %d: %s\n", me, __LINE__, #condition); \
  } while (false)

// A thread's own, alike on all ranks.
thread_local std::mt19937 dice;
int draw(int below) { return static_cast<int>(dice() % static_cast<unsigned>(below)); }
#define BY_CHANCE(name, ...) (draw(2) == 0 ? MPI_##name(__VA_ARGS__) : PMPI_##name(__VA_ARGS__))

// Numbers of a rank of `communicator`, spread as a type of the item wants them.
struct Shape {
  int count, length, stride;
  int ints() const { return (count - 1) * stride + length; }
  bool holds(int i) const { return i % stride < length; }
};

struct Item {
  MPI_Comm communicator = MPI_COMM_NULL;
  bool turned = false;               // its ranks are those of the world in falling order
  MPI_Group group = MPI_GROUP_NULL;  // likewise
  MPI_Datatype type = MPI_DATATYPE_NULL;
  Shape shape{};
  std::array<MPI_Request, 2> under_way{}, persistent{};
  std::vector<int> sent, received, sent_again, received_again;
  MPI_Win window = MPI_WIN_NULL;
  alignas(64) std::array<int, 1024> memory{};  // MPICH 4.0 puts some bytes aside where it is not aligned
  std::atomic<int> users{2};

  int rank() const { return turned ? ranks - 1 - me : me; }
  int next() const { return (rank() + 1) % ranks; }
  int previous() const { return (rank() + ranks - 1) % ranks; }
  int in_world(int rank) const { return turned ? ranks - 1 - rank : rank; }
};

// Hands items from thread to thread, each round's in its turn.
class Hand {
 public:
  void put(Item* item) {
    const std::lock_guard lock(mutex_);
    items_.push_back(item);
    changed_.notify_all();
  }
  Item* take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !items_.empty(); });
    Item* const item = items_.front();
    items_.erase(items_.begin());
    return item;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Item*> items_;
};
std::array<Hand, threads> to_first, to_second, to_end;

int number(int rank, int i) { return 1000 * rank + i; }
std::vector<int> numbers_of(int rank, const Shape& shape) {
  std::vector<int> numbers(static_cast<std::size_t>(shape.ints()));
  for (int i = 0; i < shape.ints(); ++i) numbers[static_cast<std::size_t>(i)] = number(rank, i);
  return numbers;
}
bool has_arrived(const std::vector<int>& received, int from, const Shape& shape) {
  for (int i = 0; i < shape.ints(); ++i)
    if (received[static_cast<std::size_t>(i)] != (shape.holds(i) ? number(from, i) : -1)) return false;
  return true;
}

// The group has the ranks of the world, in falling order if `turned`.
void check_group(MPI_Group group, bool turned) {
  std::vector<int> all(static_cast<std::size_t>(ranks)), found(all.size(), -1), expected(all);
  std::iota(all.begin(), all.end(), 0);
  for (int rank = 0; rank < ranks; ++rank) expected[static_cast<std::size_t>(rank)] = turned ? ranks - 1 - rank : rank;
  MPI_Group_translate_ranks(group, ranks, all.data(), world, found.data());
  CHECK(found == expected);
  int relation = -1;
  MPI_Group_compare(group, world, &relation);
  CHECK(relation == (turned ? MPI_SIMILAR : MPI_IDENT));
}

MPI_Group make_group(bool turned) {
  std::vector<int> order(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) order[static_cast<std::size_t>(rank)] = turned ? ranks - 1 - rank : rank;
  MPI_Group made = MPI_GROUP_NULL;
  BY_CHANCE(Group_incl, world, ranks, order.data(), &made);
  return made;
}

void make_communicator(Item& item, MPI_Comm own) {
  item.turned = draw(2) == 0;
  switch (draw(item.turned ? 3 : 5)) {
    case 0: {
      MPI_Group group = make_group(item.turned);
      BY_CHANCE(Comm_create, own, group, &item.communicator);
      BY_CHANCE(Group_free, &group);
      break;
    }
    case 3:
      BY_CHANCE(Comm_dup, own, &item.communicator);
      break;
    case 4: {
      MPI_Request request = MPI_REQUEST_NULL;
      BY_CHANCE(Comm_idup, own, &item.communicator, &request);
      BY_CHANCE(Wait, &request, MPI_STATUS_IGNORE);
      break;
    }
    default:
      BY_CHANCE(Comm_split, own, 0, item.turned ? -me : me, &item.communicator);
  }
}

void make_type(Item& item) {
  item.shape = {2 + draw(300), 1 + draw(3), 0};
  item.shape.stride = item.shape.length + 1 + draw(3);
  MPI_Datatype made = MPI_DATATYPE_NULL;
  BY_CHANCE(Type_vector, item.shape.count, item.shape.length, item.shape.stride, MPI_INT, &made);
  BY_CHANCE(Type_commit, &made);
  if (draw(4) == 0) {
    BY_CHANCE(Type_dup, made, &item.type);
    BY_CHANCE(Type_free, &made);
  } else {
    item.type = made;
  }
}

// Packed so often that Marshal may read it.
void pack_some_times(const Item& item, MPI_Datatype type) {
  std::vector<int> packed(item.sent.size());
  const int room = static_cast<int>(packed.size() * sizeof(int));
  for (int times = 10 * draw(3); times > 0; --times) {
    int position = 0;
    MPI_Pack(item.sent.data(), 1, type, packed.data(), room, &position, MPI_COMM_WORLD);
  }
}

// A message from each rank to the next one, whose type is freed before anybody has waited for it.
void begin_message(Item& item) {
  MPI_Datatype type = item.type;
  if (frees_early) {
    BY_CHANCE(Type_vector, item.shape.count, item.shape.length, item.shape.stride, MPI_INT, &type);
    BY_CHANCE(Type_commit, &type);
    pack_some_times(item, type);
  }
  MPI_Irecv(item.received.data(), 1, type, item.previous(), 7, item.communicator, &item.under_way[0]);
  MPI_Isend(item.sent.data(), 1, type, item.next(), 7, item.communicator, &item.under_way[1]);
  if (frees_early) BY_CHANCE(Type_free, &type);
}

void make_persistent(Item& item) {
  BY_CHANCE(Recv_init, item.received_again.data(), 1, item.type, item.previous(), 8, item.communicator,
            &item.persistent[0]);
  BY_CHANCE(Send_init, item.sent_again.data(), 1, item.type, item.next(), 8, item.communicator, &item.persistent[1]);
}

Item* make(int thread, int round) {
  auto* const item = new Item;
  const MPI_Comm own = of_thread[static_cast<std::size_t>(thread)];
  make_communicator(*item, own);
  item->group = make_group(true);
  make_type(*item);
  item->sent = item->sent_again = numbers_of(item->rank(), item->shape);
  item->received = item->received_again = std::vector<int>(item->sent.size(), -1);
  begin_message(*item);
  make_persistent(*item);
  if (makes_windows && round % 4 == 0)
    BY_CHANCE(Win_create, item->memory.data(), sizeof item->memory, sizeof(int), MPI_INFO_NULL, own, &item->window);
  return item;
}

// Both users do this at the same time.
void use(const Item& item, int tag) {
  int relation = -1;
  MPI_Comm_compare(item.communicator, MPI_COMM_WORLD, &relation);
  CHECK(relation == (item.turned ? MPI_SIMILAR : MPI_CONGRUENT));
  MPI_Group group = MPI_GROUP_NULL;
  BY_CHANCE(Comm_group, item.communicator, &group);
  check_group(group, item.turned);
  BY_CHANCE(Group_free, &group);
  check_group(item.group, true);
  if (marshal_comm_process != nullptr) {
    int job = -1, lpid = -1;
    CHECK(marshal_comm_process(item.communicator, 0, &job, &lpid) == MARSHAL_SUCCESS && job == 0 &&
          lpid == item.in_world(0));
  }
  const std::vector<int> out = numbers_of(item.rank(), item.shape);
  std::vector<int> in(out.size(), -1), packed(out.size()), unpacked(in);
  MPI_Sendrecv(out.data(), 1, item.type, item.next(), tag, in.data(), 1, item.type, item.previous(), tag,
               item.communicator, MPI_STATUS_IGNORE);
  CHECK(has_arrived(in, item.previous(), item.shape));
  const int room = static_cast<int>(packed.size() * sizeof(int));
  for (int times = draw(6); times >= 0; --times) {
    int position = 0;
    MPI_Pack(out.data(), 1, item.type, packed.data(), room, &position, item.communicator);
    CHECK(position == item.shape.count * item.shape.length * static_cast<int>(sizeof(int)));
    position = 0;
    MPI_Unpack(packed.data(), room, &position, unpacked.data(), 1, item.type, item.communicator);
    CHECK(has_arrived(unpacked, item.rank(), item.shape));
  }
}

void use_first(Item& item) {
  use(item, 1);
  int sum = -1;
  MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, item.communicator);
  CHECK(sum == ranks * (ranks - 1) / 2);
  MPI_Waitall(2, item.under_way.data(), MPI_STATUSES_IGNORE);
  CHECK(has_arrived(item.received, item.previous(), item.shape));
  if (item.window == MPI_WIN_NULL) return;
  MPI_Win_fence(0, item.window);
  MPI_Put(&me, 1, MPI_INT, (me + 1) % ranks, 5, 1, MPI_INT, item.window);
  MPI_Win_fence(0, item.window);
  CHECK(item.memory[5] == (me + ranks - 1) % ranks);
}

void use_second(Item& item) {
  use(item, 2);
  BY_CHANCE(Startall, 2, item.persistent.data());
  MPI_Waitall(2, item.persistent.data(), MPI_STATUSES_IGNORE);
  CHECK(has_arrived(item.received_again, item.previous(), item.shape));
  if (item.window == MPI_WIN_NULL) return;
  MPI_Group group = MPI_GROUP_NULL;
  BY_CHANCE(Win_get_group, item.window, &group);
  check_group(group, false);
  BY_CHANCE(Group_free, &group);
}

void end(Item* item) {
  if (item->window != MPI_WIN_NULL) BY_CHANCE(Win_free, &item->window);
  for (MPI_Request& request : item->persistent) BY_CHANCE(Request_free, &request);
  BY_CHANCE(Type_free, &item->type);
  BY_CHANCE(Group_free, &item->group);
  BY_CHANCE(Comm_free, &item->communicator);
  delete item;
}

// All threads have the same handles, counted: each frees them as often as it got them.
void use_shared_groups() {
  MPI_Group all = MPI_GROUP_NULL, self = MPI_GROUP_NULL;
  BY_CHANCE(Comm_group, MPI_COMM_WORLD, &all);
  BY_CHANCE(Comm_group, MPI_COMM_SELF, &self);
  check_group(all, false);
  const int first = 0;
  int rank = -1, relation = -1;
  MPI_Group_translate_ranks(self, 1, &first, all, &rank);
  MPI_Group_compare(all, self, &relation);
  CHECK(rank == me && relation == MPI_UNEQUAL);
  BY_CHANCE(Group_free, &self);
  BY_CHANCE(Group_free, &all);
}

void pass_on(Item* item, int thread) {
  if (--item->users == 0) to_end[static_cast<std::size_t>(thread)].put(item);
}

void work(int thread, unsigned seed, double seconds) {
  dice.seed(seed + static_cast<unsigned>(thread));
  const auto behind = [=](int by) { return static_cast<std::size_t>((thread + by) % threads); };
  const double until = MPI_Wtime() + seconds;
  int round = 0;
  for (; round < last_round; ++round) {
    Item* const made = make(thread, round);
    to_first[behind(1)].put(made);
    to_second[behind(2)].put(made);
    use_shared_groups();
    Item* const first = to_first[behind(0)].take();
    use_first(*first);
    pass_on(first, (thread + 2) % threads);  // its maker is one behind, who ends it three before that
    Item* const second = to_second[behind(0)].take();
    use_second(*second);
    pass_on(second, (thread + 1) % threads);
    end(to_end[behind(0)].take());
    if (thread != 0) continue;
    // A thread is at most three rounds ahead of this one: four rounds from now all have got the word.
    int last = MPI_Wtime() < until || last_round != 1 << 30 ? static_cast<int>(last_round) : round + far_ahead;
    PMPI_Bcast(&last, 1, MPI_INT, 0, of_thread[0]);
    last_round = last;
  }
  if (thread == 0 && me == 0) printf("%d rounds\n", round);
}

}  // namespace

int main(int argc, char** argv) {
  makes_windows = std::getenv("TSAN_OPTIONS") == nullptr;
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION == 4
  // Of Open MPI 4's windows only UCX's bear threads; they crash beside the thread sanitizer, without Marshal, too.
  // Of MPI_Put these may say: cannot use a remote key on a different endpoint (tests/hosts/faults).
  if (makes_windows) setenv("OMPI_MCA_osc", "ucx", 0);
#endif
  init_thread_multiple(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 2; i < argc; ++i) frees_early &= std::string_view(argv[i]) != "late";
  const char* const by_hand = std::getenv("TEST_SECONDS");
  const double seconds = by_hand != nullptr ? std::atof(by_hand) : argc > 1 ? std::atof(argv[1]) : 2;
  const char* const given = std::getenv("MARSHAL_TEST_SEED");
  unsigned seed = given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : std::random_device()();
  PMPI_Bcast(&seed, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
  if (me == 0) printf("seed %u\n", seed), fflush(stdout);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  for (MPI_Comm& own : of_thread) MPI_Comm_dup(MPI_COMM_WORLD, &own);
  {
    std::vector<std::thread> running;
    for (int thread = 0; thread < threads; ++thread) running.emplace_back(work, thread, seed, seconds);
    for (std::thread& one : running) one.join();
  }
  for (MPI_Comm& own : of_thread) MPI_Comm_free(&own);
  MPI_Group_free(&world);
  MPI_Finalize();
  if (wrong != 0) printf("rank %d, seed %u: %d wrong\n", me, seed, static_cast<int>(wrong));
  return wrong != 0;
}
