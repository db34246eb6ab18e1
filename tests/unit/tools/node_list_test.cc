#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <stdexcept>

#include "tools/launch/launch_order.h"

using namespace marshal::tools;

namespace {

struct Surroundings {
  Surroundings() { clear(); }
  ~Surroundings() { clear(); }
  static void clear() {
    for (const char* name :
         {"SLURM_JOB_NODELIST", "SLURM_NODELIST", "SLURM_TASKS_PER_NODE", "SLURM_JOB_CPUS_PER_NODE",
          "SLURM_CPUS_PER_TASK", "PBS_NODEFILE", "LSB_DJOB_HOSTFILE", "LSB_HOSTS", "PE_HOSTFILE", "HYDRA_HOST_FILE"})
      unsetenv(name);
  }
  static void set(const char* name, const char* value) { setenv(name, value, 1); }
};

using Hosts = std::vector<Host>;
std::vector<std::int32_t> counts(const NodeList& nodes) {
  std::vector<std::int32_t> list;
  for (const Host& host : nodes.hosts) list.push_back(host.places);
  return list;
}
using Counts = std::vector<std::int32_t>;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(node_list, Surroundings)

BOOST_AUTO_TEST_CASE(counts_of_slurm_are_expanded) {
  BOOST_TEST((expand_counts("4(x3),2") == Counts{4, 4, 4, 2}));
  BOOST_TEST((expand_counts("7") == Counts{7}));
  for (const char* wrong : {"", "4(x", "4(x0)", "x", "4,"})
    BOOST_CHECK_THROW(expand_counts(wrong), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(srun_deals_ranks_out_in_turn_and_numbers_them_by_node) {
  BOOST_TEST((ranks_by_slurm({4, 4, 4, 4}, 16) == Counts{4, 4, 4, 4}));
  BOOST_TEST((ranks_by_slurm({4, 4, 4, 4}, 6) == Counts{2, 2, 1, 1}));
  BOOST_TEST((ranks_by_slurm({2, 6}, 6) == Counts{2, 4}));
  BOOST_TEST((ranks_by_slurm({1, 1}, 5) == Counts{3, 2}));
}

BOOST_AUTO_TEST_CASE(options_come_before_the_batch_system) {
  set("SLURM_JOB_NODELIST", "n[0-1]");
  set("SLURM_TASKS_PER_NODE", "4(x2)");
  set("SLURM_JOB_CPUS_PER_NODE", "4(x2)");
  LauncherCommand command;
  BOOST_TEST((counts(nodes_of(command)) == Counts{4, 4}));
  command.hosts = "a,b:3,a";
  const NodeList nodes = nodes_of(command);
  BOOST_TEST((counts(nodes) == Counts{2, 3}));
  BOOST_TEST(nodes.hosts[0].name == "a");
  command = {};
  command.kind = LauncherKind::srun;
  command.ranks = "6";
  BOOST_TEST((counts(nodes_of(command)) == Counts{3, 3}));
  set("SLURM_CPUS_PER_TASK", "2");
  BOOST_TEST(nodes_of(command).why_not != "");
  command.cpus = "2";
  command.ranks = "4";
  BOOST_TEST((counts(nodes_of(command)) == Counts{2, 2}));
  command.node_count = "1";
  BOOST_TEST(nodes_of(command).why_not == "srun chooses some of the job's nodes");
}

BOOST_AUTO_TEST_CASE(nodes_that_nobody_names_are_not_known) {
  LauncherCommand command;
  BOOST_TEST(nodes_of(command).why_not != "");
  command.kind = LauncherKind::srun;
  BOOST_TEST(nodes_of(command).why_not == "srun makes the allocation itself");
  command.kind = LauncherKind::hydra;
  command.hostfile = "/no/such/file";
  BOOST_TEST(nodes_of(command).why_not.find("/no/such/file") == 0);
}

BOOST_AUTO_TEST_CASE(hydra_begins_again_where_ranks_do_not_fit) {
  LauncherCommand command;
  command.kind = LauncherKind::hydra;
  command.hosts = "a,b";
  BOOST_TEST(nodes_of(command).cycles);
  BOOST_TEST((counts(nodes_of(command)) == Counts{1, 1}));
  command.hosts = "a,b,a";
  BOOST_TEST(nodes_of(command).why_not == "their list has an order of its own");
  command.hosts = "a,b";
  command.per_node = "3";
  BOOST_TEST((counts(nodes_of(command)) == Counts{3, 3}));
}

BOOST_AUTO_TEST_CASE(lsf_and_others_name_their_nodes) {
  set("LSB_HOSTS", "a a b");
  BOOST_TEST((counts(nodes_of({})) == Counts{2, 1}));
}

BOOST_AUTO_TEST_SUITE_END()
