// How near the mappers come to the best that is known (tests/quality/best_known.txt and sweep.txt, made by
// tests/quality/find_best_known). By hand, QUALITY_EXCHANGES=4000000 is what MPI_Cart_create may spend by default, and
// QUALITY_EVERY=1 takes the whole sweep, not only every so many of its lines.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "mapping/contest.h"
#include "mapping/metrics.h"
#include "tests/quality/quality_instances.h"

using namespace marshal::mapping;

namespace {

std::int64_t wanted(const char* name, std::int64_t otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::atoll(value) : otherwise;
}

std::vector<std::string> lines_of(const std::string& name) {
  const char* source = std::getenv("srcdir");
  std::ifstream file(std::string(source != nullptr ? source : "..") + "/tests/quality/" + name);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  return lines;
}

struct Comparison {
  int instances = 0;
  double sum_of_logs = 0;

  // "instance | Jsum of the given order | least Jsum known | …"
  void add(const std::string& line, const ContestRules& rules) {
    const auto bar = line.find('|'), second = line.find('|', bar + 1);
    const QualityInstance instance = quality_instance(line.substr(0, bar));
    const std::int64_t given = std::stoll(line.substr(bar + 1)), known = std::stoll(line.substr(second + 1));
    const Problem& problem = instance.problem;
    BOOST_REQUIRE(jsum_of(problem.grid, problem.stencil, problem.given) == given);
    const std::int64_t found = jsum_of(problem.grid, problem.stencil, propose(problem, rules).node_of_cell);
    BOOST_CHECK_MESSAGE(found <= given, instance.line);
    for (const MapperRow& row : mapper_table) {
      if (!row.published) continue;
      if (const MapperResult result = run_mapper(problem, row.mapper); result.applies())
        BOOST_CHECK_MESSAGE(found <= jsum_of(problem.grid, problem.stencil, result.node_of_cell),
                            instance.line << ": worse than " << row.name);
    }
    if (known == 0) return;
    const double excess = static_cast<double>(found) / static_cast<double>(known);
    if (excess > 1.02) BOOST_TEST_MESSAGE(instance.line << ": " << found << ", known " << known);
    sum_of_logs += std::log(excess);
    ++instances;
  }

  double mean() const { return std::exp(sum_of_logs / instances); }
};

}  // namespace

BOOST_AUTO_TEST_CASE(best_is_within_one_percent_of_the_best_known_in_the_geometric_mean) {
  ContestRules rules;
  rules.exchanges = wanted("QUALITY_EXCHANGES", 100'000);
  Comparison comparison;
  for (const std::string& line : lines_of("best_known.txt")) comparison.add(line, rules);
  BOOST_REQUIRE(comparison.instances >= 80);
  BOOST_TEST_MESSAGE(comparison.instances << " instances, geometric mean " << comparison.mean()
                                          << " of the best known");
  BOOST_TEST(comparison.mean() <= 1.01);
}

BOOST_AUTO_TEST_CASE(so_it_is_on_a_sweep_of_a_thousand_grids) {
  const std::vector<std::string> lines = lines_of("sweep.txt");
  BOOST_REQUIRE(lines.size() >= 1000);
  ContestRules rules;
  rules.exchanges = wanted("QUALITY_EXCHANGES", 50'000);
  const auto every = static_cast<std::size_t>(std::max<std::int64_t>(1, wanted("QUALITY_EVERY", 8)));
  Comparison comparison;
  for (std::size_t i = 0; i < lines.size(); i += every) comparison.add(lines[i], rules);
  BOOST_TEST_MESSAGE(comparison.instances << " instances, geometric mean " << comparison.mean()
                                          << " of the best known");
  BOOST_TEST(comparison.mean() <= 1.01);
}
