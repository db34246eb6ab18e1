#include "datatype/plan.h"

#include <boost/test/unit_test.hpp>

#include "datatype/flatten.h"
#include "guarded_bytes.h"
#include "naive_type_map.h"
#include "random_type.h"
#include "tests/unit/messages_of_tests.h"
#include "tests/unit/repeats.h"

using namespace marshal::datatype;
using namespace marshal::datatype::testing;

namespace {

std::vector<const Kernels*> all_kernels() {
  std::vector<const Kernels*> all{&generic_kernels};
  if (const Kernels* k = avx2_kernels()) all.push_back(k);
  if (const Kernels* k = avx512_kernels()) all.push_back(k);
  return all;
}

// A buffer of the instances of a type between guard pages, and their packed bytes by the type map.
class Instances {
 public:
  Instances(const Type& type, std::int64_t count, Against against, std::uint64_t seed)
      : map_(all_of(type, count)),
        span_(span_of(map_)),
        user_(static_cast<std::size_t>(span_.end - span_.first), against) {
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < user_.size(); ++i) user_.data()[i] = static_cast<std::byte>(random());
  }
  std::byte* origin() { return user_.data() - span_.first; }
  std::size_t size() const { return map_.size(); }
  // No byte is there twice.
  bool unique() const {
    ByteMap sorted = map_;
    std::sort(sorted.begin(), sorted.end());
    return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
  }
  bool is_packed_in(const std::byte* packed, std::int64_t from, std::int64_t to) {
    for (std::int64_t i = from; i < to; ++i)
      if (packed[i - from] != origin()[map_[static_cast<std::size_t>(i)]]) return false;
    return true;
  }
  // Unpacks other bytes with `unpack` and looks at every byte, those in the gaps too.
  template <class Unpack>
  bool is_unpacked_by(Unpack unpack, Against against, std::int64_t from, std::int64_t to) {
    GuardedBytes packed(static_cast<std::size_t>(to - from), against);
    for (std::size_t i = 0; i < packed.size(); ++i) packed.data()[i] = static_cast<std::byte>(37 * i + 11);
    std::vector<std::byte> expected(user_.data(), user_.data() + user_.size());
    const std::vector<std::byte> before = expected;
    for (std::int64_t i = from; i < to; ++i)
      expected[static_cast<std::size_t>(map_[static_cast<std::size_t>(i)] - span_.first)] = packed.data()[i - from];
    unpack(packed.data());
    const bool equal = std::equal(expected.begin(), expected.end(), user_.data());
    std::copy(before.begin(), before.end(), user_.data());
    return equal;
  }

 private:
  static ByteMap all_of(const Type& type, std::int64_t count) {
    ByteMap all;
    const ByteMap one = byte_map(type);
    for (std::int64_t i = 0; i < count; ++i) append(all, one, i * type.extent());
    return all;
  }
  static Span span_of(const ByteMap& map) {
    if (map.empty()) return {0, 0};
    const auto [low, high] = std::minmax_element(map.begin(), map.end());
    return {*low, *high + 1};
  }
  ByteMap map_;
  Span span_;
  GuardedBytes user_;
};

// A type, what its instances hold, and what random numbers choose of them.
struct Case {
  Case(const Type& type, std::int64_t instance_count, std::uint64_t case_seed)
      : count(instance_count),
        seed(case_seed),
        against(seed % 2 ? Against::low_guard : Against::high_guard),
        extent(type.extent()),
        pieces(flattened(type)),
        instances(type, count, against, seed),
        unique(instances.unique()) {
    RandomType random(seed);
    from = random.number(0, size()), to = random.number(0, size());
    if (from > to) std::swap(from, to);
  }
  std::int64_t size() const { return static_cast<std::int64_t>(instances.size()); }

  std::int64_t count;
  std::uint64_t seed;
  Against against;
  std::int64_t extent;
  Pieces pieces;
  Instances instances;
  bool unique;
  std::int64_t from = 0, to = 0;
};

void check(Case& c, const CompileOptions& options) {
  if (c.pieces.empty()) return;
  const std::int64_t size = c.size(), count = c.count;
  const std::string what = std::string("seed ") + std::to_string(c.seed) + " " + options.kernels->name + " count " +
                           std::to_string(count) + " strategy " + std::to_string(static_cast<int>(options.strategy));
  const Program program = compiled(c.pieces, c.extent, options);
  const Plan plan(c.pieces, c.extent, options);
  std::byte* const origin = c.instances.origin();
  {
    GuardedBytes packed(static_cast<std::size_t>(size), c.against);
    run_pack(program, count, origin, packed.data());
    BOOST_TEST_REQUIRE(c.instances.is_packed_in(packed.data(), 0, size), what);
    std::fill_n(packed.data(), size, std::byte{0});
    plan.pack(count, origin, packed.data());
    BOOST_TEST_REQUIRE(c.instances.is_packed_in(packed.data(), 0, size), "plan, " << what);
    GuardedBytes part(static_cast<std::size_t>(c.to - c.from), c.against);
    plan.pack_range(count, origin, part.data(), {c.from, c.to});
    BOOST_TEST_REQUIRE(c.instances.is_packed_in(part.data(), c.from, c.to), "range, " << what);
  }
  if (!c.unique) return;
  const auto unpack = [&](const std::byte* p) { run_unpack(program, count, origin, p); };
  BOOST_TEST_REQUIRE(c.instances.is_unpacked_by(unpack, c.against, 0, size), "unpack, " << what);
  const auto unpack_plan = [&](const std::byte* p) { plan.unpack(count, origin, p); };
  BOOST_TEST_REQUIRE(c.instances.is_unpacked_by(unpack_plan, c.against, 0, size), "unpack plan, " << what);
  const auto unpack_range = [&](const std::byte* p) { plan.unpack_range(count, origin, p, {c.from, c.to}); };
  BOOST_TEST_REQUIRE(c.instances.is_unpacked_by(unpack_range, c.against, c.from, c.to), "unpack range, " << what);
}

void check_all_ways(const Type& type, std::int64_t count, std::uint64_t seed) {
  Case c(type, count, seed);
  for (const Kernels* kernels : all_kernels()) {
    for (const auto strategy : {Strategy::automatic, Strategy::iovec, Strategy::mars}) {
      CompileOptions options;
      options.kernels = kernels;
      options.strategy = strategy;
      if (seed % 2 == 0) options.stream_bytes = 0;  // otherwise only for large messages
      if (strategy == Strategy::mars) {
        options.segment.unit = seed % 3 ? Segment::Unit::iterations : Segment::Unit::bytes;
        options.segment.value = static_cast<std::int64_t>(seed % 37);
      }
      check(c, options);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(plan)

BOOST_AUTO_TEST_CASE(every_program_moves_the_bytes_of_the_type_map_and_no_other) {
  for (std::uint64_t seed = 1; seed <= marshal::repeats(1500); ++seed) {
    RandomType random(seed);
    const Type type = random(static_cast<int>(random.number(0, 4)), 1000);
    check_all_ways(type, random.number(0, 4) ? random.number(1, 6) : random.number(7, 70), seed);
  }
}

BOOST_AUTO_TEST_CASE(vectors_of_every_block_length) {
  for (std::int64_t length = 1; length <= 200; ++length)
    for (const std::int64_t gap : {1, 8, 64})
      check_all_ways(Vector{37, length, length + gap, basic(1)}, 1, static_cast<std::uint64_t>(length));
}

BOOST_AUTO_TEST_CASE(transposes_of_every_element_size) {
  std::uint64_t seed = 0;
  for (const std::int64_t size : {1, 2, 4, 8, 12, 16, 24}) {
    for (const std::int64_t columns : {3, 8, 17, 40}) {
      for (const std::int64_t rows : {2, 5, 16, 35}) {
        const Type column = Resized{0, size, Hvector{rows, 1, columns * size, Contiguous{size, basic(1)}}};
        check_all_ways(column, columns, ++seed);
        check_all_ways(Contiguous{columns, column}, 1, ++seed);
        check_all_ways(Hvector{3, 1, rows * columns * size, Contiguous{columns - 1, column}}, 2, ++seed);
      }
    }
  }
}

// Kernels and orders of their own are for these: many blocks, or rows, at distances of powers of two.
BOOST_AUTO_TEST_CASE(blocks_and_rows_that_fall_into_few_cache_sets) {
  std::uint64_t seed = 0;
  for (const std::int64_t length : {1, 4, 8, 12, 16, 24, 32, 33, 40}) {
    const Type block = Contiguous{length, basic(1)};
    for (const std::int64_t apart : {4096, -4096, 8192}) {
      check_all_ways(Hvector{66, 1, apart, block}, 1, ++seed);
      check_all_ways(Resized{0, apart, block}, 67, ++seed);
      check_all_ways(Resized{0, length, Hvector{65, 1, apart, block}}, 3, ++seed);
    }
    check_all_ways(Hvector{3, 1, 40, Hvector{64, 1, 4096, block}}, 1, ++seed);
  }
  for (const std::int64_t size : {4, 8, 16})
    for (const std::int64_t row : {2048, 2056, 4096}) {
      const Type column = Resized{0, size, Hvector{37, 1, row, Contiguous{size, basic(1)}}};
      check_all_ways(column, 41, ++seed);
      check_all_ways(Contiguous{19, column}, 1, ++seed);
    }
}

BOOST_AUTO_TEST_CASE(lists_of_equal_and_of_mixed_lengths) {
  for (std::uint64_t seed = 1; seed <= marshal::repeats(200); ++seed) {
    RandomType random(seed);
    Hindexed list{{}, {}, basic(1)};
    const std::int64_t length = random.number(1, 80);
    std::int64_t at = 0;
    for (int i = 0; i < 60; ++i) {
      list.blocklengths.push_back(seed % 2 ? length : random.number(0, 150));
      list.displacements.push_back(at += random.number(0, 100) + 150);
    }
    check_all_ways(list, random.number(1, 4), seed);
  }
}

BOOST_AUTO_TEST_CASE(structs_with_gaps_many_times) {
  for (std::uint64_t seed = 1; seed <= marshal::repeats(300); ++seed) {
    RandomType random(seed);
    Hindexed fields{{}, {}, basic(1)};
    std::int64_t at = random.number(-20, 20);
    const auto n = random.number(1, 9);
    for (int i = 0; i < n; ++i) {
      fields.blocklengths.push_back(random.number(1, 20));
      fields.displacements.push_back(at);
      at += fields.blocklengths.back() + random.number(0, 20);
    }
    const std::int64_t extent = at + random.number(-3, 40);
    check_all_ways(Resized{0, random.number(0, 3) ? extent : -extent, fields}, random.number(1, 200), seed);
  }
}

BOOST_AUTO_TEST_CASE(what_is_written_past_the_caches_is_the_same) {
  CompileOptions options;
  options.stream_bytes = 0;
  const Type d = basic(8), column = Resized{0, 8, Vector{700, 1, 300, d}};
  const std::vector<std::pair<Type, std::int64_t>> all{
      {Vector{5000, 1, 2, d}, 1},
      {Vector{900, 7, 9, d}, 3},
      {Hvector{3, 1, 200000, Hvector{40, 1, 2000, Vector{30, 3, 5, basic(4)}}}, 2},
      {Vector{3, 700, 900, d}, 2},
      {column, 290},
      {Resized{0, 24, Struct{{1, 1, 3}, {0, 8, 16}, {basic(4), d, basic(1)}}}, 3000},
      {Hindexed{{9, 9, 9, 9, 9, 9}, {0, 13, 500, 777, 1000, 5000}, d}, 50}};
  std::uint64_t seed = 0;
  for (const auto& [type, count] : all)
    for (const Kernels* kernels : all_kernels()) {
      Case c(type, count, ++seed);
      options.kernels = kernels;
      check(c, options);
    }
}

BOOST_AUTO_TEST_CASE(a_plan_that_is_used_often_still_packs_the_same) {
  const Type type = Resized{0, 24, Struct{{1, 1, 3}, {0, 8, 16}, {basic(4), basic(8), basic(1)}}};
  Instances instances(type, 1000, Against::high_guard, 1);
  const Plan plan(flattened(type), type.extent());
  std::vector<std::byte> packed(instances.size());
  for (int i = 0; i < 40; ++i) {
    std::fill(packed.begin(), packed.end(), std::byte{0});
    plan.pack(1000, instances.origin(), packed.data());
    BOOST_TEST_REQUIRE(instances.is_packed_in(packed.data(), 0, static_cast<std::int64_t>(packed.size())));
  }
}

BOOST_AUTO_TEST_SUITE_END()
