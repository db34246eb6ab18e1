#include "tools/launch/launch_order.h"

#include <boost/test/unit_test.hpp>

using namespace marshal::tools;

namespace {

// So many ranks on two nodes in turn.
LaunchOrder in_turn(std::int32_t ranks) {
  LaunchOrder order;
  std::vector<std::int32_t> nodes;
  for (std::int32_t rank = 0; rank < ranks; ++rank) nodes.push_back(rank % 2);
  order.places = places_for({{"n0", 0}, {"n1", 0}}, nodes);
  order.place_of_rank = order.places.given;
  return order;
}
std::string why_not(LauncherKind kind, std::int32_t ranks, const char* seconds) {
  marshal::traffic::Job measured;
  measured.facts["seconds"] = seconds;
  LauncherCommand command;
  command.kind = kind;
  return why_not_by_start(command, in_turn(ranks), measured);
}

}  // namespace

BOOST_AUTO_TEST_CASE(many_proxies_on_a_node_are_for_long_runs_only) {
  BOOST_TEST(why_not(LauncherKind::hydra, 16, "1") == "");
  BOOST_TEST(why_not(LauncherKind::hydra, 18, "1") ==
             "mpiexec of MPICH would start 9 proxies on a node, and waits 15 s for sshd meanwhile");
  BOOST_TEST(why_not(LauncherKind::hydra, 18, "1500") == "");
  BOOST_TEST(why_not(LauncherKind::hydra, 64, "1500").find("waits 45 s") != std::string::npos);
  BOOST_TEST(why_not(LauncherKind::open_mpi, 64, "1") == "");
}
