#include "datatype/layout_cache.h"

#include <boost/test/unit_test.hpp>
#include <random>
#include <thread>

#include "datatype/flatten.h"
#include "datatype/layout_text.h"
#include "datatype/touched_lines.h"

using namespace marshal::datatype;

namespace {

Pieces vector_of(std::int64_t stride) { return flattened(Vector{10, 1, stride, basic(8)}); }

}  // namespace

BOOST_AUTO_TEST_SUITE(layout_cache)

BOOST_AUTO_TEST_CASE(equal_layouts_share_one_plan) {
  LayoutCache cache([](const SharedLayout&) {});
  const auto one = cache.share(vector_of(3), 240, {});
  const auto same = cache.share(flattened(Hvector{10, 1, 24, Dup{basic(8)}}), 240, {});
  BOOST_TEST(one == same);
  BOOST_TEST(one != cache.share(vector_of(3), 248, {}));
  BOOST_TEST(one != cache.share(vector_of(4), 240, {}));
  BOOST_TEST(cache.size() == 3U);
}

BOOST_AUTO_TEST_CASE(layouts_in_use_stay_and_others_leave_with_their_account) {
  std::uint64_t calls = 0;
  LayoutCache cache([&](const SharedLayout& gone) { calls += gone.packed.by_engine.calls.load(); }, {8});
  const auto kept = cache.share(vector_of(2), 160, {});
  for (std::int64_t stride = 3; stride < 103; ++stride)
    Work::add(cache.share(vector_of(stride), 8 * stride, {})->packed.by_engine.calls, 1);
  BOOST_TEST(cache.size() <= 9U);
  BOOST_TEST(kept == cache.share(vector_of(2), 160, {}));
  cache.for_each([&](const SharedLayout& l) { calls += l.packed.by_engine.calls.load(); });
  BOOST_TEST(calls == 100U);
}

BOOST_AUTO_TEST_CASE(long_lists_that_no_type_has_any_more_are_few) {
  LayoutCache cache([](const SharedLayout&) {}, {1000, 5000});
  std::vector<std::shared_ptr<const SharedLayout>> used;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    IndexedBlock list{1, {}, basic(8)};
    for (std::int64_t i = 0, at = 0; i < 1000; ++i) list.displacements.push_back(at += 2 + random() % 7);
    const auto layout = cache.share(flattened(list), 80000, {});
    BOOST_TEST_REQUIRE(layout->plan.pieces().size() > 900U);
    if (seed % 4 == 0) used.push_back(layout);
  }
  BOOST_TEST(cache.size() <= 10U);
  for (const auto& layout : used) BOOST_TEST(cache.share(layout->plan.pieces(), 80000, {}) == layout);
}

BOOST_AUTO_TEST_CASE(threads_share_and_pack_at_the_same_time) {
  LayoutCache cache([](const SharedLayout&) {}, {4});
  std::atomic<int> wrong{0};
  const auto work = [&](std::int64_t seed) {
    for (std::int64_t i = 0; i < 2000; ++i) {
      const std::int64_t stride = 2 + (i * seed) % 13;
      const auto layout = cache.share(vector_of(stride), 80 * stride, {});
      std::vector<double> user(static_cast<std::size_t>(10 * stride)), packed(10);
      for (std::size_t k = 0; k < user.size(); ++k) user[k] = static_cast<double>(k);
      layout->plan.pack(1, reinterpret_cast<const std::byte*>(user.data()),
                        reinterpret_cast<std::byte*>(packed.data()));
      for (std::size_t k = 0; k < 10; ++k) wrong += packed[k] != static_cast<double>(k) * static_cast<double>(stride);
    }
  };
  std::vector<std::thread> threads;
  for (std::int64_t t = 1; t <= 4; ++t) threads.emplace_back(work, t);
  for (auto& t : threads) t.join();
  BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(layouts_are_told_in_words) {
  BOOST_TEST(layout_text(flattened(Vector{64, 1, 16, basic(8)})) == "64 x 8 B every 128 B");
  BOOST_TEST(layout_text(flattened(Contiguous{9, basic(8)})) == "72 B");
  BOOST_TEST(layout_text({}) == "nothing");
}

BOOST_AUTO_TEST_CASE(lines_that_blocks_share_count_once) {
  BOOST_TEST(touched_lines(flattened(Vector{64, 1, 2, basic(8)})) == 16);
  BOOST_TEST(touched_lines(flattened(Vector{64, 1, 8, basic(8)})) == 64);
  BOOST_TEST(touched_lines(flattened(Contiguous{8, basic(8)}), 96, 4) == 6);
  BOOST_TEST(touched_lines(flattened(Hindexed{{1, 20, 1, 1}, {640, 8, 0, 168}, basic(8)})) == 4);
}

BOOST_AUTO_TEST_SUITE_END()
