#include "tools/launch/launcher_command.h"

#include <boost/test/unit_test.hpp>

#include "base/split_text.h"

using namespace marshal;
using namespace marshal::tools;

namespace {

LauncherCommand read(LauncherKind kind, std::string_view line) {
  std::vector<std::string> words;
  for (const std::string_view word : split(line, ' ')) words.emplace_back(word);
  return read_launcher_command(kind, std::move(words));
}
std::string program_of(const LauncherCommand& command) {
  BOOST_TEST_REQUIRE(command.why_unknown == "");
  BOOST_TEST_REQUIRE(!command.programs.empty());
  return command.words[command.programs.front().word];
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_program_is_found_behind_the_options_of_each_launcher) {
  using enum LauncherKind;
  BOOST_TEST(program_of(read(open_mpi, "mpirun -np 4 --mca btl tcp,self -x A=b --hostfile h app -n 3")) == "app");
  BOOST_TEST(program_of(read(prrte, "mpirun --np 4 --prtemca plm ssh --output=tag app")) == "app");
  BOOST_TEST(program_of(read(hydra, "mpiexec -genv A b -n=4 -hosts n0:2,n1:2 app -f x")) == "app");
  BOOST_TEST(program_of(read(srun, "srun -ln4 -N 2 --mpi=pmix --cpu-bind none -K app --mpi=x")) == "app");
  BOOST_TEST(program_of(read(open_mpi, "mpirun app")) == "app");
  BOOST_TEST(program_of(read(hydra, "mpiexec -genv A=B -env C d -n 4 app")) == "app");
  BOOST_TEST(program_of(read(srun, "srun -n 4 -- app -n 2")) == "app");
}

BOOST_AUTO_TEST_CASE(what_the_command_says_of_ranks_and_nodes) {
  const LauncherCommand open_mpi = read(LauncherKind::open_mpi, "mpirun -n 8 --host a:4,b:4 --bind-to core app");
  BOOST_TEST(open_mpi.ranks == "8");
  BOOST_TEST(open_mpi.hosts == "a:4,b:4");
  BOOST_TEST(open_mpi.binding == "core");
  BOOST_TEST(open_mpi.placement == "");
  BOOST_TEST_REQUIRE(open_mpi.node_words.size() == 1);
  BOOST_TEST(open_mpi.node_words[0].first == 3);
  BOOST_TEST(open_mpi.node_words[0].second == 5);
  const LauncherCommand hydra = read(LauncherKind::hydra, "mpiexec -f=h -ppn 2 -np 8 app");
  BOOST_TEST(hydra.hostfile == "h");
  BOOST_TEST(hydra.per_node == "2");
  BOOST_TEST(hydra.node_words.size() == 2);
  const LauncherCommand srun = read(LauncherKind::srun, "srun -n8 -N2 --mpi pmi2 app");
  BOOST_TEST(srun.ranks == "8");
  BOOST_TEST(srun.node_count == "2");
}

BOOST_AUTO_TEST_CASE(the_users_own_placement_is_seen) {
  BOOST_TEST(read(LauncherKind::open_mpi, "mpirun --map-by node -n 2 a").placement == "--map-by");
  BOOST_TEST(read(LauncherKind::open_mpi, "mpirun --mca rmaps_base_mapping_policy node a").placement == "--mca");
  BOOST_TEST(read(LauncherKind::open_mpi, "mpirun --mca btl tcp a").placement == "");
  BOOST_TEST(read(LauncherKind::hydra, "mpiexec -bind-to core a").placement == "-bind-to");
  BOOST_TEST(read(LauncherKind::srun, "srun -mcyclic a").placement == "-mcyclic");
  BOOST_TEST(read(LauncherKind::srun, "srun --distribution=cyclic a").placement == "--distribution=cyclic");
}

BOOST_AUTO_TEST_CASE(several_programs_are_found) {
  const LauncherCommand command = read(LauncherKind::open_mpi, "mpirun -n 1 a x : -wdir d b");
  BOOST_TEST(command.why_unknown == "");
  BOOST_TEST((command.programs == std::vector<LaunchedProgram>{{3, ""}, {8, "d"}}));
  BOOST_TEST(command.end_of_program == 5);
}

BOOST_AUTO_TEST_CASE(an_unknown_option_is_named) {
  BOOST_TEST(read(LauncherKind::open_mpi, "mpirun --no-such 1 a").why_unknown ==
             "option --no-such is not known to Marshal");
  BOOST_TEST(read(LauncherKind::srun, "srun -Y a").why_unknown == "option -Y is not known to Marshal");
  BOOST_TEST(read(LauncherKind::open_mpi, "mpirun -n").why_unknown == "option -n has no value");
  BOOST_TEST(read(LauncherKind::open_mpi, "mpirun -n 2").why_unknown == "no program stands in it");
  BOOST_TEST(read(LauncherKind::open_mpi, "mpirun --app f").why_unknown != "");
  BOOST_TEST(read(LauncherKind::open_mpi, "mpirun --output-proctable app input").why_unknown != "");
  BOOST_TEST(read(LauncherKind::srun, "srun --bcast=/tmp/app app").why_unknown != "");
}

BOOST_AUTO_TEST_CASE(launchers_are_known_by_what_they_say_of_their_version) {
  BOOST_TEST((kind_by_version("mpirun (Open MPI) 4.1.4\n") == LauncherKind::open_mpi));
  BOOST_TEST((kind_by_version("mpirun (Open MPI) 5.0.7\n") == LauncherKind::prrte));
  BOOST_TEST((kind_by_version("prterun (PRRTE) 3.0.8\n") == LauncherKind::prrte));
  BOOST_TEST((kind_by_version("HYDRA build details:\n    Version: 4.0.2\n") == LauncherKind::hydra));
  BOOST_TEST((kind_by_version("slurm-wlm 22.05.8\n") == LauncherKind::srun));
  BOOST_TEST((kind_by_version("Intel(R) MPI Library for Linux* OS\n") == std::nullopt));
}
