#include "tools/launch/rank_binding.h"

#include <boost/test/unit_test.hpp>

using namespace marshal::tools;

namespace {

// Two packages of two cores of two threads: 0 to 3 are first threads, 4 to 7 second ones.
const std::vector<Processor> machine = {{0, 0, 0}, {1, 1, 0}, {2, 0, 1}, {3, 1, 1},
                                        {4, 0, 0}, {5, 1, 0}, {6, 0, 1}, {7, 1, 1}};
using Numbers = std::vector<int>;

}  // namespace

BOOST_AUTO_TEST_CASE(sockets_are_taken_in_turn) {
  BOOST_TEST((processors_for("socket", machine, 0, 4, true) == Numbers{0, 1, 4, 5}));
  BOOST_TEST((processors_for("socket", machine, 3, 4, true) == Numbers{2, 3, 6, 7}));
}

BOOST_AUTO_TEST_CASE(cores_are_taken_in_turn_of_their_sockets) {
  BOOST_TEST((processors_for("core", machine, 0, 4, true) == Numbers{0, 4}));
  BOOST_TEST((processors_for("core", machine, 1, 4, true) == Numbers{2, 6}));
  BOOST_TEST((processors_for("core", machine, 2, 4, true) == Numbers{1, 5}));
  BOOST_TEST((processors_for("core", machine, 1, 2, false) == Numbers{1, 5}));
}

BOOST_AUTO_TEST_CASE(more_ranks_than_cores_are_not_bound) {
  BOOST_TEST(processors_for("socket", machine, 0, 5, true).empty());
  BOOST_TEST(processors_for("core", machine, 4, 5, true).empty());
  BOOST_TEST(processors_for("core", {}, 0, 1, true).empty());
  BOOST_TEST(processors_for("core", machine, -1, 4, true).empty());
}
