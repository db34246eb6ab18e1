// Random datatypes packed and unpacked by MPI_Pack and MPI_Unpack (the engine's, under Marshal) and by PMPI_Pack and
// PMPI_Unpack (the host's), byte for byte: random trees of all combiners, every third built by the _c constructors
// where the host has them, counts, positions, and threads that make, use and free types of their own at the same time.
//
// usage: pack-fuzz [TYPES [FIRST-SEED [THREADS]]]; prints what it did, exits with 1 at the first difference.
#include <mpi.h>
#include <setjmp.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "tests/unit/datatype/random_type.h"
#include "tools/bench_pack/mpi_type.h"

using marshal::bench::IntConstructors;
using marshal::bench::LargeConstructors;
using marshal::bench::MpiTypeBy;
using marshal::datatype::testing::RandomType;

namespace {

std::atomic<bool> failed{false};
std::atomic<long> packed_types{0}, packed_bytes{0}, passed_over{0};

void fail(std::uint64_t seed, const char* what) {
  if (!failed.exchange(true))
    std::fprintf(stderr, "pack-fuzz: seed %llu: %s\n", static_cast<unsigned long long>(seed), what);
}

struct Buffers {
  std::vector<std::byte> user, packed, packed_by_host, unpacked, unpacked_by_host;
};

// MPICH 4.0 divides by zero in some types with parts without data: those are passed over. It does so with its lock
// held, so where there are threads all types with such parts are.
bool may_try_what_kills = true;
thread_local sigjmp_buf* divided_by_zero = nullptr;
extern "C" void on_division(int signal) {
  if (divided_by_zero == nullptr) std::_Exit(128 + signal);
  siglongjmp(*divided_by_zero, 1);
}
bool host_survives(MPI_Datatype type, int count, int size, const std::byte* packed, std::byte* origin) {
  sigjmp_buf here;
  std::vector<std::byte> packed_too(static_cast<std::size_t>(size));
  if (sigsetjmp(here, 1) != 0) {
    divided_by_zero = nullptr;
    return false;
  }
  divided_by_zero = &here;
  int position = 0, end = 0;
  PMPI_Unpack(packed, size, &position, origin, count, type, MPI_COMM_SELF);
  PMPI_Pack(origin, count, type, packed_too.data(), size, &end, MPI_COMM_SELF);
  divided_by_zero = nullptr;
  return true;
}

bool overlaps(MPI_Datatype type, int count, std::int64_t size, Buffers& b, std::byte* marks, std::int64_t first) {
  // Unpacking ones over zeros touches fewer bytes than it reads where entries overlap.
  std::fill(b.unpacked.begin(), b.unpacked.end(), std::byte{0});
  std::fill(b.packed.begin(), b.packed.end(), std::byte{1});
  int position = 0;
  PMPI_Unpack(b.packed.data(), static_cast<int>(size), &position, marks - first, count, type, MPI_COMM_SELF);
  return std::count(b.unpacked.begin(), b.unpacked.end(), std::byte{1}) != size;
}

template <class MpiType>
void one_type(RandomType& random, const marshal::datatype::Type& tree, std::uint64_t seed, Buffers& b) {
  const MpiType type(tree);
  if (!type.made()) return;
  const int count = static_cast<int>(random.number(0, 5) ? random.number(1, 6) : random.number(7, 60));
  MPI_Aint lb, extent, true_lb, true_extent;
  PMPI_Type_get_extent(type.get(), &lb, &extent);
  PMPI_Type_get_true_extent(type.get(), &true_lb, &true_extent);
  int one = 0;
  PMPI_Type_size(type.get(), &one);
  const std::int64_t size = std::int64_t{one} * count, reach = (count - 1) * static_cast<std::int64_t>(extent);
  if (size == 0) return;
  // Hosts have been seen to write beyond the bounds that they tell: what lies around is looked at, too.
  constexpr std::int64_t around = 16 * 1024;
  const std::int64_t first = true_lb + std::min<std::int64_t>(reach, 0) - around;
  const std::int64_t end = true_lb + true_extent + std::max<std::int64_t>(reach, 0) + around;
  if (end - first > 1 << 20) return;
  const auto span = static_cast<std::size_t>(end - first);
  b.user.resize(span);
  b.unpacked.resize(span);
  const int before = static_cast<int>(random.number(0, 70)), room = static_cast<int>(size) + before + 5;
  b.packed.assign(static_cast<std::size_t>(room), std::byte{0});
  b.packed_by_host = b.packed;
  if (marshal::datatype::has_part_without_data(tree) &&
      !(may_try_what_kills &&
        host_survives(type.get(), count, static_cast<int>(size), b.packed.data(), b.unpacked.data() - first))) {
    ++passed_over;
    return;
  }
  const bool unpacks = !overlaps(type.get(), count, size, b, b.unpacked.data(), first);
  auto noise = static_cast<std::uint32_t>(seed);
  for (std::byte& byte : b.user) byte = static_cast<std::byte>((noise = noise * 1664525 + 1013904223) >> 24);
  std::byte* origin = b.user.data() - first;

  // The automatic mode leaves a type to the host until it was packed often.
  for (int turn = 0; seed % 4 == 0 && turn < 64; ++turn) {
    int position = before;
    MPI_Pack(origin, count, type.get(), b.packed.data(), room, &position, MPI_COMM_SELF);
  }
  for (int turn = 0; turn < 3; ++turn) {
    std::fill(b.packed.begin(), b.packed.end(), std::byte{0});
    std::fill(b.packed_by_host.begin(), b.packed_by_host.end(), std::byte{0});
    int position = before, host_position = before;
    MPI_Pack(origin, count, type.get(), b.packed.data(), room, &position, MPI_COMM_SELF);
    PMPI_Pack(origin, count, type.get(), b.packed_by_host.data(), room, &host_position, MPI_COMM_SELF);
    if (position != host_position) return fail(seed, "MPI_Pack leaves another position");
    if (b.packed != b.packed_by_host) return fail(seed, "MPI_Pack gives other bytes");
    if (!unpacks) continue;
    std::fill(b.unpacked.begin(), b.unpacked.end(), std::byte{0x5a});
    b.unpacked_by_host = b.unpacked;
    position = host_position = before;
    MPI_Unpack(b.packed.data(), room, &position, b.unpacked.data() - first, count, type.get(), MPI_COMM_SELF);
    PMPI_Unpack(b.packed.data(), room, &host_position, b.unpacked_by_host.data() - first, count, type.get(),
                MPI_COMM_SELF);
    if (position != host_position) return fail(seed, "MPI_Unpack leaves another position");
    if (b.unpacked != b.unpacked_by_host) return fail(seed, "MPI_Unpack gives other bytes");
  }
  ++packed_types;
  packed_bytes += size;
}

void one_seed(std::uint64_t seed, Buffers& buffers) {
  RandomType random(seed);
  const marshal::datatype::Type tree = random(static_cast<int>(random.number(0, 4)), 2000);
  if (seed % 3 == 0)
    one_type<MpiTypeBy<LargeConstructors>>(random, tree, seed, buffers);
  else
    one_type<MpiTypeBy<IntConstructors>>(random, tree, seed, buffers);
}

}  // namespace

int main(int argc, char** argv) {
  const long types = argc > 1 ? std::atol(argv[1]) : 20000;
  const auto first_seed = static_cast<std::uint64_t>(argc > 2 ? std::atoll(argv[2]) : 1);
  const int threads = argc > 3 ? std::atoi(argv[3]) : 1;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  if (threads > 1 && provided < MPI_THREAD_MULTIPLE) {
    std::printf("pack-fuzz: this MPI has no MPI_THREAD_MULTIPLE\n");
    MPI_Finalize();
    return 77;
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  std::signal(SIGFPE, on_division);
  may_try_what_kills = threads == 1;
  std::atomic<long> next{0};
  const auto work = [&] {
    Buffers buffers;
    for (long i; !failed && (i = next++) < types;) one_seed(first_seed + static_cast<std::uint64_t>(i), buffers);
  };
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(work);
  work();
  for (auto& t : others) t.join();
  std::printf("pack-fuzz: seeds %llu to %llu, %d threads: %ld types, %ld bytes%s (%ld passed over)\n",
              static_cast<unsigned long long>(first_seed),
              static_cast<unsigned long long>(first_seed) + static_cast<unsigned long long>(types) - 1, threads,
              packed_types.load(), packed_bytes.load(), failed ? ", DIFFERENT" : ", all equal", passed_over.load());
  MPI_Finalize();
  return failed ? 1 : 0;
}
