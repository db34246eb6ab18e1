#include "host/newest_datatypes.h"

#include <boost/test/unit_test.hpp>
#include <vector>

namespace marshal {

BOOST_AUTO_TEST_SUITE(newest_datatypes_test)

BOOST_AUTO_TEST_CASE(the_newest_of_a_context_is_found) {
  NewestDatatypes newest;
  int context;
  BOOST_TEST(newest.of(&context) == 0U);
  newest.note(&context, 15);
  newest.note(&context, 23);
  BOOST_TEST(newest.of(&context) == 23U);
}

BOOST_AUTO_TEST_CASE(none_is_taken_for_that_of_another_context) {
  NewestDatatypes newest;
  const std::vector<int> contexts(5000);
  for (const int& context : contexts) newest.note(&context, reinterpret_cast<std::uintptr_t>(&context));
  for (const int& context : contexts) {
    const std::uint64_t found = newest.of(&context);
    BOOST_TEST((found == 0 || found == reinterpret_cast<std::uintptr_t>(&context)));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace marshal
