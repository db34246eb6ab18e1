#include "base/process_facts.h"

#include <sys/auxv.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string_view>

#include "base/script_name.h"

namespace marshal {
namespace {

std::string last_part(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

std::string file_name_part(std::string_view text) {
  std::string kept;
  for (const char c : text) {
    const bool plain =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' || c == '-';
    if (plain) kept.push_back(c);
    if (!plain && static_cast<unsigned char>(c) < 0x80)
      kept.push_back('_');  // FLUX ids begin with a letter beyond ASCII
  }
  return kept;
}

// The number of the job step whose task this process is, if srun started it. Empty for ranks of another launcher: its
// daemons may be the tasks of a step, on some nodes only.
std::string slurm_step(const char* (*get)(const char*)) {
  const char* step = get("SLURM_STEP_ID");
  const char* name_space = get("PMIX_NAMESPACE");
  const bool by_hydra = get("MPI_LOCALNRANKS") != nullptr;
  const bool by_srun = name_space == nullptr || std::string_view(name_space).starts_with("slurm.");
  if (step == nullptr || by_hydra || !by_srun) return "";
  constexpr std::size_t most_digits = 9;  // batch scripts and interactive shells have numbers from 4294967280
  const std::string number = file_name_part(step);
  return number.size() <= most_digits ? number : "";
}

const char* environment_get(const char* name) { return std::getenv(name); }

}  // namespace

ProgramFacts program_facts(const std::string& executable, std::vector<std::string> arguments) {
  ProgramFacts facts;
  facts.path = executable;
  facts.name = last_part(executable);
  if (const Script script = script_of(facts.name, arguments); !script.name.empty()) {
    if (!script.path.empty()) facts.path = script.path;
    facts.name = script.name;
  }
  if (facts.name.empty()) facts.name = "unknown";
  facts.arguments = std::move(arguments);
  return facts;
}

std::string executable_path() {
  std::array<char, PATH_MAX> path;
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  if (length > 0) return {path.data(), static_cast<std::size_t>(length)};
  // As it was started. A relative path may mean another file by now.
  const auto* const started = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  const bool is_found = started != nullptr && started[0] == '/' && realpath(started, path.data()) != nullptr;
  return is_found ? path.data() : "";
}

ProgramFacts program_facts() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string line{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::vector<std::string> arguments;
  for (std::size_t start = 0; start < line.size();) {
    const std::size_t end = std::min(line.find('\0', start), line.size());
    arguments.push_back(line.substr(start, end - start));
    start = end + 1;
  }
  return program_facts(executable_path(), std::move(arguments));
}

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0' ? name.data() : "unknown";
}

std::uint64_t machine_number() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  const std::string machine = boot + ' ' + host_name();
  return XXH3_64bits(machine.data(), machine.size());
}

JobFacts job_facts(const char* (*get)(const char*), long process_id) {
  struct Known {
    const char* variable;
    const char* scheduler;
  };
  // Batch systems first: they run a launcher, whose own job name says less.
  constexpr Known known[] = {{"SLURM_JOB_ID", "SLURM"}, {"SLURM_JOBID", "SLURM"},
                             {"PBS_JOBID", "PBS"},      {"LSB_JOBID", "LSF"},
                             {"FLUX_JOB_ID", "FLUX"},   {"OMPI_MCA_ess_base_jobid", "Open MPI"},
                             {"PMIX_NAMESPACE", "PMIx"}};
  for (const Known& candidate : known) {
    const char* value = get(candidate.variable);
    if (value == nullptr) continue;
    std::string_view text(value);
    if (std::string_view(candidate.scheduler) == "PBS") text = text.substr(0, text.find('.'));  // 123.server -> 123
    std::string id = file_name_part(text);
    if (id.empty()) continue;
    // All jobs of an LSF array have the same number.
    const char* index = std::string_view(candidate.scheduler) == "LSF" ? get("LSB_JOBINDEX") : nullptr;
    if (index != nullptr && std::string_view(index) != "0") id += "_" + file_name_part(index);
    const std::string step = std::string_view(candidate.scheduler) == "SLURM" ? slurm_step(get) : "";
    if (!step.empty()) id += "." + step;
    // The launcher of Open MPI from 5 on.
    const bool prrte = text.starts_with("prterun-") || text.starts_with("prte-");
    return {std::move(id), prrte ? "PRRTE" : candidate.scheduler};
  }
  // MPICH's launcher names no job.
  return {std::to_string(process_id), get("MPI_LOCALNRANKS") == nullptr ? "" : "hydra"};
}

JobFacts job_facts() { return job_facts(environment_get, static_cast<long>(getpid())); }

std::string iso_now() {
  const std::time_t now = std::time(nullptr);
  struct tm local {};
  localtime_r(&now, &local);
  char text[40];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S%z", &local);
  std::string iso(text, length);
  if (iso.size() > 2) iso.insert(iso.size() - 2, ":");
  return iso;
}

}  // namespace marshal
