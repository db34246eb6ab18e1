#include "traffic/tried_order.h"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "tests/unit/temporary_directory.h"
#include "traffic/traffic_file.h"

using namespace marshal::traffic;
using marshal::TemporaryDirectory;

namespace {

// Rank r and r + half exchange 1000 bytes each way; the nodes take the ranks one after the other.
Matrix pairs_far_apart(std::uint32_t ranks, std::uint32_t nodes) {
  Matrix matrix;
  for (std::uint32_t node = 0; node < nodes; ++node) matrix.job.node_names.push_back("n" + std::to_string(node));
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    matrix.job.node_of_process.push_back(rank * nodes / ranks);
    matrix.sent.push_back({(rank + ranks / 2) % ranks, 1, 1000});
    matrix.begin.push_back(matrix.sent.size());
  }
  return matrix;
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_order_that_puts_pairs_on_one_node_is_found) {
  BOOST_TEST(try_order(pairs_far_apart(16, 4), 100'000).value_or(1) == 0);
}

BOOST_AUTO_TEST_CASE(an_order_that_is_the_best_already_gains_nothing) {
  Matrix matrix = pairs_far_apart(2, 2);
  BOOST_TEST(try_order(matrix, 100'000).value_or(0) == 2000);
}

BOOST_AUTO_TEST_CASE(no_order_is_tried_for_a_job_that_is_too_large) {
  BOOST_TEST(!try_order(pairs_far_apart(2 * most_tried_processes, 4), 0).has_value());
}

BOOST_AUTO_TEST_CASE(a_traffic_file_is_tried_as_its_matrix_is) {
  const TemporaryDirectory directory;
  const Matrix matrix = pairs_far_apart(8, 2);
  TrafficWriter writer(directory.path + "/app", matrix.job);
  RowPacker packer;
  for (std::uint32_t rank = 0; rank < 8; ++rank) packer.add({rank, matrix.of(rank), {}, {}});
  writer.append(packer.take());
  const auto file = writer.finish();
  BOOST_REQUIRE(file.error.empty());
  BOOST_TEST(try_order_of_file(file.path, 100'000).value_or(1) == 0);
  BOOST_CHECK_THROW(try_order_of_file(directory.path + "/none", 0), TrafficFileError);
}
