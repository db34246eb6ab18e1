// How near the mappers come to the best that is known (tests/quality/best_known.txt, made by
// tests/quality/find_best_known).
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>

#include "mapping/contest.h"
#include "mapping/metrics.h"
#include "tests/quality/quality_instances.h"

using namespace marshal::mapping;

BOOST_AUTO_TEST_CASE(best_is_within_one_percent_of_the_best_known_in_the_geometric_mean) {
  const char* source = std::getenv("srcdir");
  std::ifstream file(std::string(source != nullptr ? source : "..") + "/tests/quality/best_known.txt");
  BOOST_REQUIRE(file.is_open());
  // A fortieth of what MPI_Cart_create may spend; QUALITY_PROPOSALS=4000000 is the default there.
  const char* wanted = std::getenv("QUALITY_PROPOSALS");
  ContestRules rules;
  rules.proposals = wanted != nullptr ? std::atoll(wanted) : 100'000;
  double sum_of_logs = 0;
  int instances = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const auto bar = line.find('|'), second = line.find('|', bar + 1);
    const QualityInstance instance = quality_instance(line.substr(0, bar));
    const std::int64_t given = std::stoll(line.substr(bar + 1)), known = std::stoll(line.substr(second + 1));
    const Problem& problem = instance.problem;
    BOOST_REQUIRE(jsum_of(problem.grid, problem.stencil, problem.given) == given);
    const std::int64_t found = jsum_of(problem.grid, problem.stencil, contest(problem, rules).node_of_cell);
    BOOST_CHECK_MESSAGE(found <= given, instance.line);
    if (known == 0) continue;
    const double excess = static_cast<double>(found) / static_cast<double>(known);
    if (excess > 1.02) BOOST_TEST_MESSAGE(instance.line << ": " << found << ", known " << known);
    sum_of_logs += std::log(excess);
    ++instances;
  }
  BOOST_REQUIRE(instances >= 80);
  const double mean = std::exp(sum_of_logs / instances);
  BOOST_TEST_MESSAGE(instances << " instances, geometric mean " << mean << " of the best known");
  BOOST_TEST(mean <= 1.01);
}
