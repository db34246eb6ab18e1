#include "base/last_found.h"

#include <boost/test/unit_test.hpp>

using marshal::Departures;
using marshal::LastFound;

namespace {

struct Books {
  int one = 1, other = 2, looked_up = 0;
  Departures departures{0};
  LastFound<int> last;

  const int* find(std::uint64_t key) {
    return last.find(key, departures, [&]() -> const int* {
      ++looked_up;
      return key == 1 ? &one : key == 2 ? &other : nullptr;
    });
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(last_found)

BOOST_AUTO_TEST_CASE(the_same_again_is_not_looked_up) {
  Books books;
  for (int times = 0; times < 3; ++times) BOOST_TEST(books.find(1) == &books.one);
  BOOST_TEST(books.looked_up == 1);
  BOOST_TEST(books.find(2) == &books.other);
  BOOST_TEST(books.find(1) == &books.one);
  BOOST_TEST(books.looked_up == 3);
}

BOOST_AUTO_TEST_CASE(nothing_that_may_have_left_is_found_again) {
  Books books;
  BOOST_TEST(books.find(1) == &books.one);
  books.departures.fetch_add(1);
  BOOST_TEST(books.last.get(1, books.departures) == nullptr);
  BOOST_TEST(books.find(1) == &books.one);
  BOOST_TEST(books.looked_up == 2);
}

BOOST_AUTO_TEST_CASE(what_leaves_while_it_is_looked_up_is_not_remembered) {
  Departures departures{0};
  LastFound<int> last;
  int value = 1;
  const int* found = last.find(1, departures, [&] {
    departures.fetch_add(1);
    return &value;
  });
  BOOST_TEST(found == &value);
  BOOST_TEST(last.get(1, departures) == nullptr);
}

BOOST_AUTO_TEST_CASE(nothing_found_is_looked_up_again) {
  Books books;
  BOOST_TEST(books.find(3) == nullptr);
  BOOST_TEST(books.find(3) == nullptr);
  BOOST_TEST(books.looked_up == 2);
}

BOOST_AUTO_TEST_SUITE_END()
