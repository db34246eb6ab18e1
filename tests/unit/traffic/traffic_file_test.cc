#include "traffic/traffic_file.h"

#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <tuple>

#include "tests/unit/messages_of_tests.h"
#include "tests/unit/property_seed.h"
#include "tests/unit/temporary_directory.h"

using namespace marshal;
using namespace marshal::traffic;
namespace fs = std::filesystem;

namespace {

void put(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

Job job_of(std::uint32_t processes, std::uint32_t per_node) {
  Job job;
  job.facts["program"] = "app";
  for (std::uint32_t p = 0; p < processes; ++p) job.node_of_process.push_back(p / per_node);
  for (std::uint32_t n = 0; n * per_node < processes; ++n) job.node_names.push_back("n" + std::to_string(n));
  return job;
}

// A ring, one block a node.
std::string written_ring(const std::string& stem, std::uint32_t processes, std::uint32_t per_node) {
  TrafficWriter writer(stem, job_of(processes, per_node));
  RowPacker packer;
  for (std::uint32_t p = 0; p < processes; ++p) {
    const Sent next{(p + 1) % processes, 10, 1000 + p};
    packer.add({p, {&next, 1}, {}, {}});
    if (p % per_node == per_node - 1) writer.append(packer.take());
  }
  writer.append(packer.take());
  return writer.finish().path;
}

// The message about a file, without its name.
std::string problem_with(const std::string& path) {
  try {
    read_matrix(path);
    return {};
  } catch (const TrafficFileError& error) {
    const std::string line = error.what();
    BOOST_TEST(line.starts_with(path + ": "));
    BOOST_TEST(line.find('\n') == std::string::npos);
    return line.substr(path.size() + 2);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_was_written_comes_back) {
  const unsigned seed = marshal::property_seed();
  std::mt19937_64 random(seed);
  const TemporaryDirectory directory;
  for (int run = 0; run < 20; ++run) {
    const auto processes = static_cast<std::uint32_t>(1 + random() % 300);
    const Job job = job_of(processes, static_cast<std::uint32_t>(1 + random() % 40));
    std::vector<std::vector<Sent>> rows(processes);
    for (auto& row : rows)
      for (std::uint32_t peer = 0; peer < processes; ++peer)
        if (random() % 20 == 0) row.push_back({peer, random() % 1000, random() >> (random() % 64)});
    // Nodes report in any order, a process without traffic not at all.
    std::vector<std::uint32_t> order(processes);
    for (std::uint32_t p = 0; p < processes; ++p) order[p] = p;
    std::shuffle(order.begin(), order.end(), random);
    TrafficWriter writer(directory.path + "/t", job);
    RowPacker packer;
    Volume foreign, to_nodes;
    for (const std::uint32_t p : order) {
      if (rows[p].empty()) continue;
      const Sent to_node{static_cast<std::uint32_t>(random() % job.nodes()), 1, random() % 100};
      const Volume away{random() % 3, random() % 100};
      packer.add({p, rows[p], {&to_node, 1}, away});
      foreign = {foreign.messages + away.messages, foreign.bytes + away.bytes};
      to_nodes = {to_nodes.messages + 1, to_nodes.bytes + to_node.bytes};
      if (random() % 10 == 0) writer.append(packer.take());
    }
    writer.append(packer.take());
    const Matrix matrix = read_matrix(writer.finish().path);
    BOOST_TEST((matrix.job == job));
    BOOST_TEST((matrix.foreign == foreign));
    BOOST_TEST((matrix.to_nodes == to_nodes));
    for (std::uint32_t p = 0; p < processes; ++p)
      BOOST_TEST(std::equal(rows[p].begin(), rows[p].end(), matrix.of(p).begin(), matrix.of(p).end()));
  }
}

BOOST_AUTO_TEST_CASE(a_file_that_is_cut_off_anywhere_says_so) {
  const TemporaryDirectory directory;
  const std::string whole = contents(written_ring(directory.path + "/ring", 64, 8));
  const std::string cut = directory.path + "/cut.traffic";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    put(cut, whole.substr(0, size));
    const std::string problem = problem_with(cut);
    BOOST_TEST((problem == "ends in the middle: it was cut off" || problem == "is no traffic file of Marshal"),
               problem);
  }
}

BOOST_AUTO_TEST_CASE(a_changed_bit_is_noticed) {
  const TemporaryDirectory directory;
  const std::string whole = contents(written_ring(directory.path + "/ring", 24, 8));
  const std::string changed = directory.path + "/changed.traffic";
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (i >= 12 && i < 16) continue;  // bytes for later use
    std::string bytes = whole;
    bytes[i] = static_cast<char>(bytes[i] ^ 0x10);
    put(changed, bytes);
    BOOST_TEST(!problem_with(changed).empty(), "byte " << i);
  }
}

BOOST_AUTO_TEST_CASE(other_files_are_named_for_what_they_are) {
  const TemporaryDirectory directory;
  const std::string path = directory.path + "/other";
  put(path, "{\"format\": \"some JSON of a decent length\"}");
  BOOST_TEST(problem_with(path) == "is no traffic file of Marshal");
  BOOST_TEST(problem_with(directory.path) == "is no regular file");
  BOOST_TEST(problem_with(directory.path + "/none") == "No such file or directory");
  BOOST_REQUIRE(mkfifo((directory.path + "/pipe").c_str(), 0600) == 0);
  BOOST_TEST(problem_with(directory.path + "/pipe") ==
             "is a pipe; a traffic file must be a regular file, as its size must be known first");
  std::string later = contents(written_ring(directory.path + "/ring", 4, 2));
  later[8] = 9;
  put(path, later);
  BOOST_TEST(problem_with(path) == "is a traffic file of version 9; this Marshal reads version 1");
}

// Files with correct checksums whose contents make no sense.
BOOST_AUTO_TEST_CASE(a_hostile_file_is_refused_in_bounded_memory) {
  const TemporaryDirectory directory;
  const std::string path = directory.path + "/hostile.traffic";
  std::string beginning = contents(written_ring(directory.path + "/ring", 4, 2)).substr(0, 16);
  const Job job = job_of(4, 2);
  const std::string with_job = beginning + make_block(BlockKind::job, job_payload(job), 0, 0);
  const auto problem_of = [&](const std::string& bytes) {
    put(path, bytes);
    return problem_with(path);
  };
  BOOST_TEST(problem_of(beginning + make_block(BlockKind::rows, "", 0, 0)) ==
             "is damaged: it does not begin with the job");
  // A bomb: much that unpacks from little, and claims more rows than there are bytes for.
  const std::string bomb = make_block(BlockKind::rows, std::string(most_payload, '\0'), 0xffffffffU, 1);
  BOOST_TEST(problem_of(with_job + bomb).starts_with("is damaged: "));
  BOOST_TEST(problem_of(with_job + make_block(BlockKind::rows, "\xff\xff", 1, 1)).starts_with("is damaged: "));
  // A process that does not exist, a peer that does not, a process twice.
  const Sent sent[] = {{1, 1, 1}}, beyond[] = {{7, 1, 1}};
  RowPacker packer;
  packer.add({9, sent, {}, {}});
  BOOST_TEST(problem_of(with_job + packer.take()) == "is damaged: traffic of a process that does not exist");
  packer.add({1, beyond, {}, {}});
  BOOST_TEST(problem_of(with_job + packer.take()) == "is damaged: a peer that does not exist");
  packer.add({1, sent, {}, {}});
  packer.add({1, sent, {}, {}});
  BOOST_TEST(problem_of(with_job + packer.take()) == "is damaged: process 1 is in it twice");
  // Two jobs, rows that are missing, more behind the end.
  BOOST_TEST(problem_of(with_job + make_block(BlockKind::job, job_payload(job), 0, 0)) ==
             "is damaged: the job is in it twice");
  ByteWriter end;
  end.number(1);
  end.number(1);
  BOOST_TEST(problem_of(with_job + make_block(BlockKind::end, end.bytes(), 0, 0)) == "is damaged: rows are missing");
  packer.add({1, sent, {}, {}});
  const std::string complete = with_job + packer.take() + make_block(BlockKind::end, end.bytes(), 0, 0);
  BOOST_TEST(problem_of(complete) == "");
  BOOST_TEST(problem_of(complete + "x") == "is damaged: there is more behind its end");
}

BOOST_AUTO_TEST_CASE(random_bytes_behind_a_good_beginning_never_crash_the_reader) {
  std::mt19937 random(marshal::property_seed());
  const TemporaryDirectory directory;
  const std::string path = directory.path + "/random.traffic";
  const std::string with_job = contents(written_ring(directory.path + "/ring", 4, 2)).substr(0, 16) +
                               make_block(BlockKind::job, job_payload(job_of(4, 2)), 0, 0);
  for (int run = 0; run < 500; ++run) {
    std::string payload;
    for (auto left = random() % 60; left > 0; --left) payload.push_back(static_cast<char>(random() % 9));
    put(path, with_job + make_block(BlockKind::rows, payload, static_cast<std::uint32_t>(random() % 5), 0));
    BOOST_TEST(!problem_with(path).empty());
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_block_is_not_appended) {
  const TemporaryDirectory directory;
  TrafficWriter writer(directory.path + "/t", job_of(4, 2));
  BOOST_CHECK_THROW(writer.append("nonsense"), Malformed);
  BOOST_CHECK_THROW(writer.append(std::string(100, 'R')), Malformed);
}
