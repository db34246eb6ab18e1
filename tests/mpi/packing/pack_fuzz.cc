// Random datatypes packed and unpacked by MPI_Pack and MPI_Unpack (the engine's, under Marshal) and by PMPI_Pack and
// PMPI_Unpack (the host's), byte for byte. Types are random trees of all combiners; every third is built by the _c
// constructors where the host has them. Counts and positions are random, too. Memory ends at pages which cannot be
// touched. Threads make, use and free types of their own at the same time.
//
// Both hosts die of some types by themselves: the seeds are tried in child processes (seeds_in_children.h), and those
// which kill the bare host are named.
//
// usage: pack-fuzz [TYPES [FIRST-SEED [THREADS]]]; prints what it did, exits with 1 at the first difference.
// PACK_FUZZ_CHILDREN=no: all in this process, passing over what the host is known to die of.
#include <mpi.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>
#include <thread>
#include <vector>

#include "tests/mpi/packing/seeds_in_children.h"
#include "tests/unit/datatype/guarded_bytes.h"
#include "tests/unit/datatype/random_type.h"
#include "tools/bench/mpi_type.h"
#include "wrappers/actions/marshal.h"

using marshal::bench::IntConstructors;
using marshal::bench::LargeConstructors;
using marshal::bench::MpiTypeBy;
using marshal::datatype::testing::Against;
using marshal::datatype::testing::GuardedBytes;
using marshal::datatype::testing::RandomType;
using marshal::testing::SeedsInChildren;
using marshal::testing::Through;

namespace {

// In memory that the children share.
struct Counts {
  std::atomic<long> types, bytes, passed_over;
};
Counts* counts;
bool may_kill = true;

bool fail(std::uint64_t seed, const char* what) {
  std::fprintf(stderr, "pack-fuzz: seed %llu: %s\n", static_cast<unsigned long long>(seed), what);
  return false;
}

// Memory at the same place in every process, among untouchable neighbours. So a host which goes astray there does the
// same in all processes, under Marshal and bare.
class Bytes {
 public:
  static constexpr std::size_t most = 1 << 20;

  Bytes() {
    void* all = mmap(nullptr, most + 2 * guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<std::byte*>(all) + guard;
    if (mprotect(data_, most, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  }
  ~Bytes() { munmap(data_ - guard, most + 2 * guard); }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  void resize(std::size_t size) { size_ = size; }
  void fill(std::byte value) { std::fill_n(data_, size_, value); }
  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  std::byte* begin() { return data_; }
  std::byte* end() { return data_ + size_; }
  bool operator==(const Bytes& other) const {
    return size_ == other.size_ && std::memcmp(data_, other.data_, size_) == 0;
  }

 private:
  static constexpr std::size_t guard = std::size_t{64} << 20;
  std::size_t size_ = 0;
  std::byte* data_;
};

struct Buffers {
  Bytes user, packed, packed_by_host, unpacked, unpacked_by_host;
};

// The bytes that unpacking ones over zeros marks: fewer than it reads, where entries overlap.
struct Marked {
  std::size_t first, end;
  bool overlaps;
};
Marked marked_by_host(MPI_Datatype type, int count, std::int64_t size, Buffers& b, std::int64_t first) {
  b.unpacked.fill(std::byte{0});
  b.packed.fill(std::byte{1});
  int position = 0;
  PMPI_Unpack(b.packed.data(), static_cast<int>(size), &position, b.unpacked.data() - first, count, type,
              MPI_COMM_SELF);
  const auto low = std::find(b.unpacked.begin(), b.unpacked.end(), std::byte{1}),
             high = std::find(std::reverse_iterator(b.unpacked.end()), std::reverse_iterator(b.unpacked.begin()),
                              std::byte{1})
                        .base();
  return {static_cast<std::size_t>(low - b.unpacked.begin()), static_cast<std::size_t>(high - b.unpacked.begin()),
          std::count(low, high, std::byte{1}) != size};
}

// Once more where a byte beside the data or the packed bytes is a crash: what the host packed and unpacked, in b, comes
// after `before` bytes there.
bool guarded_is_equal(MPI_Datatype type, int count, std::size_t size, const Buffers& b, const Marked& marked,
                      std::int64_t first, std::size_t before, Against against) {
  const std::size_t span = marked.end - marked.first;
  const std::int64_t to_origin = first + static_cast<std::int64_t>(marked.first);
  GuardedBytes user(span, against), packed(size, against);
  std::copy_n(b.user.data() + marked.first, span, user.data());
  int position = 0;
  MPI_Pack(user.data() - to_origin, count, type, packed.data(), static_cast<int>(size), &position, MPI_COMM_SELF);
  if (!std::equal(packed.data(), packed.data() + size, b.packed_by_host.data() + before)) return false;
  if (marked.overlaps) return true;
  std::fill_n(user.data(), span, std::byte{0x5a});
  position = 0;
  MPI_Unpack(packed.data(), static_cast<int>(size), &position, user.data() - to_origin, count, type, MPI_COMM_SELF);
  return std::equal(user.data(), user.data() + span, b.unpacked_by_host.data() + marked.first);
}

template <class MpiType>
bool one_type(RandomType& random, const marshal::datatype::Type& tree, std::uint64_t seed, Buffers& b,
              std::int64_t& compared) {
  const MpiType type(tree);
  if (!type.made()) return true;
  const int count = static_cast<int>(random.number(0, 5) ? random.number(1, 6) : random.number(7, 60));
  MPI_Aint lb, extent, true_lb, true_extent;
  PMPI_Type_get_extent(type.get(), &lb, &extent);
  PMPI_Type_get_true_extent(type.get(), &true_lb, &true_extent);
  int one = 0;
  PMPI_Type_size(type.get(), &one);
  const std::int64_t size = std::int64_t{one} * count, reach = (count - 1) * static_cast<std::int64_t>(extent);
  if (size == 0) return true;
  // Hosts have been seen to write beyond the bounds that they tell: what lies around is looked at, too.
  constexpr std::int64_t around = 16 * 1024;
  const std::int64_t first = true_lb + std::min<std::int64_t>(reach, 0) - around;
  const std::int64_t end = true_lb + true_extent + std::max<std::int64_t>(reach, 0) + around;
  if (end - first > std::int64_t{Bytes::most}) return true;
  // MPICH 4.0 divides by zero in some of those.
  if (!may_kill && marshal::datatype::has_part_without_data(tree)) {
    ++counts->passed_over;
    return true;
  }
  const auto span = static_cast<std::size_t>(end - first);
  for (Bytes* bytes : {&b.user, &b.unpacked, &b.unpacked_by_host}) bytes->resize(span);
  const int before = static_cast<int>(random.number(0, 70)), room = static_cast<int>(size) + before + 5;
  for (Bytes* bytes : {&b.packed, &b.packed_by_host}) bytes->resize(static_cast<std::size_t>(room));
  const Marked marked = marked_by_host(type.get(), count, size, b, first);
  auto noise = static_cast<std::uint32_t>(seed);
  for (std::byte& byte : b.user) byte = static_cast<std::byte>((noise = noise * 1664525 + 1013904223) >> 24);
  std::byte* origin = b.user.data() - first;

  // The automatic mode leaves a type to the host until it was packed often.
  for (int turn = 0; seed % 4 == 0 && turn < 64; ++turn) {
    int position = before;
    MPI_Pack(origin, count, type.get(), b.packed.data(), room, &position, MPI_COMM_SELF);
  }
  for (int turn = 0; turn < 3; ++turn) {
    b.packed.fill(std::byte{0});
    b.packed_by_host.fill(std::byte{0});
    int position = before, host_position = before;
    MPI_Pack(origin, count, type.get(), b.packed.data(), room, &position, MPI_COMM_SELF);
    PMPI_Pack(origin, count, type.get(), b.packed_by_host.data(), room, &host_position, MPI_COMM_SELF);
    if (position != host_position) return fail(seed, "MPI_Pack leaves another position");
    if (!(b.packed == b.packed_by_host)) return fail(seed, "MPI_Pack gives other bytes");
    if (marked.overlaps) continue;
    b.unpacked.fill(std::byte{0x5a});
    b.unpacked_by_host.fill(std::byte{0x5a});
    position = host_position = before;
    MPI_Unpack(b.packed.data(), room, &position, b.unpacked.data() - first, count, type.get(), MPI_COMM_SELF);
    PMPI_Unpack(b.packed.data(), room, &host_position, b.unpacked_by_host.data() - first, count, type.get(),
                MPI_COMM_SELF);
    if (position != host_position) return fail(seed, "MPI_Unpack leaves another position");
    if (!(b.unpacked == b.unpacked_by_host)) return fail(seed, "MPI_Unpack gives other bytes");
  }
  if (!guarded_is_equal(type.get(), count, static_cast<std::size_t>(size), b, marked, first,
                        static_cast<std::size_t>(before), seed & 4 ? Against::low_guard : Against::high_guard))
    return fail(seed, "MPI_Pack or MPI_Unpack gives other bytes between guards");
  compared = size;
  return true;
}

// One of sixteen repeats at a power of two, as columns and fields often do: there are kernels of their own for that.
marshal::datatype::Type any_type(RandomType& random) {
  using namespace marshal::datatype;
  Type of = random(static_cast<int>(random.number(0, 4)), 2000);
  if (random.number(0, 15) != 0) return of;
  if (of.size() > 64) of = basic(8);
  const std::int64_t count = random.number(2, 90), apart = (random.number(0, 3) ? 2048 : -2048) * random.number(1, 2);
  const Type far = Hvector{count, 1, apart, of};
  return random.number(0, 1) ? far : Type{Resized{0, of.extent(), far}};
}

bool one_seed(std::uint64_t seed, Through through) {
  thread_local Buffers buffers;
  RandomType random(seed);
  const marshal::datatype::Type tree = any_type(random);
  if (marshal_node && (marshal_node(0) >= 0) != (through == Through::marshal))
    return fail(seed, "Marshal is not where it should be");
  std::int64_t compared = 0;
  const bool equal = seed % 3 == 0 ? one_type<MpiTypeBy<LargeConstructors>>(random, tree, seed, buffers, compared)
                                   : one_type<MpiTypeBy<IntConstructors>>(random, tree, seed, buffers, compared);
  // Not before the type is freed, where threads wait for a lock of the host's when another has died with it.
  if (through == Through::marshal && compared > 0) {
    ++counts->types;
    counts->bytes += compared;
  }
  return equal;
}

bool all_in_children(std::uint64_t first, std::uint64_t end, int threads) {
  SeedsInChildren children(one_seed, threads);
  bool equal = true;
  for (std::uint64_t seed = first; equal && seed < end;) {
    SeedsInChildren::Seeds batch;
    while (seed < end && batch.size() < SeedsInChildren::most_seeds) batch.push_back(seed++);
    equal = children.holds(std::move(batch));
  }
  std::printf("pack-fuzz: host dies: %zu seeds", children.deaths.size());
  const std::size_t named =
      std::min<std::size_t>(children.deaths.size(), std::getenv("PACK_FUZZ_NAMES") ? SIZE_MAX : 40);
  for (std::size_t i = 0; i < named; ++i)
    std::printf("%s %llu", i ? "" : ":", static_cast<unsigned long long>(children.deaths[i]));
  if (named < children.deaths.size()) std::printf(" ... (all of them by PACK_FUZZ_NAMES=all)");
  std::printf("; harms later ones: %ld times\n", children.damages);
  return equal;
}

bool all_here(std::uint64_t first, std::uint64_t end, int threads) {
  std::atomic<std::uint64_t> next{first};
  std::atomic<bool> failed{false};
  const auto work = [&] {
    for (std::uint64_t seed; !failed && (seed = next++) < end;)
      if (!one_seed(seed, Through::marshal)) failed = true;
  };
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(work);
  work();
  for (auto& t : others) t.join();
  return !failed;
}

}  // namespace

int main(int argc, char** argv) {
  const auto types = static_cast<std::uint64_t>(argc > 1 ? std::atoll(argv[1]) : 20000);
  const auto first = static_cast<std::uint64_t>(argc > 2 ? std::atoll(argv[2]) : 1);
  const int threads = std::clamp(argc > 3 ? std::atoi(argv[3]) : 1, 1, int{SeedsInChildren::most_threads});
  const char* children = std::getenv("PACK_FUZZ_CHILDREN");
  int provided = 0;
  MPI_Init_thread(&argc, &argv, threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  if (threads > 1 && provided < MPI_THREAD_MULTIPLE) {
    std::printf("pack-fuzz: this MPI has no MPI_THREAD_MULTIPLE\n");
    MPI_Finalize();
    return 77;
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  void* shared = mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  counts = new (shared) Counts{};
  may_kill = children == nullptr || std::strcmp(children, "no") != 0;
  const bool equal = (may_kill ? all_in_children : all_here)(first, first + types, threads);
  std::printf("pack-fuzz: seeds %llu to %llu, %d threads: %ld types, %ld bytes%s (%ld passed over)\n",
              static_cast<unsigned long long>(first), static_cast<unsigned long long>(first + types - 1), threads,
              counts->types.load(), counts->bytes.load(), equal ? ", all equal" : ", DIFFERENT",
              counts->passed_over.load());
  MPI_Finalize();
  return equal ? 0 : 1;
}
