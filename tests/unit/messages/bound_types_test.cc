#include "messages/mpich/bound_types.h"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <deque>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "datatype/flatten.h"
#include "tests/unit/out_of_memory.h"

using namespace marshal;
using marshal::generic_types::Bound;
using marshal::generic_types::BoundTypes;

namespace {

std::vector<char> of_host(1000);  // MPICH's contexts are addresses
void* context(std::size_t number) { return &of_host[number]; }

// No book is ever given back, nor are its objects.
BoundTypes& new_book() {
  static auto& all = *new std::deque<BoundTypes>;
  return all.emplace_back();
}

Bound& enter(BoundTypes& types, std::uint64_t datatype, void* host_context, std::uint8_t site = 0) {
  Bound& made = types.enter(datatype, host_context);
  made.life = std::make_shared<MessageLife>(site_histories[site], 256, 1);
  return made;
}

// How many types of a place ended, all of them in vain: each takes a quarter of what the place is thought to save.
unsigned ended_at(std::uint8_t site) {
  unsigned ended = 0;
  for (float left = SiteHistory().ns_of_a_kib(); left > site_histories[site].ns_of_a_kib(); left *= 0.75F) ++ended;
  return ended;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(bound_types)

BOOST_AUTO_TEST_CASE(any_is_true_while_one_is_in_use) {
  BoundTypes& types = new_book();
  BOOST_TEST(!BoundTypes::any());
  const Bound& one = enter(types, 15, context(1));
  enter(types, 23, context(2));
  BOOST_TEST((one.datatype == 15 && one.host_context == context(1)));
  BOOST_TEST(types.end(context(1)) == 15U);
  BOOST_TEST(BoundTypes::any());
  BOOST_TEST(types.end(context(2)) == 23U);
  BOOST_TEST(!BoundTypes::any());
}

BOOST_AUTO_TEST_CASE(a_type_ends_once) {
  BoundTypes& types = new_book();
  enter(types, 15, context(1), 1);
  enter(types, 23, context(2), 2);
  BOOST_TEST(types.end(context(1)) == 15U);
  BOOST_TEST(ended_at(1) == 1U);
  BOOST_TEST(ended_at(2) == 0U);
  BOOST_TEST(types.end(context(1)) == 0U);
  BOOST_TEST(types.end(context(3)) == 0U);
  BOOST_TEST(BoundTypes::any());
  enter(types, 31, context(1), 3);
  BOOST_TEST(types.end(context(1)) == 31U);
  BOOST_TEST((ended_at(1) == 1U && ended_at(3) == 1U));
  types.end(context(2));
  BOOST_TEST(!BoundTypes::any());
}

// A thread is interrupted as a message begins, while another one makes and frees types.
BOOST_AUTO_TEST_CASE(a_type_stays_while_a_thread_is_in_it) {
  BoundTypes& types = new_book();
  Bound& used = enter(types, 15, context(0));
  used.layout =
      std::make_shared<SharedLayout>(datatype::flattened(datatype::basic(8)), 8, 0, datatype::CompileOptions{});
  const std::weak_ptr<const SharedLayout> layout = used.layout;
  std::atomic<int> step{0};
  bool is_there = true;
  std::thread user([&] {
    const Bound& type = BoundTypes::use(&used);
    step = 1;
    while (step == 1) is_there = is_there && type.datatype == 15 && type.layout->plan.size() == 8;
    enter(types, 8, context(1));
    BoundTypes::use(&enter(types, 16, context(2)));
    types.end(context(2));
  });
  while (step == 0) continue;
  types.end(context(0));
  for (std::size_t number = 3; number < 5000; ++number) {
    enter(types, 8 * number + 7, context(number % 1000));
    types.end(context(number % 1000));
  }
  BOOST_TEST(!layout.expired());
  step = 2;
  user.join();
  types.end(context(1));  // nobody uses the first any more
  BOOST_TEST(is_there);
  BOOST_TEST(layout.expired());
}

BOOST_AUTO_TEST_CASE(without_memory_nothing_changes) {
  BoundTypes& types = new_book();
  out_of_memory = true;
  bool thrown = false;
  try {
    types.enter(15, context(1));
  } catch (const std::bad_alloc&) {
    thrown = true;
  }
  out_of_memory = false;
  BOOST_TEST(thrown);
  BOOST_TEST(!BoundTypes::any());
  BOOST_TEST(types.end(context(1)) == 0U);
  enter(types, 23, context(1), 5);
  types.end(context(1));
  BOOST_TEST(ended_at(5) == 1U);
  BOOST_TEST(!BoundTypes::any());
}

BOOST_AUTO_TEST_SUITE_END()
