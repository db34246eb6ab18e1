#include <boost/test/unit_test.hpp>
#include <cstdint>

#include "messages/mpich/bound_types.h"

namespace marshal::generic_types {

BOOST_AUTO_TEST_SUITE(newest_datatypes_test)

BOOST_AUTO_TEST_CASE(the_newest_of_a_type_is_found) {
  NewestDatatypes newest;
  BOOST_TEST(newest.of(7) == 0U);
  newest.note(7, 15);
  newest.note(7, 23);
  BOOST_TEST(newest.of(7) == 23U);
}

BOOST_AUTO_TEST_CASE(none_is_taken_for_that_of_another_type) {
  NewestDatatypes newest;
  for (std::uint32_t type = 1; type < 5000; ++type) newest.note(type, 8 * type + 7);
  for (std::uint32_t type = 1; type < 5000; ++type) {
    const std::uint64_t found = newest.of(type);
    BOOST_TEST((found == 0 || found == 8 * type + 7));
  }
}

BOOST_AUTO_TEST_CASE(one_that_is_destroyed_is_not_found_but_a_newer_one_of_the_type_is) {
  NewestDatatypes newest;
  newest.note(7, 15);
  newest.forget(7, 15);
  BOOST_TEST(newest.of(7) == 0U);
  newest.note(7, 23);
  newest.forget(7, 15);
  BOOST_TEST(newest.of(7) == 23U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace marshal::generic_types
