#include "tools/order/launcher_files.h"

#include <boost/test/unit_test.hpp>

using namespace marshal::tools;

namespace {

const std::vector<Host> hosts{{"a", 3}, {"b", 2}};
// Ranks 0, 3, 4 on a, the others on b.
const std::vector<std::int32_t> places{0, 3, 4, 1, 2};

std::string file_for(std::string_view word, const OrderedRanks& ranks) {
  for (const Launcher& launcher : launchers())
    if (launcher.word == word) return launcher.text(ranks);
  return {};
}
std::string file_for(std::string_view word, std::int32_t cores = 0) { return file_for(word, {hosts, places, cores}); }

}  // namespace

BOOST_AUTO_TEST_CASE(openmpi_gets_a_rankfile) {
  BOOST_TEST(file_for("openmpi") ==
             "rank 0=a slot=0\nrank 1=b slot=0\nrank 2=b slot=1\nrank 3=a slot=1\nrank 4=a slot=2\n");
}

BOOST_AUTO_TEST_CASE(the_cores_of_a_node_are_divided_among_its_processes) {
  BOOST_TEST(file_for("openmpi", 6) ==
             "rank 0=a slot=0-1\nrank 1=b slot=0-2\nrank 2=b slot=3-5\nrank 3=a slot=2-3\nrank 4=a slot=4-5\n");
  // Fewer cores than processes: some share one, none is without.
  BOOST_TEST(file_for("openmpi", 1) ==
             "rank 0=a slot=0\nrank 1=b slot=0\nrank 2=b slot=0\nrank 3=a slot=0\nrank 4=a slot=0\n");
}

BOOST_AUTO_TEST_CASE(hydra_gets_the_hosts_in_rank_order) {
  BOOST_TEST(file_for("mpich") == "a:1\nb:2\na:2\n");
  BOOST_TEST(file_for("intel") == file_for("mpich"));
}

BOOST_AUTO_TEST_CASE(slurm_gets_the_host_of_each_rank) { BOOST_TEST(file_for("slurm") == "a\nb\nb\na\na\n"); }

BOOST_AUTO_TEST_CASE(cray_gets_the_ranks_of_each_node) {
  BOOST_TEST(file_for("cray") == "# The ranks of each node, one node a line.\n0,3,4\n1,2\n");
}

BOOST_AUTO_TEST_CASE(flux_gets_a_taskmap) {
  BOOST_TEST(file_for("flux") == "[[0,1,1,1],[1,1,2,1],[0,1,2,1]]\n");
  // Equal runs on nodes in a row are one block; repeated blocks are counted.
  const std::vector<Host> equal{{"a", 4}, {"b", 4}};
  const std::vector<std::int32_t> dealt{0, 4, 1, 5, 2, 6, 3, 7};
  BOOST_TEST(file_for("flux", {equal, dealt}) == "[[0,2,1,4]]\n");
}

BOOST_AUTO_TEST_CASE(a_list_has_the_place_of_each_rank) { BOOST_TEST(file_for("list") == "0\n3\n4\n1\n2\n"); }

BOOST_AUTO_TEST_CASE(what_to_type_names_the_file) {
  for (const Launcher& launcher : launchers()) BOOST_TEST(launcher.use.find("{1}") != std::string_view::npos);
}
