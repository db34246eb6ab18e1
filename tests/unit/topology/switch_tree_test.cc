#include "topology/switch_tree.h"

#include <boost/test/unit_test.hpp>
#include <stdexcept>

using namespace marshal::topology;
using Names = std::vector<std::string>;
using Levels = std::vector<SwitchLevel>;

namespace {

Levels levels(std::string_view text, const Names& nodes) { return SwitchTree(text, "file").levels_above(nodes); }

}  // namespace

BOOST_AUTO_TEST_CASE(slurms_file_gives_each_node_its_switch_at_every_level) {
  const Levels found = levels(
      "# two racks\n"
      "SwitchName=s0 Nodes=n[0-1]  LinkSpeed=100\n"
      "switchname=s1 NODES=n[2-3]  # the second\n"
      "SwitchName=s2 \\\n"
      "  Nodes=n4,n5\n"
      "SwitchName=s3 Nodes=n[06-07]\n"
      "\n"
      "SwitchName=r0 Switches=s[0-1]\n"
      "SwitchName=r1 Switches=s[2-3]\n"
      "SwitchName=top Switches=r0,r1\n",
      {"n0", "n1", "n2", "n3", "n5", "n4", "n06", "n07"});
  BOOST_TEST((found == Levels{{1, {0, 0, 0, 0, 1, 1, 1, 1}}, {0, {0, 0, 1, 1, 2, 2, 3, 3}}}));
}

BOOST_AUTO_TEST_CASE(levels_are_named_as_slurm_counts) {
  BOOST_TEST(name_of_level(0) == "switches");
  BOOST_TEST(name_of_level(2) == "switches of level 2");
}

BOOST_AUTO_TEST_CASE(short_lines_say_the_same) {
  const Levels two{{0, {0, 1, 0, 1}}};
  BOOST_TEST((levels("s0: a,b\ns1: c, d\n", {"a", "c", "b", "d"}) == two));
  BOOST_TEST((levels("s0: a,b\ns1: c,d\ntop: s0,s1\n", {"a", "c", "b", "d"}) == two));
  BOOST_TEST((levels("top: s0,s1\nSwitchName=s0 Nodes=a,b\ns1: c,d", {"a", "c", "b", "d"}) == two));
}

BOOST_AUTO_TEST_CASE(what_scontrol_shows_says_the_same) {
  BOOST_TEST((levels("SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[0-1]\n"
                     "SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[2-3]\n"
                     "SwitchName=top Level=1 LinkSpeed=1 Nodes=n[0-3] Switches=s[0-1]\n",
                     {"n0", "n1", "n2", "n3"}) == Levels{{0, {0, 0, 1, 1}}}));
}

BOOST_AUTO_TEST_CASE(levels_that_say_nothing_new_are_left_out) {
  BOOST_TEST((levels("s0: a,b\ns1: c,d\n", {"a", "b"}).empty()));  // one switch
  BOOST_TEST((levels("s0: a,b\ns1: c,d\n", {"a", "c"}).empty()));  // one node each
  BOOST_TEST((levels("s0: a,b\ns1: c,d\nr0: s0\nr1: s1\n", {"a", "b", "c", "d"}) == Levels{{0, {0, 0, 1, 1}}}));
}

BOOST_AUTO_TEST_CASE(a_switch_stands_for_the_one_that_is_missing_above_it) {
  BOOST_TEST((levels("s0: a,b\ns1: c,d\ns2: e,f\nr0: s0,s1\ntop: r0,s2\n", {"a", "b", "c", "d", "e", "f"}) ==
              Levels{{1, {0, 0, 0, 0, 1, 1}}, {0, {0, 0, 1, 1, 2, 2}}}));
}

BOOST_AUTO_TEST_CASE(a_long_name_of_a_node_counts_by_its_first_part) {
  const std::string text = "s0: a,b.far\ns1: c,d\n";
  BOOST_TEST((levels(text, {"a.near", "b.far", "c.near", "d"}) == Levels{{0, {0, 0, 1, 1}}}));
  BOOST_CHECK_EXCEPTION(levels(text, {"a", "b.near"}), std::invalid_argument, [](const std::invalid_argument& error) {
    return std::string(error.what()) == "file: the node b.near stands under no switch";
  });
}

BOOST_AUTO_TEST_CASE(a_file_that_describes_no_tree_is_refused_with_the_line) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "file: has no switches"},
      {"# nothing\n", "file: has no switches"},
      {"s0: a\ns0: b", "file, line 2: the switch s0 is defined twice"},
      {"s0: a\ns1: b,a", "file, line 2: a stands under s0 already"},
      {"s0: a,a", "file, line 1: a stands under s0 already"},
      {"s0: a\nt: s0\nu: s0", "file, line 3: s0 stands under t already"},
      {"s0: a\nt: a2\nu: s0,b", "file, line 3: the switch u has both nodes and switches"},
      {"t: u\nu: t", "file, line 1: the switch t stands under itself"},
      {"t: t", "file, line 1: the switch t stands under itself"},
      {"SwitchName=t Switches=s0", "file, line 1: no line defines the switch s0"},
      {"SwitchName=t Nodes=a Nodes=b", "file, line 1: 'Nodes' is there twice"},
      {"SwitchName=t", "file, line 1: Nodes= or Switches= is missing"},
      {"Nodes=a", "file, line 1: SwitchName= is missing"},
      {"SwitchName=t[0-1] Nodes=a", "file, line 1: 't[0-1]' is not the name of one switch"},
      {"\n\nBlockName=b Nodes=a",
       "file, line 3: 'BlockName=b' is not understood: SwitchName, Nodes, Switches and LinkSpeed are"},
      {"a b", "file, line 1: 'a b' is neither 'switch: node,node' nor 'SwitchName=… Nodes=…'"},
      {"s0:", "file, line 1: host names '': a name is missing"},
      {"s0: n[0-1048574]\ns1: m[0-9]", "file, line 2: the file has more than 1048576 names"}};
  for (const auto& [text, message] : cases)
    BOOST_CHECK_EXCEPTION(levels(text, {"a"}), std::invalid_argument, [&](const std::invalid_argument& error) {
      BOOST_TEST(error.what() == message);
      return true;
    });
  std::string chain = "s0: a\n";
  for (int i = 1; i < SwitchTree::most_levels; ++i)
    chain += "s" + std::to_string(i) + ": s" + std::to_string(i - 1) + "\n";
  BOOST_CHECK_NO_THROW(levels(chain, {"a"}));
  BOOST_CHECK_THROW(levels(chain + "top: s15\n", {"a"}), std::invalid_argument);
}
