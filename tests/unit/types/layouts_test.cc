#include "types/layouts.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cfenv>
#include <numeric>
#include <random>
#include <thread>

#include "datatype/flatten.h"
#include "types/site_history.h"

using namespace marshal;
using namespace marshal::datatype;

namespace {

Type vector_of(std::int64_t stride) { return Vector{10, 1, stride, basic(8)}; }

std::shared_ptr<const SharedLayout> share(Layouts& layouts, const Type& type, std::int64_t extent) {
  return layouts.share(encoded(type), flattened(type), extent, {});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(layouts_in_use)

BOOST_AUTO_TEST_CASE(equal_layouts_share_one_plan) {
  Layouts layouts([](const SharedLayout&) {});
  const auto one = share(layouts, vector_of(3), 240);
  const auto same = share(layouts, Hvector{10, 1, 24, Dup{basic(8)}}, 240);
  BOOST_TEST(one == same);
  BOOST_TEST(one != share(layouts, vector_of(3), 248));
  BOOST_TEST(one != share(layouts, vector_of(4), 240));
  BOOST_TEST(layouts.size() == 3U);
}

BOOST_AUTO_TEST_CASE(layouts_in_use_stay_and_others_leave_with_their_account) {
  std::uint64_t calls = 0;
  Layouts layouts([&](const SharedLayout& gone) { calls += gone.packed.by_engine.calls; }, {8});
  const auto kept = share(layouts, vector_of(2), 160);
  for (std::int64_t stride = 3; stride < 103; ++stride)
    share(layouts, vector_of(stride), 8 * stride)->packed.by_engine.calls += 1;
  BOOST_TEST(layouts.size() <= 9U);
  BOOST_TEST(kept == share(layouts, vector_of(2), 160));
  layouts.for_each([&](const SharedLayout& l) { calls += l.packed.by_engine.calls; });
  BOOST_TEST(calls == 100U);
}

// To describe one for the report takes microseconds: a thousand at once would be a pause.
BOOST_AUTO_TEST_CASE(unused_layouts_leave_one_by_one_the_oldest_first) {
  std::vector<std::int64_t> left;
  Layouts layouts([&](const SharedLayout& gone) { left.push_back(gone.plan.extent()); }, {8});
  const auto kept = share(layouts, vector_of(2), 2);
  for (std::int64_t stride = 3; stride <= 20; ++stride) {
    share(layouts, vector_of(stride), stride);
    BOOST_TEST(left.size() == static_cast<std::size_t>(std::max<std::int64_t>(stride - 9, 0)));
  }
  std::vector<std::int64_t> oldest(11);
  std::iota(oldest.begin(), oldest.end(), 3);
  BOOST_TEST(left == oldest, boost::test_tools::per_element());
  BOOST_TEST(kept == share(layouts, vector_of(2), 2));
}

BOOST_AUTO_TEST_CASE(no_layout_leaves_while_all_are_in_use) {
  Layouts layouts([](const SharedLayout&) {}, {8});
  std::vector<std::shared_ptr<const SharedLayout>> used;
  for (std::int64_t stride = 2; stride < 42; ++stride) used.push_back(share(layouts, vector_of(stride), stride));
  BOOST_TEST(layouts.size() == 40U);
  used.clear();
  share(layouts, vector_of(50), 50);
  BOOST_TEST(layouts.size() == 8U);
}

BOOST_AUTO_TEST_CASE(few_layouts_are_kept_where_none_comes_again) {
  Layouts layouts([](const SharedLayout&) {});
  for (std::int64_t stride = 2; stride < 1000; ++stride) share(layouts, vector_of(stride), stride);
  BOOST_TEST(layouts.size() == 64U);
}

BOOST_AUTO_TEST_CASE(more_layouts_are_kept_where_they_come_again) {
  Layouts layouts([](const SharedLayout&) {});
  int made_again = 0;
  for (int time = 0; time < 4; ++time)
    for (std::int64_t stride = 2; stride < 902; ++stride) {
      const bool is_known = layouts.find(encoded(vector_of(stride))) != nullptr;
      if (time == 3 && !is_known) ++made_again;
      share(layouts, vector_of(stride), stride);
    }
  BOOST_TEST(made_again == 0);
  BOOST_TEST(layouts.size() == 900U);
}

BOOST_AUTO_TEST_CASE(long_lists_that_no_type_has_any_more_are_few) {
  Layouts layouts([](const SharedLayout&) {}, {1000, 5000});
  std::vector<std::shared_ptr<const SharedLayout>> used;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    IndexedBlock list{1, {}, basic(8)};
    for (std::int64_t i = 0, at = 0; i < 1000; ++i) list.displacements.push_back(at += 2 + random() % 7);
    const auto layout = share(layouts, list, 80000);
    BOOST_TEST_REQUIRE(layout->plan.pieces().size() > 900U);
    if (seed % 4 == 0) used.push_back(layout);
  }
  BOOST_TEST(layouts.size() <= 10U);
  for (const auto& layout : used)
    BOOST_TEST(layouts.share(std::vector<std::int64_t>(), layout->plan.pieces(), 80000, {}) == layout);
}

BOOST_AUTO_TEST_CASE(threads_share_and_pack_at_the_same_time) {
  Layouts layouts([](const SharedLayout&) {}, {4});
  std::atomic<int> wrong{0};
  const auto work = [&](std::int64_t seed) {
    for (std::int64_t i = 0; i < 2000; ++i) {
      const std::int64_t stride = 2 + (i * seed) % 13;
      const auto layout = share(layouts, vector_of(stride), 80 * stride);
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

BOOST_AUTO_TEST_CASE(a_type_that_was_built_the_same_way_is_found) {
  Layouts layouts([](const SharedLayout&) {}, {2});
  const auto layout = share(layouts, vector_of(2), 160);
  BOOST_TEST(layouts.find(encoded(vector_of(2))) == layout);
  BOOST_TEST(layouts.find(encoded(vector_of(4))) == nullptr);
}

BOOST_AUTO_TEST_CASE(a_layout_that_has_left_is_not_found) {
  Layouts layouts([](const SharedLayout&) {}, {2});
  for (std::int64_t stride = 2; stride < 9; ++stride) share(layouts, vector_of(stride), 1000);
  BOOST_TEST(layouts.find(encoded(vector_of(2))) == nullptr);
}

BOOST_AUTO_TEST_CASE(memory_for_the_ways_to_build_is_bounded) {
  Layouts layouts([](const SharedLayout&) {}, {1024, 1024, 100});
  const auto kept = share(layouts, vector_of(2), 160);
  const Type long_list = IndexedBlock{1, std::vector<std::int64_t>(200, 7), basic(8)};
  const auto of_long_list = share(layouts, long_list, 8);
  BOOST_TEST(layouts.find(encoded(long_list)) == nullptr);
  BOOST_TEST(layouts.find(encoded(vector_of(2))) == kept);
  for (std::int64_t stride = 3; stride < 40; ++stride)
    layouts.share(encoded(vector_of(stride)), flattened(vector_of(2)), 160, {});
  BOOST_TEST(layouts.find(encoded(vector_of(2))) == nullptr);
  BOOST_TEST(layouts.find(encoded(vector_of(39))) == kept);
}

BOOST_AUTO_TEST_CASE(an_interrupted_call_is_no_measurement) {
  PackCalls calls;
  const auto sums_are = [&](std::uint64_t bytes, std::uint64_t ns) {
    BOOST_TEST((calls.timed_bytes == bytes));
    BOOST_TEST((calls.timed_ns == ns));
  };
  calls.add_timed(512, 90'000);  // interrupted, as the next one shows
  calls.add_timed(512, 150);
  sums_are(512, 150);
  calls.add_timed(512, 16'000);
  sums_are(512, 150);
  calls.add_timed(512, 400);
  sums_are(1024, 550);
  calls.add_timed(512 * 1024, 200'000);  // larger, and slower by no more than its size
  sums_are(1024 + 512 * 1024, 200'550);
  calls.add_timed(8, 40);  // small calls are slower, byte by byte
  sums_are(1032 + 512 * 1024, 200'590);
}

// A program may have floating-point traps on.
BOOST_AUTO_TEST_CASE(a_call_that_moved_nothing_is_no_measurement) {
  std::feclearexcept(FE_ALL_EXCEPT);
  PackCalls calls;
  calls.add_timed(0, 40);
  calls.add_timed(512, 150);
  BOOST_TEST((calls.timed_bytes == 512));
  SiteHistory place;
  place.host_took(0, 40);
  place.engine_took(0, 40);
  place.ended_after_packs(512);
  place.engine_cannot();
  place.ended_after_packs(512);
  place.engine_took(512, 40);
  place.ended_after_messages(0, 0);
  BOOST_TEST(std::fetestexcept(FE_DIVBYZERO | FE_INVALID) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
