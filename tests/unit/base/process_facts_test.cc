#include "base/process_facts.h"

#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <map>

using namespace marshal;

namespace {

std::map<std::string, std::string> variables;
const char* get(const char* name) {
  const auto found = variables.find(name);
  return found == variables.end() ? nullptr : found->second.c_str();
}
JobFacts job_with(std::map<std::string, std::string> given) {
  variables = std::move(given);
  return job_facts(get, 77);
}

}  // namespace

BOOST_AUTO_TEST_CASE(this_program_knows_its_own_name) {
  const ProgramFacts facts = program_facts();
  BOOST_TEST(facts.name == "process_facts_test");
  BOOST_TEST(!facts.arguments.empty());
  BOOST_TEST(!host_name().empty());
}

BOOST_AUTO_TEST_CASE(a_script_is_named_and_not_its_interpreter) {
  BOOST_TEST(program_facts("/usr/bin/python3.11", {"python3", "-u", "dir/solve.py", "-n"}).name == "solve.py");
  BOOST_TEST(program_facts("/usr/bin/python3.11", {"python3", "-c", "import x"}).name == "python3.11");
  BOOST_TEST(program_facts("/usr/bin/python3.11", {"python3", "-u", "dir/solve.py", "-n"}).path == "dir/solve.py");
  BOOST_TEST(program_facts("/usr/bin/dash", {"sh", "run.sh"}).name == "run.sh");
  BOOST_TEST(program_facts("/opt/shallow", {"shallow", "in.dat"}).name == "shallow");
  BOOST_TEST(program_facts("", {}).name == "unknown");
}

BOOST_AUTO_TEST_CASE(the_batch_system_names_the_job_before_the_launcher_does) {
  BOOST_TEST(job_with({{"SLURM_JOB_ID", "4711"}, {"PMIX_NAMESPACE", "x"}}).id == "4711");
  BOOST_TEST(job_with({{"PBS_JOBID", "123.server.example"}}).id == "123");
  BOOST_TEST(job_with({{"LSB_JOBID", "9"}}).scheduler == "LSF");
  BOOST_TEST(job_with({{"LSB_JOBID", "9"}, {"LSB_JOBINDEX", "0"}}).id == "9");
  BOOST_TEST(job_with({{"LSB_JOBID", "9"}, {"LSB_JOBINDEX", "4"}}).id == "9_4");
  BOOST_TEST(job_with({{"FLUX_JOB_ID",
                        "\xc6\x92"
                        "2oE"}})
                 .id == "2oE");
  BOOST_TEST(job_with({{"OMPI_MCA_ess_base_jobid", "1594097665"}, {"PMIX_NAMESPACE", "1594097665"}}).scheduler ==
             "Open MPI");
  BOOST_TEST(job_with({{"PMIX_NAMESPACE", "prterun-host-12@1"}}).id == "prterun-host-12_1");
  BOOST_TEST(job_with({{"PMIX_NAMESPACE", "prterun-host-12@1"}}).scheduler == "PRRTE");
  BOOST_TEST(job_with({{"PMIX_NAMESPACE", "psrv_12_1"}}).scheduler == "PMIx");
}

BOOST_AUTO_TEST_CASE(each_step_of_a_job_of_slurm_has_a_name) {
  std::map<std::string, std::string> task{{"SLURM_JOB_ID", "4711"}, {"SLURM_STEP_ID", "2"}};
  BOOST_TEST(job_with(task).id == "4711.2");
  BOOST_TEST(job_with(task).scheduler == "SLURM");
  task["PMIX_NAMESPACE"] = "slurm.pmix.4711.2";
  BOOST_TEST(job_with(task).id == "4711.2");
  // Open MPI's daemon is the step's task, or hydra's.
  task["PMIX_NAMESPACE"] = "732758017";
  BOOST_TEST(job_with(task).id == "4711");
  task["PMIX_NAMESPACE"] = "slurm.pmix.4711.2";
  task["MPI_LOCALNRANKS"] = "4";
  BOOST_TEST(job_with(task).id == "4711");
  // No step: a shell of salloc.
  BOOST_TEST(job_with({{"SLURM_JOB_ID", "4711"}, {"SLURM_STEP_ID", "4294967290"}}).id == "4711");
  BOOST_TEST(job_with({{"SLURM_JOB_ID", "4711"}, {"SLURM_STEP_ID", ""}}).id == "4711");
  BOOST_TEST(job_with({{"PBS_JOBID", "123.server"}, {"SLURM_STEP_ID", "2"}}).id == "123");
}

BOOST_AUTO_TEST_CASE(no_launcher_at_all_gives_the_process_id) {
  BOOST_TEST(job_with({}).id == "77");
  BOOST_TEST(job_with({{"SLURM_JOB_ID", ""}}).id == "77");
  BOOST_TEST(job_with({}).scheduler == "");
  BOOST_TEST(job_with({{"MPI_LOCALNRANKS", "7"}}).id == "77");
  BOOST_TEST(job_with({{"MPI_LOCALNRANKS", "7"}}).scheduler == "hydra");
}

BOOST_AUTO_TEST_CASE(a_job_name_is_fit_for_a_file_name) {
  BOOST_TEST(job_with({{"LSB_JOBID", "../a b"}}).id == ".._a_b");
}
