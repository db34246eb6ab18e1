// A random program makes, uses and frees handles of all kinds. Chance calls the MPI_ or the PMPI_ function: so some are
// made or freed behind Marshal's back, and handles come again. Whatever the program asks by MPI_ functions is what the
// host answers to their PMPI_ twins. Argument: for how many seconds (TEST_SECONDS goes before that).
// MARSHAL_TEST_SEED=N repeats a run.
// cluster: nodes=2 ranks=4 args=1 env4=OMPI_MCA_osc=pt2pt
// cluster: nodes=2 ranks=4 args=1 env4=OMPI_MCA_osc=pt2pt env=MARSHAL_SELF_CHECK=on
// cluster: nodes=2 ranks=4 args=1 env4=OMPI_MCA_osc=pt2pt env=MARSHAL_PACK=mars env=MARSHAL_MESSAGES=on
// cluster: nodes=2 ranks=4 args=1 env4=OMPI_MCA_osc=pt2pt env=MARSHAL_CART_FORCE=on env=MARSHAL_CART_MOVE=coordinates env=MARSHAL_TOPOLOGY=cyclic:2
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "wrappers/marshal.h"

namespace {

int me = 0, ranks = 0, wrong = 0;
std::mt19937 dice;  // the same on all ranks as a turn begins

unsigned first_seed = 0, turns = 0;
// A group may have another size on each rank, and what is drawn for it differs then: only until the next turn.
void begin_turn() { dice.seed(first_seed + ++turns); }

int draw(int below) { return static_cast<int>(dice() % static_cast<unsigned>(below)); }

// Calls the MPI_ or the PMPI_ function.
#define BY_TURNS(name, ...) (draw(2) == 0 ? MPI_##name(__VA_ARGS__) : PMPI_##name(__VA_ARGS__))
#define CHECK(condition)                                                          \
  do {                                                                            \
    if (condition) break;                                                         \
    if (wrong++ < 10) printf("rank %d, line %d: %s\n", me, __LINE__, #condition); \
  } while (false)

std::vector<int> first_numbers(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

MPI_Group world;

void check_translation(MPI_Group from, MPI_Group to) {
  int size = 0;
  PMPI_Group_size(from, &size);
  const std::vector<int> all = first_numbers(size);
  std::vector<int> found(all.size() + 1), expected(found);
  MPI_Group_translate_ranks(from, size, all.data(), to, found.data());
  PMPI_Group_translate_ranks(from, size, all.data(), to, expected.data());
  CHECK(found == expected);
}

// Both name the same processes in the same order.
void check_same(MPI_Group a, MPI_Group b) {
  int relation = 0;
  PMPI_Group_compare(a, b, &relation);
  CHECK(relation == MPI_IDENT);
}

// The messages that this process has sent so far to processes of its job.
struct Sent {
  unsigned long long messages = 0, bytes = 0;
  bool operator==(const Sent&) const = default;
};
Sent sent() {
  Sent all;
  for (int peer = 0; marshal_sent != nullptr && peer < ranks; ++peer) {
    Sent one;
    CHECK(marshal_sent(peer, &one.messages, &one.bytes) == MARSHAL_SUCCESS);
    all.messages += one.messages;
    all.bytes += one.bytes;
  }
  return all;
}
void check_sent(const Sent& before, int messages, int bytes) {
  if (marshal_sent == nullptr) return;
  CHECK(sent() == (Sent{before.messages + static_cast<unsigned long long>(messages),
                        before.bytes + static_cast<unsigned long long>(bytes)}));
}

// The handles of one kind. All ranks have as many, in the same order.
template <class Handle>
struct Kind {
  std::vector<Handle> alive;
  std::size_t most;

  Handle any() const { return alive[static_cast<std::size_t>(draw(static_cast<int>(alive.size())))]; }
  template <class End>
  void end_one(End end) {
    const auto which = alive.begin() + draw(static_cast<int>(alive.size()));
    Handle gone = *which;
    alive.erase(which);
    end(gone);
  }
};

// Makes one where there are few, frees one where there are many.
template <class Handle, class Make, class End>
void make_or_end(Kind<Handle>& kind, Make make, End end) {
  if (kind.alive.empty() || (kind.alive.size() < kind.most && draw(2) == 0))
    kind.alive.push_back(make());
  else
    kind.end_one(end);
}

Kind<MPI_Comm> communicators{{}, 8};
Kind<MPI_Group> groups{{}, 10};
Kind<MPI_Win> windows{{}, 3};
Kind<MPI_File> files{{}, 2};

// ---- Groups

MPI_Group any_group() { return groups.alive.empty() ? world : groups.any(); }

MPI_Group make_group() {
  MPI_Group made = MPI_GROUP_NULL;
  const MPI_Group from = any_group(), other = any_group();
  int size = 0;
  PMPI_Group_size(from, &size);
  std::vector<int> some = first_numbers(size);
  std::shuffle(some.begin(), some.end(), dice);
  if (size > 1) some.resize(static_cast<std::size_t>(1 + draw(size - 1)));
  int range[1][3] = {{size - 1, 0, -1}};
  const int count = static_cast<int>(some.size());
  switch (draw(9)) {
    case 0:
      BY_TURNS(Group_excl, from, count, some.data(), &made);
      break;
    case 1:
      BY_TURNS(Group_range_incl, from, size > 0 ? 1 : 0, range, &made);
      break;
    case 2:
      BY_TURNS(Group_union, from, other, &made);
      break;
    case 3:
      BY_TURNS(Group_intersection, from, other, &made);
      break;
    case 4:
      BY_TURNS(Group_difference, from, other, &made);
      break;
    case 5:
      if (windows.alive.empty()) return make_group();
      BY_TURNS(Win_get_group, windows.any(), &made);
      break;
    case 6:
      if (files.alive.empty()) return make_group();
      BY_TURNS(File_get_group, files.any(), &made);
      break;
    case 7:
      if (communicators.alive.empty()) return make_group();
      BY_TURNS(Comm_group, communicators.any(), &made);
      break;
    default:
      BY_TURNS(Group_incl, from, count, some.data(), &made);
      break;
  }
  return made;
}

void end_group(MPI_Group& gone) {
  if (gone != MPI_GROUP_EMPTY) BY_TURNS(Group_free, &gone);
}

void use_groups() {
  const MPI_Group a = any_group(), b = any_group();
  check_translation(a, b);
  check_translation(world, a);
  int relation = 0, expected = 0;
  MPI_Group_compare(a, b, &relation);
  PMPI_Group_compare(a, b, &expected);
  CHECK(relation == expected);
}

// ---- Communicators. Whoever is in none of a new one's processes gets a duplicate of MPI_COMM_SELF, so all have one.

MPI_Comm make_communicator() {
  MPI_Comm made = MPI_COMM_NULL;
  const int kind = draw(8), parts = 1 + draw(3), turned = draw(2);
  switch (kind) {
    case 0:
      BY_TURNS(Comm_dup, MPI_COMM_WORLD, &made);
      break;
    case 1:
      BY_TURNS(Comm_split_type, MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, turned ? -me : me, MPI_INFO_NULL, &made);
      break;
    case 2: {
      const std::vector<int> all = first_numbers(ranks);
      MPI_Group some = MPI_GROUP_NULL;
      const int count = 1 + draw(ranks);
      BY_TURNS(Group_incl, world, count, all.data(), &some);
      BY_TURNS(Comm_create, MPI_COMM_WORLD, some, &made);
      BY_TURNS(Group_free, &some);
      break;
    }
    case 3: {
      MPI_Request request = MPI_REQUEST_NULL;
      BY_TURNS(Comm_idup, MPI_COMM_WORLD, &made, &request);
      BY_TURNS(Wait, &request, MPI_STATUS_IGNORE);
      break;
    }
    case 4: {
      const int dims[2] = {ranks / 2, 2}, periods[2] = {1, 0};
      if (ranks % 2 != 0) return make_communicator();
      BY_TURNS(Cart_create, MPI_COMM_WORLD, 2, dims, periods, turned, &made);
      break;
    }
    default:
      BY_TURNS(Comm_split, MPI_COMM_WORLD, me % parts, turned ? -me : me, &made);
      break;
  }
  if (made == MPI_COMM_NULL) PMPI_Comm_dup(MPI_COMM_SELF, &made);
  return made;
}

void end_communicator(MPI_Comm& gone) {
  if (draw(3) == 0)
    BY_TURNS(Comm_disconnect, &gone);
  else
    BY_TURNS(Comm_free, &gone);
}

// Neighbours as told by MPI_Cart_shift are those with which a neighbourhood collective talks.
void use_grid(MPI_Comm grid) {
  int rank = 0, coordinates[2] = {-1, -1}, back = -1, from[4];
  MPI_Comm_rank(grid, &rank);
  MPI_Cart_coords(grid, rank, 2, coordinates);
  MPI_Cart_rank(grid, coordinates, &back);
  CHECK(back == rank);
  int expected[4];
  MPI_Cart_shift(grid, 0, 1, &expected[0], &expected[1]);
  MPI_Cart_shift(grid, 1, 1, &expected[2], &expected[3]);
  std::fill_n(from, 4, MPI_PROC_NULL);
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, from, 1, MPI_INT, grid);
  CHECK(std::equal(from, from + 4, expected));
}

void use_communicator() {
  const MPI_Comm one = communicators.any(), other = communicators.any();
  int relation = 0, expected = 0, rank = 0, size = 0, topology = MPI_UNDEFINED;
  MPI_Comm_compare(one, other, &relation);
  PMPI_Comm_compare(one, other, &expected);
  CHECK(relation == expected);
  MPI_Comm_compare(MPI_COMM_WORLD, one, &relation);
  PMPI_Comm_compare(MPI_COMM_WORLD, one, &expected);
  CHECK(relation == expected);
  MPI_Group group = MPI_GROUP_NULL;
  BY_TURNS(Comm_group, one, &group);
  check_translation(group, world);
  check_translation(world, group);
  BY_TURNS(Group_free, &group);
  PMPI_Comm_rank(one, &rank);
  PMPI_Comm_size(one, &size);
  int numbers[2] = {rank, me}, sums[2] = {0, 0}, sums_expected[2] = {0, 0};
  MPI_Allreduce(numbers, sums, 2, MPI_INT, MPI_SUM, one);
  PMPI_Allreduce(numbers, sums_expected, 2, MPI_INT, MPI_SUM, one);
  CHECK(sums[0] == sums_expected[0] && sums[1] == sums_expected[1]);
  const Sent before = sent();
  int in = -1, in_expected = -1;
  MPI_Sendrecv(&me, 1, MPI_INT, (rank + 1) % size, 1, &in, 1, MPI_INT, (rank + size - 1) % size, 1, one,
               MPI_STATUS_IGNORE);
  check_sent(before, 1, sizeof(int));
  PMPI_Sendrecv(&me, 1, MPI_INT, (rank + 1) % size, 1, &in_expected, 1, MPI_INT, (rank + size - 1) % size, 1, one,
                MPI_STATUS_IGNORE);
  CHECK(in == in_expected);
  MPI_Topo_test(one, &topology);
  if (topology == MPI_CART) use_grid(one);
}

// ---- Datatypes, with which this process sends to the next one and packs.

struct Type {
  MPI_Datatype handle;
  int size;
};
Kind<Type> types{{}, 10};
constexpr int most_bytes = 64 * 1024;

Type make_type() {
  MPI_Datatype made = MPI_DATATYPE_NULL, twice = MPI_DATATYPE_NULL;
  const int count = 1 + draw(20), length = 1 + draw(3);
  switch (draw(4)) {
    case 0:
      BY_TURNS(Type_contiguous, count, MPI_INT, &made);
      break;
    case 1: {
      std::vector<int> places = first_numbers(count), lengths(places);
      for (int i = 0; i < count; ++i)
        lengths[static_cast<std::size_t>(i)] = 1 + draw(3), places[static_cast<std::size_t>(i)] *= 4;
      BY_TURNS(Type_indexed, count, lengths.data(), places.data(), MPI_INT, &made);
      break;
    }
    case 2: {
      const int lengths[2] = {length, count};
      const MPI_Aint places[2] = {0, 32};
      const MPI_Datatype parts[2] = {MPI_DOUBLE, MPI_SHORT};
      BY_TURNS(Type_create_struct, 2, lengths, places, parts, &made);
      break;
    }
    default:
      BY_TURNS(Type_vector, count, length, length + draw(3), MPI_DOUBLE, &made);
      break;
  }
  if (draw(4) == 0) {
    BY_TURNS(Type_vector, 2, 1, 2, made, &twice);
    BY_TURNS(Type_free, &made);
    made = twice;
  }
  BY_TURNS(Type_commit, &made);
  if (draw(4) == 0) BY_TURNS(Type_commit, &made);
  if (draw(4) == 0) {
    BY_TURNS(Type_dup, made, &twice);
    BY_TURNS(Type_free, &made);
    made = twice;
  }
  int size = 0;
  PMPI_Type_size(made, &size);
  return {made, size};
}

void end_type(Type& gone) { BY_TURNS(Type_free, &gone.handle); }

void use_type() {
  static std::vector<char> user(most_bytes), received(most_bytes), received_expected(most_bytes), packed(most_bytes),
      packed_expected(most_bytes);
  for (char& byte : user) byte = static_cast<char>(dice());
  const Type type = types.any();
  const int count = 1 + draw(4), next = (me + 1) % ranks, previous = (me + ranks - 1) % ranks;
  for (int times = draw(8); times >= 0; --times) {
    int position = 0, position_expected = 0;
    MPI_Pack(user.data(), count, type.handle, packed.data(), most_bytes, &position, MPI_COMM_WORLD);
    PMPI_Pack(user.data(), count, type.handle, packed_expected.data(), most_bytes, &position_expected, MPI_COMM_WORLD);
    CHECK(position == position_expected &&
          std::memcmp(packed.data(), packed_expected.data(), static_cast<std::size_t>(position)) == 0);
    position = 0;
    MPI_Unpack(packed.data(), most_bytes, &position, received.data(), count, type.handle, MPI_COMM_WORLD);
    position_expected = 0;
    PMPI_Unpack(packed.data(), most_bytes, &position_expected, received_expected.data(), count, type.handle,
                MPI_COMM_WORLD);
    CHECK(position == position_expected && received == received_expected);
  }
  const Sent before = sent();
  MPI_Sendrecv(user.data(), count, type.handle, next, 2, received.data(), count, type.handle, previous, 2,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  check_sent(before, 1, count * type.size);
  PMPI_Sendrecv(packed_expected.data(), count * type.size, MPI_PACKED, next, 2, packed.data(), most_bytes, MPI_PACKED,
                previous, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int position = 0;
  PMPI_Unpack(packed.data(), most_bytes, &position, received_expected.data(), count, type.handle, MPI_COMM_WORLD);
  CHECK(received == received_expected);
  MPI_Bcast(received.data(), count, type.handle, 0, MPI_COMM_WORLD);
  PMPI_Bcast(received_expected.data(), count, type.handle, 0, MPI_COMM_WORLD);
  CHECK(received == received_expected);
}

// ---- Windows: each process puts its number into the next one's memory.

MPI_Win make_window() {
  MPI_Win made = MPI_WIN_NULL;
  int* memory = nullptr;
  const MPI_Comm on = communicators.alive.empty() ? MPI_COMM_WORLD : communicators.any();
  BY_TURNS(Win_allocate, 4096, sizeof(int), MPI_INFO_NULL, on, &memory, &made);
  return made;
}

void end_window(MPI_Win& gone) { BY_TURNS(Win_free, &gone); }

void use_window() {
  const MPI_Win window = windows.any();
  MPI_Group group = MPI_GROUP_NULL, expected = MPI_GROUP_NULL;
  MPI_Win_get_group(window, &group);
  PMPI_Win_get_group(window, &expected);
  check_same(group, expected);
  check_translation(group, world);
  check_translation(world, group);
  int rank = 0, size = 0, value = -1;
  PMPI_Group_rank(group, &rank);
  PMPI_Group_size(group, &size);
  MPI_Win_fence(0, window);
  const Sent before = sent();
  MPI_Put(&me, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
  check_sent(before, 1, sizeof(int));
  MPI_Win_fence(0, window);
  PMPI_Get(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
  PMPI_Win_fence(0, window);
  CHECK(value == me);
  BY_TURNS(Group_free, &expected);
  BY_TURNS(Group_free, &group);
}

// ---- Files

MPI_File make_file() {
  static int number = 0;
  const std::string name = "by_turns." + std::to_string(number++);
  const MPI_Comm on = draw(2) == 0 || communicators.alive.empty() ? MPI_COMM_WORLD : communicators.any();
  int first = me;
  PMPI_Allreduce(&me, &first, 1, MPI_INT, MPI_MIN, on);  // each part of a split has a file of its own
  MPI_File made = MPI_FILE_NULL;
  BY_TURNS(File_open, on, (name + "." + std::to_string(first)).c_str(),
           MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &made);
  return made;
}

void end_file(MPI_File& gone) { BY_TURNS(File_close, &gone); }

void use_file() {
  MPI_Group group = MPI_GROUP_NULL, expected = MPI_GROUP_NULL;
  const MPI_File file = files.any();
  MPI_File_get_group(file, &group);
  PMPI_File_get_group(file, &expected);
  check_same(group, expected);
  check_translation(group, world);
  BY_TURNS(Group_free, &group);
  BY_TURNS(Group_free, &expected);
}

// ---- Persistent requests: each sends to the next process, or receives from the one before.

struct Channel {
  MPI_Request request;
  int bytes;  // that a start sends, as Marshal saw; 0 for one that receives, or that it did not see
  bool receives;
  std::vector<int> memory;
};
Kind<Channel*> channels{{}, 6};

Channel* make_channel() {
  auto* made = new Channel{MPI_REQUEST_NULL, 0, draw(2) == 0, std::vector<int>(static_cast<std::size_t>(1 + draw(8)))};
  const int count = static_cast<int>(made->memory.size());
  const bool unseen = draw(2) == 0;
  if (made->receives)
    (unseen ? PMPI_Recv_init : MPI_Recv_init)(made->memory.data(), count, MPI_INT, (me + ranks - 1) % ranks, 5,
                                              MPI_COMM_WORLD, &made->request);
  else
    (unseen ? PMPI_Send_init : MPI_Send_init)(made->memory.data(), count, MPI_INT, (me + 1) % ranks, 6, MPI_COMM_WORLD,
                                              &made->request);
  if (!unseen && !made->receives) made->bytes = count * static_cast<int>(sizeof(int));
  return made;
}

void end_channel(Channel* gone) {
  BY_TURNS(Request_free, &gone->request);
  delete gone;
}

void use_channel() {
  Channel& channel = *channels.any();
  const int count = static_cast<int>(channel.memory.size());
  std::vector<int> other(channel.memory.size());
  std::iota(channel.receives ? other.begin() : channel.memory.begin(),
            channel.receives ? other.end() : channel.memory.end(), me);
  const Sent before = sent();
  MPI_Start(&channel.request);
  check_sent(before, channel.bytes != 0, channel.bytes);
  if (channel.receives)
    PMPI_Send(other.data(), count, MPI_INT, (me + 1) % ranks, 5, MPI_COMM_WORLD);
  else
    PMPI_Recv(other.data(), count, MPI_INT, (me + ranks - 1) % ranks, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  BY_TURNS(Wait, &channel.request, MPI_STATUS_IGNORE);
  CHECK((channel.receives ? channel.memory : other)[0] == (me + ranks - 1) % ranks);
}

// ---- Operations

void largest(void* in, void* inout, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i)
    static_cast<int*>(inout)[i] = std::max(static_cast<int*>(inout)[i], static_cast<int*>(in)[i]);
}
void sum(void* in, void* inout, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}

struct Operation {
  MPI_Op handle;
  bool is_sum;
};
Kind<Operation> operations{{}, 4};

Operation make_operation() {
  Operation made{MPI_OP_NULL, draw(2) == 0};
  BY_TURNS(Op_create, made.is_sum ? sum : largest, 1, &made.handle);
  return made;
}
void end_operation(Operation& gone) { BY_TURNS(Op_free, &gone.handle); }
void use_operation() {
  const Operation operation = operations.any();
  int result = -1;
  MPI_Allreduce(&me, &result, 1, MPI_INT, operation.handle, MPI_COMM_WORLD);
  CHECK(result == (operation.is_sum ? ranks * (ranks - 1) / 2 : ranks - 1));
}

void take_turn() {
  switch (draw(20)) {
    case 0:
    case 1:
    case 2:
      return make_or_end(groups, make_group, end_group);
    case 3:
    case 4:
    case 5:
      return make_or_end(communicators, make_communicator, end_communicator);
    case 6:
    case 7:
    case 8:
      return make_or_end(types, make_type, end_type);
    case 9:
      return make_or_end(windows, make_window, end_window);
    case 10:
      if (draw(10) == 0) make_or_end(files, make_file, end_file);
      return;
    case 11:
      return make_or_end(channels, make_channel, end_channel);
    case 12:
      return make_or_end(operations, make_operation, end_operation);
    case 13:
      if (!windows.alive.empty()) use_window();
      return;
    case 14:
      if (!files.alive.empty()) use_file();
      return;
    case 15:
      if (!channels.alive.empty()) use_channel();
      return;
    case 16:
      if (!operations.alive.empty()) use_operation();
      return;
    case 17:
      return use_groups();
    case 18:
      if (!communicators.alive.empty()) use_communicator();
      return;
    default:
      if (!types.alive.empty()) use_type();
      return;
  }
}

template <class Handle, class End>
void end_all(Kind<Handle>& kind, End end) {
  while (!kind.alive.empty()) begin_turn(), kind.end_one(end);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* const by_hand = std::getenv("TEST_SECONDS");
  const double seconds = by_hand != nullptr ? std::atof(by_hand) : argc > 1 ? std::atof(argv[1]) : 1;
  const char* const given = std::getenv("MARSHAL_TEST_SEED");
  unsigned seed = given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : std::random_device()();
  PMPI_Bcast(&seed, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
  first_seed = seed;
  if (me == 0) printf("seed %u\n", seed);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const double end = MPI_Wtime() + seconds;
  for (int go_on = 1; go_on != 0;) {
    for (int i = 0; i < 100; ++i) begin_turn(), take_turn();
    go_on = MPI_Wtime() < end;
    PMPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (me == 0) printf("%u turns\n", turns);
  end_all(files, end_file);
  end_all(windows, end_window);
  end_all(channels, end_channel);
  end_all(operations, end_operation);
  end_all(groups, end_group);
  if (seed % 2 == 0) end_all(types, end_type);
  end_all(communicators, end_communicator);
  MPI_Group_free(&world);
  MPI_Finalize();
  if (wrong != 0) printf("rank %d, seed %u: %d wrong\n", me, seed, wrong);
  return wrong != 0;
}
