#include "traffic/block.h"

#include <boost/test/unit_test.hpp>
#include <limits>
#include <stdexcept>

using namespace marshal::traffic;

BOOST_AUTO_TEST_CASE(numbers_of_any_size_come_back) {
  ByteWriter writer;
  const std::uint64_t numbers[] = {0, 1, 127, 128, 16383, 16384, 1ULL << 63, std::numeric_limits<std::uint64_t>::max()};
  for (const std::uint64_t number : numbers) writer.number(number);
  ByteReader reader(writer.bytes());
  for (const std::uint64_t number : numbers) BOOST_TEST(reader.number() == number);
  BOOST_TEST(reader.at_end());
}

BOOST_AUTO_TEST_CASE(a_number_that_does_not_end_is_malformed) {
  ByteReader cut(std::string_view("\xff", 1));
  BOOST_CHECK_THROW(cut.number(), Malformed);
  const std::string endless(20, '\xff');
  ByteReader reader(endless);
  BOOST_CHECK_THROW(reader.number(), Malformed);
}

BOOST_AUTO_TEST_CASE(a_job_comes_back) {
  Job job;
  job.facts = {{"program", "lmp"}, {"started", "2026-11-21T09:14:47+00:00"}};
  job.node_names = {"n1", "n2", "a name, with spaces"};
  job.node_of_process = {0, 0, 1, 1, 2, 0, 1};
  BOOST_TEST((read_job(job_payload(job)) == job));
}

BOOST_AUTO_TEST_CASE(a_job_with_a_node_that_does_not_exist_is_malformed) {
  Job job;
  job.node_names = {"n1"};
  job.node_of_process = {0, 1};
  BOOST_CHECK_THROW(read_job(job_payload(job)), Malformed);
}

BOOST_AUTO_TEST_CASE(a_job_of_more_processes_than_can_be_is_malformed) {
  ByteWriter payload;
  payload.number(0);
  payload.number(1);
  payload.text("n1");
  payload.number(std::uint64_t{1} << 40);
  payload.number(0);
  payload.number(std::uint64_t{1} << 40);
  BOOST_CHECK_THROW(read_job(payload.bytes()), Malformed);
}

BOOST_AUTO_TEST_CASE(rows_that_make_no_sense_are_refused_before_they_are_written) {
  RowPacker packer;
  const Sent twice[] = {{3, 1, 1}, {3, 1, 1}}, descending[] = {{3, 1, 1}, {2, 1, 1}};
  BOOST_CHECK_THROW(packer.add({0, twice, {}, {}}), std::invalid_argument);
  BOOST_CHECK_THROW(packer.add({0, {}, descending, {}}), std::invalid_argument);
  BOOST_CHECK_THROW(packer.add({most_processes, {}, {}, {}}), std::invalid_argument);
  BOOST_TEST(packer.take().empty());
}
