#include "mapping/dims.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>

using namespace marshal::mapping;
using Dims = std::vector<int>;

namespace {
std::optional<Dims> completed(int processes, const Dims& dims, DimsRule rule = DimsRule::balanced, int node_size = 0) {
  return complete_dims(processes, dims, rule, node_size);
}
}  // namespace

BOOST_AUTO_TEST_CASE(balanced_is_the_most_balanced_exact_factorization) {
  BOOST_TEST((completed(4800, {0, 0}) == Dims{75, 64}));
  BOOST_TEST((completed(27720, {0, 0, 0}) == Dims{33, 30, 28}));
  BOOST_TEST((completed(2400, {0, 0}) == Dims{50, 48}));
  BOOST_TEST((completed(1, {0, 0, 0}) == Dims{1, 1, 1}));
  BOOST_TEST((completed(13, {0, 0}) == Dims{13, 1}));
  BOOST_TEST((completed(1 << 20, {0, 0, 0}) == Dims{128, 128, 64}));
}

BOOST_AUTO_TEST_CASE(given_dimensions_stay_and_others_do_not_increase) {
  BOOST_TEST((completed(24, {0, 2, 0}) == Dims{4, 2, 3}));
  BOOST_TEST((completed(6, {0, 3, 0}) == Dims{2, 3, 1}));
  for (const DimsRule rule : {DimsRule::balanced, DimsRule::node})
    for (int processes = 1; processes <= 130; ++processes)
      for (const Dims& dims : {Dims{0}, Dims{0, 0}, Dims{0, 2, 0}, Dims{0, 0, 0}, Dims{3, 0, 0, 0}}) {
        const auto result = completed(processes, dims, rule, 12);
        if (!result) continue;
        int product = 1, previous = processes;
        for (std::size_t d = 0; d < dims.size(); ++d) {
          product *= (*result)[d];
          if (dims[d] != 0) {
            BOOST_REQUIRE((*result)[d] == dims[d]);
          } else {
            BOOST_REQUIRE((*result)[d] <= previous);
            previous = (*result)[d];
          }
        }
        BOOST_REQUIRE(product == processes);
      }
}

BOOST_AUTO_TEST_CASE(what_the_standard_calls_an_error_is_left_to_the_host) {
  BOOST_TEST(!completed(7, {0, 3, 0}).has_value());
  BOOST_TEST(!completed(6, {3, 2}).has_value());
  BOOST_TEST(!completed(6, {0, -1}).has_value());
  BOOST_TEST(!completed(0, {0}).has_value());
  BOOST_TEST(!completed(4, {}).has_value());
}

// Counted: 2400 at 48 a node reach 1200 on 60x40, against 1224 on 50x48.
BOOST_AUTO_TEST_CASE(node_prefers_the_grid_on_which_nodes_fit) {
  BOOST_TEST((completed(2400, {0, 0}, DimsRule::node, 48) == Dims{60, 40}));
  BOOST_TEST((completed(2400, {0, 0}, DimsRule::node, 1) == Dims{50, 48}));
}
