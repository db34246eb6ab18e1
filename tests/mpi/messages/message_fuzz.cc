// Random datatypes in messages between two ranks, by every kind of call: what arrives is compared, byte for byte and
// with the memory around it, with what MPI_Pack and MPI_Unpack of the bare host make of the same data. Either side, or
// both, has the type as Marshal knows it, or a duplicate made by PMPI_Type_dup, of which Marshal knows nothing.
//
// usage: message-fuzz [MESSAGES [FIRST-SEED [PROGRESS-FILE]]] on two ranks; exits with 1 at the first difference. A
// host may die of a type by itself: the seed in work and the messages before it stand in the file, so that the caller
// can go on behind it. If MESSAGE_FUZZ_LONG is set, all have 30 KB and more. If MESSAGE_FUZZ_BLOCKS is set, an instance
// of every type is one block. If MESSAGE_FUZZ_LATE is set, a long message before each random type lets Marshal read
// that type in the middle of its messages (types/site_history.h). MESSAGE_FUZZ_WITHOUT names calls that a host gets
// wrong: persistent,Mprobe.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tests/unit/datatype/random_type.h"
#include "tools/bench_pack/mpi_type.h"

using marshal::datatype::testing::RandomType;
using MpiType = marshal::bench::MpiType;
using Bytes = std::vector<std::byte>;

namespace {

int me, other;

// Open MPI cannot make and free windows for ever.
constexpr std::size_t window_size = 1 << 20;
MPI_Win window;
std::byte* in_window;

// How a rank has the type.
enum class Known { by_commit, by_dup, not_at_all };

class Variant {
 public:
  Variant(MPI_Datatype type, Known known) : type_(type), own_(known != Known::by_commit) {
    if (known == Known::by_dup) MPI_Type_dup(type, &type_);
    if (known == Known::not_at_all) PMPI_Type_dup(type, &type_);
  }
  ~Variant() {
    if (own_ && type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  }
  Variant(const Variant&) = delete;
  Variant& operator=(const Variant&) = delete;
  MPI_Datatype get() const { return type_; }
  void free_early() { own_ = MPI_Type_free(&type_) != MPI_SUCCESS; }
  bool is_own() const { return own_; }

 private:
  MPI_Datatype type_;
  bool own_;
};

void fill(Bytes& bytes, std::uint64_t seed) {
  auto noise = static_cast<std::uint32_t>(seed * 2654435761U + 12345);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>((noise = noise * 1664525 + 1013904223) >> 24);
}

// The memory of a message, with some around it that must not change.
struct Memory {
  Bytes bytes;
  std::ptrdiff_t to_origin;
  std::byte* origin() { return bytes.data() + to_origin; }
};

struct Case {
  MPI_Datatype bare;
  int count;
  std::int64_t size, first, end;  // in bytes from the origin
  Memory memory() const {
    constexpr std::int64_t around = 4096;
    return {Bytes(static_cast<std::size_t>(end - first + 2 * around)), static_cast<std::ptrdiff_t>(around - first)};
  }
};

Bytes packed_by_host(const Case& c, Memory& from, int count) {
  Bytes packed(static_cast<std::size_t>(c.size / c.count * count));
  int position = 0;
  PMPI_Pack(from.origin(), count, c.bare, packed.data(), static_cast<int>(packed.size()), &position, MPI_COMM_SELF);
  return packed;
}

void unpack_by_host(const Case& c, const Bytes& packed, Memory& to, int count) {
  int position = 0;
  PMPI_Unpack(packed.data(), static_cast<int>(packed.size()), &position, to.origin(), count, c.bare, MPI_COMM_SELF);
}

// True if every entry goes to a byte of its own: then it does not matter in what order they arrive. And no entry may go
// outside what the host says of the type's extent: MPICH 4.0 writes elsewhere with a few types.
bool is_fit(const Case& c) {
  constexpr std::int64_t far = 1 << 20;
  Memory marks{Bytes(static_cast<std::size_t>(c.end - c.first + 2 * far)), static_cast<std::ptrdiff_t>(far - c.first)};
  unpack_by_host(c, Bytes(static_cast<std::size_t>(c.size), std::byte{1}), marks, c.count);
  const auto begin = marks.bytes.begin() + far, end = marks.bytes.end() - far;
  return std::count(begin, end, std::byte{1}) == c.size;
}

bool fail(std::uint64_t seed, const char* call, const Case& c, const char* what) {
  std::fprintf(stderr, "message-fuzz: seed %llu, rank %d, %s of %d x %lld B: %s\n",
               static_cast<unsigned long long>(seed), me, call, c.count, static_cast<long long>(c.size / c.count),
               what);
  return false;
}

// One message each way between the ranks. The bytes that must have arrived in `to` are in `expected`.
struct Exchange {
  const Case& c;
  Variant& type;
  Memory &from, &to, &expected;
  const Bytes& packed_other;  // what the other rank sends, packed by the host
  int tag;

  void expect_all() { unpack_by_host(c, packed_other, expected, c.count); }
  void replace() {
    to.bytes = from.bytes;
    expected.bytes = from.bytes;
  }
  int bytes() const { return static_cast<int>(c.size); }
};

// The calls. Each is false if it got another count, or other bytes elsewhere.

bool sendrecv(Exchange& x) {
  const MPI_Datatype t = x.type.get();
  x.expect_all();
  MPI_Status status;
  MPI_Sendrecv(x.from.origin(), x.c.count, t, other, x.tag, x.to.origin(), x.c.count, t, other, x.tag, MPI_COMM_WORLD,
               &status);
  int received = -1;
  MPI_Get_count(&status, t, &received);
  return received == x.c.count;
}

bool isend(Exchange& x) {
  const MPI_Datatype t = x.type.get();
  x.expect_all();
  MPI_Request requests[2];
  MPI_Irecv(x.to.origin(), x.c.count, t, other, x.tag, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(x.from.origin(), x.c.count, t, other, x.tag, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  return true;
}

bool ssend(Exchange& x) {
  const MPI_Datatype t = x.type.get();
  x.expect_all();
  MPI_Status status;
  if (me == 0) MPI_Ssend(x.from.origin(), x.c.count, t, other, x.tag, MPI_COMM_WORLD);
  MPI_Recv(x.to.origin(), x.c.count, t, MPI_ANY_SOURCE, x.tag, MPI_COMM_WORLD, &status);
  if (me == 1) MPI_Ssend(x.from.origin(), x.c.count, t, other, x.tag, MPI_COMM_WORLD);
  int received = -1;
  MPI_Get_count(&status, t, &received);
  return received == x.c.count;
}

bool bsend(Exchange& x) {
  const MPI_Datatype t = x.type.get();
  x.expect_all();
  int room;
  MPI_Pack_size(x.c.count, t, MPI_COMM_WORLD, &room);
  Bytes buffer(static_cast<std::size_t>(room + MPI_BSEND_OVERHEAD));
  MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
  MPI_Bsend(x.from.origin(), x.c.count, t, other, x.tag, MPI_COMM_WORLD);
  MPI_Recv(x.to.origin(), x.c.count, t, other, x.tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  void* detached;
  MPI_Buffer_detach(&detached, &room);
  return true;
}

bool persistent(Exchange& x) {
  const MPI_Datatype t = x.type.get();
  x.expect_all();
  MPI_Request requests[2];
  MPI_Recv_init(x.to.origin(), x.c.count, t, other, x.tag, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(x.from.origin(), x.c.count, t, other, x.tag, MPI_COMM_WORLD, &requests[1]);
  for (int turn = 0; turn < 3; ++turn) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  return true;
}

bool mprobe(Exchange& x) {
  const MPI_Datatype t = x.type.get();
  x.expect_all();
  MPI_Request request;
  MPI_Isend(x.from.origin(), x.c.count, t, other, x.tag, MPI_COMM_WORLD, &request);
  MPI_Message message;
  MPI_Status status;
  MPI_Mprobe(other, x.tag, MPI_COMM_WORLD, &message, &status);
  int received = -1;
  MPI_Get_count(&status, t, &received);
  MPI_Mrecv(x.to.origin(), x.c.count, t, &message, &status);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return received == x.c.count;
}

bool shorter(Exchange& x) {
  const MPI_Datatype t = x.type.get();
  const int part = std::max(1, x.c.count / 2);
  unpack_by_host(x.c, Bytes(x.packed_other.begin(), x.packed_other.begin() + x.c.size / x.c.count * part), x.expected,
                 part);
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(x.to.origin(), x.c.count, t, other, x.tag, MPI_COMM_WORLD, &request);
  MPI_Send(x.from.origin(), part, t, other, x.tag, MPI_COMM_WORLD);
  MPI_Wait(&request, &status);
  int received = -1;
  MPI_Get_count(&status, t, &received);
  return received == part;
}

bool to_bytes(Exchange& x) {
  Bytes plain(static_cast<std::size_t>(x.bytes()));
  MPI_Request request;
  MPI_Irecv(plain.data(), x.bytes(), MPI_BYTE, other, x.tag, MPI_COMM_WORLD, &request);
  MPI_Send(x.from.origin(), x.c.count, x.type.get(), other, x.tag, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return plain == x.packed_other;
}

bool from_bytes(Exchange& x) {
  const Bytes plain = packed_by_host(x.c, x.from, x.c.count);
  x.expect_all();
  MPI_Request request;
  MPI_Irecv(x.to.origin(), x.c.count, x.type.get(), other, x.tag, MPI_COMM_WORLD, &request);
  MPI_Send(plain.data(), x.bytes(), MPI_BYTE, other, x.tag, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return true;
}

bool bcast(Exchange& x) {
  x.replace();
  if (me == 1) x.expect_all();
  MPI_Bcast(x.to.origin(), x.c.count, x.type.get(), 0, MPI_COMM_WORLD);
  return true;
}

// To and from the other rank alone.
bool alltoallw(Exchange& x) {
  x.expect_all();
  int counts[2] = {0, 0}, displacements[2] = {0, 0};
  counts[other] = x.c.count;
  const MPI_Datatype types[2] = {x.type.get(), x.type.get()};
  MPI_Alltoallw(x.from.origin(), counts, displacements, types, x.to.origin(), counts, displacements, types,
                MPI_COMM_WORLD);
  return true;
}

// On a line of two: rank 0's other neighbour is the second, rank 1's the first.
bool neighbor_alltoallw(Exchange& x) {
  x.expect_all();
  const int two = 2, no = 0;
  const MPI_Aint displacements[2] = {0, 0};
  const MPI_Datatype types[2] = {x.type.get(), x.type.get()};
  MPI_Comm line;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &two, &no, 0, &line);
  const int sends[2] = {me == 1 ? x.c.count : 0, me == 0 ? x.c.count : 0};
  MPI_Neighbor_alltoallw(x.from.origin(), sends, displacements, types, x.to.origin(), sends, displacements, types,
                         line);
  MPI_Comm_free(&line);
  return true;
}

bool put_and_get(Exchange& x) {
  const Case& c = x.c;
  const MPI_Datatype t = x.type.get();
  x.expect_all();
  if (x.to.bytes.size() > window_size || x.to.to_origin < 0) {  // no displacement in the window
    x.to.bytes = x.expected.bytes;
    return true;
  }
  std::copy(x.to.bytes.begin(), x.to.bytes.end(), in_window);
  MPI_Win_fence(0, window);
  MPI_Put(x.from.origin(), c.count, t, other, x.to.to_origin, c.count, t, window);
  MPI_Win_fence(0, window);
  Memory got = c.memory();
  Memory got_expected = got;
  MPI_Get(got.origin(), c.count, t, other, x.to.to_origin, c.count, t, window);
  MPI_Win_fence(0, window);
  std::copy_n(in_window, x.to.bytes.size(), x.to.bytes.begin());
  unpack_by_host(c, packed_by_host(c, x.from, c.count), got_expected, c.count);
  return got.bytes == got_expected.bytes;
}

bool sendrecv_replace(Exchange& x) {
  x.replace();
  x.expect_all();
  MPI_Sendrecv_replace(x.to.origin(), x.c.count, x.type.get(), other, x.tag, other, x.tag, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  return true;
}

// Both types go before the message does, and others come in their place.
bool freed_early(Exchange& x) {
  const MPI_Datatype t = x.type.get();
  x.expect_all();
  MPI_Request requests[2];
  MPI_Irecv(x.to.origin(), x.c.count, t, other, x.tag, MPI_COMM_WORLD, &requests[0]);
  MPI_Issend(x.from.origin(), x.c.count, t, other, x.tag, MPI_COMM_WORLD, &requests[1]);
  if (x.type.is_own()) x.type.free_early();
  MPI_Datatype others[3];
  for (int i = 0; i < 3; ++i) {
    MPI_Type_vector(3 + i, 1 + i, 7, MPI_SHORT, &others[i]);
    MPI_Type_commit(&others[i]);
  }
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (MPI_Datatype& type : others) MPI_Type_free(&type);
  return true;
}

bool gather(Exchange& x) {
  Bytes all(static_cast<std::size_t>(2 * x.bytes()));
  MPI_Gather(x.from.origin(), x.c.count, x.type.get(), all.data(), x.bytes(), MPI_BYTE, 1, MPI_COMM_WORLD);
  return me == 0 || std::equal(x.packed_other.begin(), x.packed_other.end(), all.begin());
}

bool scatter(Exchange& x) {
  Bytes all(static_cast<std::size_t>(2 * x.bytes()));
  const Bytes own = packed_by_host(x.c, x.from, x.c.count);
  std::copy(own.begin(), own.end(), all.begin());
  std::copy(own.begin(), own.end(), all.begin() + x.bytes());
  unpack_by_host(x.c, me == 1 ? x.packed_other : own, x.expected, x.c.count);
  MPI_Scatter(all.data(), x.bytes(), MPI_BYTE, x.to.origin(), x.c.count, x.type.get(), 0, MPI_COMM_WORLD);
  return true;
}

struct MessageCall {
  const char* name;
  bool (*run)(Exchange&);
};
constexpr MessageCall calls[] = {{"Sendrecv", sendrecv},
                                 {"Isend", isend},
                                 {"Ssend", ssend},
                                 {"Bsend", bsend},
                                 {"persistent", persistent},
                                 {"Mprobe", mprobe},
                                 {"shorter", shorter},
                                 {"to bytes", to_bytes},
                                 {"from bytes", from_bytes},
                                 {"Bcast", bcast},
                                 {"Alltoallw", alltoallw},
                                 {"Neighbor_alltoallw", neighbor_alltoallw},
                                 {"Put and Get", put_and_get},
                                 {"replace", sendrecv_replace},
                                 {"freed early", freed_early},
                                 {"Gather", gather},
                                 {"Scatter", scatter}};
constexpr int call_count = sizeof calls / sizeof *calls;

// Every other type is long enough for several fragments.
int count_of(RandomType& random, std::int64_t one) {
  static const bool only_long_ones = std::getenv("MESSAGE_FUZZ_LONG") != nullptr;
  if (only_long_ones) return static_cast<int>(random.number(30'000, 900'000) / one + 1);
  const std::int64_t most = std::max<std::int64_t>(1, (random.number(0, 3) == 0 ? 400'000 : 20'000) / one);
  return static_cast<int>(random.number(0, 1) ? random.number(1, most)
                                              : random.number(1, std::min<std::int64_t>(most, 9)));
}

// The place where types are committed.
long commits = 0;
int commit_here(MPI_Datatype* type) {
  const int code = MPI_Type_commit(type);
  ++commits;  // no jump to MPI_Type_commit, which would have another caller then
  return code;
}

// A long message of the place pays: the next type is read in its first message (types/site_history.h).
void let_place_pay() {
  static std::vector<double> from(250'000), to(250'000);
  const MpiType type(marshal::datatype::Vector{125'000, 1, 2, marshal::datatype::basic(8)}, commit_here);
  MPI_Sendrecv(from.data(), 1, type.get(), other, 0, to.data(), 1, type.get(), other, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

// Somewhere in a longer extent; up to 500 KB.
marshal::datatype::Type one_block(RandomType& random) {
  using namespace marshal::datatype;
  const Type of = basic(std::int64_t{1} << random.number(0, 3));
  const std::int64_t most = random.number(0, 3) == 0 ? 500'000 : 40'000;
  const std::int64_t length = random.number(1, most / of.size()), at = random.number(-100, 100);
  const std::int64_t extent = length * of.size() + random.number(1, 1000);
  return Resized{random.number(-50, 50), extent, Hindexed{{length}, {at}, of}};
}

bool one_seed(std::uint64_t seed, long& messages, std::int64_t& moved) {
  RandomType random(seed);
  static const bool blocks = std::getenv("MESSAGE_FUZZ_BLOCKS") != nullptr;
  const marshal::datatype::Type tree = blocks ? one_block(random) : random(static_cast<int>(random.number(0, 4)), 2000);
  // Hosts die of some of those by themselves.
  if (tree.size() == 0 || marshal::datatype::has_part_without_data(tree)) return true;
  static const bool late = std::getenv("MESSAGE_FUZZ_LATE") != nullptr;
  if (late) let_place_pay();
  const MpiType committed(tree, commit_here);
  if (!committed.made()) return true;
  const Variant bare(committed.get(), Known::not_at_all);
  MPI_Aint lb, extent, true_lb, true_extent;
  PMPI_Type_get_extent(bare.get(), &lb, &extent);
  PMPI_Type_get_true_extent(bare.get(), &true_lb, &true_extent);
  const int count = blocks ? (random.number(0, 4) == 0 ? 2 : 1) : count_of(random, tree.size());
  const std::int64_t reach = (count - 1) * static_cast<std::int64_t>(extent);
  const Case c{bare.get(), count, tree.size() * count, true_lb + std::min<std::int64_t>(reach, 0),
               true_lb + true_extent + std::max<std::int64_t>(reach, 0)};
  constexpr std::int64_t most = std::int64_t{64} << 20;
  if (c.end - c.first > most || !is_fit(c)) return true;

  Memory from = c.memory(), from_other = from, to = from;
  fill(from.bytes, seed + static_cast<std::uint64_t>(me));
  fill(from_other.bytes, seed + static_cast<std::uint64_t>(other));
  const Bytes packed_other = packed_by_host(c, from_other, count);
  for (int turn = 0; turn < 4; ++turn) {
    const Known known[2] = {static_cast<Known>(random.number(0, 2)), static_cast<Known>(random.number(0, 2))};
    const MessageCall& call = calls[random.number(0, call_count - 1)];
    static const char* const without = std::getenv("MESSAGE_FUZZ_WITHOUT");
    if (without != nullptr && std::strstr(without, call.name) != nullptr) continue;
    fill(to.bytes, seed + 77 + static_cast<std::uint64_t>(turn));
    Memory expected = to;
    Variant type(committed.get(), known[me]);
    Exchange x{c, type, from, to, expected, packed_other, turn};
    if (!call.run(x)) return fail(seed, call.name, c, "other bytes, or another count");
    if (to.bytes != expected.bytes) return fail(seed, call.name, c, "other bytes in memory");
    ++messages;
    moved += c.size;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const long wanted = argc > 1 ? std::atol(argv[1]) : 4000;
  auto seed = static_cast<std::uint64_t>(argc > 2 ? std::atoll(argv[2]) : 1);
  MPI_Init(&argc, &argv);
  int size;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) MPI_Abort(MPI_COMM_WORLD, 2);
  other = 1 - me;
  MPI_Win_allocate(window_size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &in_window, &window);
  std::FILE* progress = argc > 3 && me == 0 ? std::fopen(argv[3], "w") : nullptr;
  long messages = 0;
  std::int64_t moved = 0;
  const std::uint64_t first = seed;
  const auto note_progress = [&] {
    if (progress == nullptr) return;
    std::rewind(progress);
    std::fprintf(progress, "%-20llu %-20ld\n", static_cast<unsigned long long>(seed), messages);
    std::fflush(progress);
  };
  for (; messages < wanted; ++seed) {
    note_progress();
    if (!one_seed(seed, messages, moved)) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  --seed;
  note_progress();
  if (me == 0)
    std::printf("message-fuzz: seeds %llu to %llu: %ld messages each way of %ld types, %lld bytes, all equal\n",
                static_cast<unsigned long long>(first), static_cast<unsigned long long>(seed), messages, commits,
                static_cast<long long>(moved));
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
