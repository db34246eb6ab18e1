#include "messages/mpich/bound_types.h"

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <deque>
#include <new>
#include <set>
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
  Bound& one = enter(types, 15, context(1));
  Bound& other = enter(types, 23, context(2));
  BOOST_TEST((one.datatype == 15 && one.host_context == context(1)));
  types.end(15, one);
  BOOST_TEST(BoundTypes::any());
  types.end(23, other);
  BOOST_TEST(!BoundTypes::any());
}

BOOST_AUTO_TEST_CASE(a_type_ends_when_its_context_is_given_to_another_type) {
  BoundTypes& types = new_book();
  enter(types, 15, context(1), 1);
  Bound& other = enter(types, 23, context(2), 2);
  types.end_of_context(context(1));
  BOOST_TEST(ended_at(1) == 1U);
  BOOST_TEST(ended_at(2) == 0U);
  types.end_of_context(context(1));
  types.end_of_context(context(3));
  BOOST_TEST(BoundTypes::any());
  types.end(23, other);
  BOOST_TEST(!BoundTypes::any());
}

BOOST_AUTO_TEST_CASE(a_type_ends_once_and_not_the_one_that_came_in_its_place) {
  BoundTypes& types = new_book();
  Bound& first = enter(types, 15, context(1), 3);
  types.end_of_context(context(1));
  Bound& second = enter(types, 23, context(1), 4);
  types.end(15, first);
  BOOST_TEST(ended_at(3) == 1U);
  BOOST_TEST(ended_at(4) == 0U);
  BOOST_TEST(BoundTypes::any());
  types.end(15, second);  // UCX's number is of another type
  BOOST_TEST(BoundTypes::any());
  types.end(23, second);
  BOOST_TEST(ended_at(4) == 1U);
  BOOST_TEST(!BoundTypes::any());
}

BOOST_AUTO_TEST_CASE(a_type_that_ended_is_kept_for_a_while_and_then_used_again) {
  BoundTypes& types = new_book();
  Bound& gone = enter(types, 15, context(0));
  gone.layout =
      std::make_shared<SharedLayout>(datatype::flattened(datatype::basic(8)), 8, 0, datatype::CompileOptions{});
  const std::weak_ptr<const SharedLayout> layout = gone.layout;
  types.end(15, gone);
  std::set<const Bound*> objects{&gone};
  const auto next = [&](std::size_t number) {
    Bound& made = enter(types, 8 * number + 7, context(number));
    objects.insert(&made);
    types.end(made.datatype, made);
  };
  for (std::size_t number = 1; number < 64; ++number) next(number);
  BOOST_TEST((gone.host_context == context(0) && gone.datatype == 15 && !layout.expired()));
  next(64);
  BOOST_TEST(layout.expired());
  for (std::size_t number = 65; number < 1000; ++number) next(number);
  BOOST_TEST(objects.size() == 65U);
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
  types.end_of_context(context(1));
  Bound& made = enter(types, 23, context(1), 5);
  types.end(23, made);
  BOOST_TEST(ended_at(5) == 1U);
  BOOST_TEST(!BoundTypes::any());
}

BOOST_AUTO_TEST_SUITE_END()
