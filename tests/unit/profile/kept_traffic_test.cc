#include "profile/kept_traffic.h"

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "tests/unit/temporary_directory.h"
#include "traffic/traffic_file.h"

using namespace marshal;
using namespace marshal::profile;
namespace fs = std::filesystem;

namespace {

// Four ranks, of which each sends so many bytes to the next.
std::string traffic_file(const std::string& directory, std::uint64_t bytes_of_rank_0) {
  traffic::Job job;
  job.node_names = {"n0", "n1"};
  job.node_of_process = {0, 0, 1, 1};
  traffic::TrafficWriter writer(directory + "/made", job);
  traffic::RowPacker rows;
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    const traffic::Sent to{(rank + 1) % 4, 1, rank == 0 ? bytes_of_rank_0 : 1000};
    rows.add({rank, {&to, 1}, {}, {}});
  }
  writer.append(rows.take());
  return writer.finish().path;
}

ProgramKey key(const std::string& arguments, const std::string& directory) {
  return {{"app.x", "0123456789abcdef0123", arguments, "words"}, directory};
}

struct Profiles {
  void keep(const ProgramKey& of, std::uint64_t bytes) {
    const std::string file = traffic_file(elsewhere.path, bytes);
    BOOST_TEST_REQUIRE(keep_traffic(profiles.path, of, 4, file) == "");
    fs::remove(file);
  }
  FoundTraffic find(const ProgramKey& of, int processes = 4) { return find_traffic(profiles.path, of, processes); }
  static std::uint64_t bytes(const FoundTraffic& found) {
    return found.traffic.job.processes() == 0 ? 0 : found.traffic.of(0)[0].bytes;
  }
  TemporaryDirectory elsewhere, profiles;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(kept_traffic, Profiles)

BOOST_AUTO_TEST_CASE(the_same_run_finds_what_the_last_one_sent) {
  keep(key("a", "d"), 1000);
  keep(key("a", "d"), 5000);
  BOOST_TEST(bytes(find(key("a", "d"))) == 5000);
  BOOST_TEST(find(key("a", "d")).lent_by == "");
  BOOST_TEST(bytes(find(key("a", "d"), 8)) == 0);
  BOOST_TEST(bytes(find(key("a", "other"))) == 0);
  BOOST_TEST(kept_traffic_in(profiles.path).size() == 1);
}

BOOST_AUTO_TEST_CASE(two_that_sent_alike_lend) {
  keep(key("a", "d1"), 1000);
  BOOST_TEST(bytes(find(key("a", "new"))) == 0);
  keep(key("a", "d2"), 1010);
  BOOST_TEST(bytes(find(key("a", "new"))) != 0);
  BOOST_TEST(find(key("a", "new")).lent_by != "");
  keep(key("a", "d3"), 9000);
  BOOST_TEST(bytes(find(key("a", "new"))) == 0);
  BOOST_TEST(bytes(find(key("b", "new"))) == 0);
}

BOOST_AUTO_TEST_CASE(files_that_are_broken_or_foreign_are_refused) {
  keep(key("a", "d"), 1000);
  const std::string path = kept_traffic_path(profiles.path, key("a", "d"), 4);
  fs::resize_file(path, fs::file_size(path) - 3);
  BOOST_TEST(bytes(find(key("a", "d"))) == 0);
  BOOST_TEST_REQUIRE(find(key("a", "d")).problems.size() == 1);
  fs::rename(path, path + "x");
  fs::create_symlink(path + "x", path);
  BOOST_TEST(find(key("a", "d")).problems.at(0).find("symbolic link") != std::string::npos);
  fs::remove(path);
  keep(key("a", "d"), 1000);
  fs::rename(path, kept_traffic_path(profiles.path, key("a", "d"), 5));
  BOOST_TEST(find(key("a", "d"), 5).problems.at(0).find("another number of processes") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_oldest_files_go) {
  for (int i = 0; i < 70; ++i) keep(key("a" + std::to_string(i), "d"), 1000);
  BOOST_TEST(kept_traffic_in(profiles.path).size() == most_traffic_files);
}

BOOST_AUTO_TEST_SUITE_END()
