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

#include "tests/mpi/messages/message_calls.h"
#include "tests/unit/datatype/random_type.h"
#include "tools/bench/mpi_type.h"

using marshal::datatype::testing::RandomType;
using MpiType = marshal::bench::MpiType;
using namespace marshal::testing;

namespace {

bool fail(std::uint64_t seed, const char* call, const Case& c, const char* what) {
  std::fprintf(stderr, "message-fuzz: seed %llu, rank %d, %s of %d x %lld B: %s\n",
               static_cast<unsigned long long>(seed), me, call, c.count, static_cast<long long>(c.size / c.count),
               what);
  return false;
}

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
