#include "topology/domains.h"

#include <boost/test/unit_test.hpp>

using namespace marshal::topology;
using Of = std::vector<std::int32_t>;

BOOST_AUTO_TEST_CASE(a_made_up_node_is_divided_level_by_level) {
  if (const std::string problem = domains_of({}).problem; !problem.empty()) {
    BOOST_TEST_MESSAGE("not tested: " << problem);
    return;
  }
  const Domains domains = synthetic_domains("package:2 l3:2 core:2 pu:1", 8);
  BOOST_TEST(domains.problem == "");
  BOOST_REQUIRE(domains.levels.size() == 2u);
  BOOST_TEST((domains.levels[0] == DomainLevel{"package", Of{0, 0, 0, 0, 1, 1, 1, 1}}));
  BOOST_TEST((domains.levels[1] == DomainLevel{"l3", Of{0, 0, 1, 1, 2, 2, 3, 3}}));
}

BOOST_AUTO_TEST_CASE(levels_that_tell_nothing_new_are_left_out) {
  if (!domains_of({}).problem.empty()) return;
  // The NUMA domains are the packages; the caches are private.
  const Domains domains = synthetic_domains("package:2 numa:1 core:4 l3:1 pu:1", 8);
  BOOST_REQUIRE(domains.levels.size() == 1u);
  BOOST_TEST(domains.levels[0].name == "package");
  const std::vector<std::string> only{"numa"};
  BOOST_REQUIRE(synthetic_domains("package:2 numa:2 core:4 pu:1", 16, only).levels.size() == 1u);
  BOOST_TEST(synthetic_domains("package:2 numa:2 core:4 pu:1", 16, only).levels[0].name == "numa");
}

BOOST_AUTO_TEST_CASE(a_description_that_hwloc_refuses_is_a_message) {
  const Domains domains = synthetic_domains("package:two", 4);
  BOOST_TEST(domains.levels.empty());
  BOOST_TEST(!domains.problem.empty());
}

BOOST_AUTO_TEST_CASE(processes_of_this_machine_that_may_run_anywhere_have_no_domain) {
  const std::vector<Cpus> free{Cpus{}, Cpus{}};
  BOOST_TEST(domains_of(free).levels.empty());
  BOOST_TEST(!own_cpus().empty());
}
