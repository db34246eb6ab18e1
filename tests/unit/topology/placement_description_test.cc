#include <boost/test/unit_test.hpp>
#include <stdexcept>

#include "topology/domains.h"

using namespace marshal::topology;
using Nodes = std::vector<std::int32_t>;

BOOST_AUTO_TEST_CASE(the_three_forms_place_ranks_as_documented) {
  BOOST_TEST((node_of_rank(parse_placement("nodes:4"), 8) == Nodes{0, 0, 1, 1, 2, 2, 3, 3}));
  BOOST_TEST((node_of_rank(parse_placement("nodes:3"), 7) == Nodes{0, 0, 0, 1, 1, 2, 2}));
  BOOST_TEST((node_of_rank(parse_placement("nodes:1,3,2"), 6) == Nodes{0, 1, 1, 1, 2, 2}));
  BOOST_TEST((node_of_rank(parse_placement("nodes:1,3,2"), 3) == Nodes{0, 1, 1}));
  BOOST_TEST((node_of_rank(parse_placement("cyclic:3"), 7) == Nodes{0, 1, 2, 0, 1, 2, 0}));
  BOOST_TEST((node_of_rank(parse_placement("nodes:5"), 3) == Nodes{0, 1, 2}));
}

BOOST_AUTO_TEST_CASE(the_inside_of_a_node_follows_after_a_blank) {
  const auto description = parse_placement("cyclic:4   package:2 core:6 pu:1");
  BOOST_TEST(description.cyclic);
  BOOST_TEST(description.inside == "package:2 core:6 pu:1");
  BOOST_TEST(parse_placement("nodes:4 ").inside.empty());
}

BOOST_AUTO_TEST_CASE(other_texts_are_refused_with_what_was_expected) {
  for (const char* text : {"", "auto", "nodes", "nodes:", "nodes:0", "nodes:-1", "nodes:2,", "nodes:2,x", "cyclic:2,2",
                           "racks:3", "nodes:99999999999"})
    BOOST_CHECK_EXCEPTION(parse_placement(text), std::invalid_argument, [](const std::invalid_argument& error) {
      return std::string(error.what()).starts_with("topology '");
    });
  BOOST_CHECK_THROW(node_of_rank(parse_placement("nodes:2,2"), 5), std::invalid_argument);
}
