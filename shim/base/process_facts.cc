#include "base/process_facts.h"

#include <sys/auxv.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "base/small_file.h"

namespace marshal {

namespace {

std::string last_part(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

// A command that runs a script, and its options that ask for more than themselves. Blanks are between them.
struct Runner {
  std::string_view name;
  std::string_view values;          // what follows is the option's value
  std::string_view modules;         // what follows is a module to run
  std::string_view codes;           // what follows is code
  bool are_letters_joined = false;  // "-uW ignore" is "-u -W ignore", and "-Wignore" is "-W ignore"
  std::string_view first_word{};    // of its arguments, if it is none of the script
};

constexpr std::string_view values_of_python = "-W -X -Q --check-hash-based-pycs";
constexpr std::string_view values_of_shells = "-o -O --rcfile --init-file";
constexpr std::array<Runner, 10> interpreters{
    {{"python", values_of_python, "-m", "-c", true},
     {"pypy", values_of_python, "-m", "-c", true},
     {"perl", "-I", "", "-e -E"},
     {"ruby", "-I -r -C -E", "", "-e"},
     {"julia", "-C -H -J -L -O -p -t --home --load --procs --sysimage --threads", "", "-e -E"},
     {"bash", values_of_shells, "", "-c -s", true},
     {"dash", values_of_shells, "", "-c -s", true},
     {"sh", values_of_shells, "", "-c -s", true},
     {"Rscript", "", "", "-e"},
     {"R", "-g -d", "", "-e"}}};

// Modules of python that run a program.
constexpr std::string_view values_of_mpi4py = "-rc --rc -p -profile --profile",
                           values_of_profile = "-o --outfile -s --sort";
constexpr std::array<Runner, 9> runners{
    {{"mpi4py", values_of_mpi4py, "-m", "-c"},
     {"mpi4py.run", values_of_mpi4py, "-m", "-c"},
     {"mpi4py.futures", "", "-m", "-c"},
     {"cProfile", values_of_profile, "-m", ""},
     {"profile", values_of_profile, "-m", ""},
     {"pdb", "-c --command", "-m", ""},
     {"trace", "-f --file -C --coverdir --ignore-module --ignore-dir", "--module", ""},
     {"coverage", "--context --concurrency --data-file --include --omit --rcfile --source", "-m --module", "", false,
      "run"},
     {"kernprof", "-o --outfile -s --setup -p --prof-mod -i --output-interval", "-m", ""}}};

const Runner* find_interpreter(std::string_view name) {
  const auto* const found = std::ranges::find_if(interpreters, [&](const Runner& one) {
    // A version may follow: python3.11, perl5.36.
    return name.starts_with(one.name) &&
           name.find_first_not_of("0123456789.", one.name.size()) == std::string_view::npos;
  });
  return found == interpreters.end() ? nullptr : found;
}

bool has_word(std::string_view words, std::string_view word) {
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    if (words.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

// An argument that begins with "-": the option in it that asks for more, and what follows that in the argument itself.
struct GivenOption {
  std::string name;
  std::string_view joined{};
};
GivenOption option_in(const Runner& runner, std::string_view argument) {
  const bool is_long = argument.starts_with("--");
  for (std::size_t i = 1; runner.are_letters_joined && !is_long && i < argument.size(); ++i) {
    const std::string letter{'-', argument[i]};
    for (const std::string_view words : {runner.values, runner.modules, runner.codes})
      if (has_word(words, letter)) return {letter, argument.substr(i + 1)};
  }
  return {std::string(argument)};
}

}  // namespace

Script script_of(std::string_view interpreter, const std::vector<std::string>& arguments) {
  const Runner* runner = find_interpreter(interpreter);
  std::string module;
  bool is_first = true;
  for (std::size_t i = 1; runner != nullptr && i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument.empty()) continue;
    if (argument == "-") return {};
    if (std::exchange(is_first, false) && argument == runner->first_word) continue;
    const bool ends_options = argument == "--";
    if (ends_options || argument[0] != '-') {
      if (ends_options && ++i == arguments.size()) break;
      const std::string& path = arguments[i];
      return {path, last_part(path)};
    }
    const GivenOption option = option_in(*runner, argument);
    if (has_word(runner->codes, option.name)) return {};
    if (has_word(runner->modules, option.name)) {
      module = option.joined.empty() && i + 1 < arguments.size() ? arguments[++i] : std::string(option.joined);
      const auto* const next = std::ranges::find(runners, std::string_view(module), &Runner::name);
      if (next == runners.end()) break;
      runner = next;
      is_first = true;
    } else if (has_word(runner->values, option.name) && option.joined.empty()) {
      ++i;
    }
  }
  return {{}, module};
}

namespace {

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

namespace {

struct Account {
  std::string_view name;
  std::uint64_t user = 0;
};

// "name:x:1000:…"; nothing if it is no such line.
std::optional<Account> account_of(std::string_view line) {
  const std::size_t name = line.find(':');
  if (name == 0 || name == std::string_view::npos) return std::nullopt;
  const std::size_t password = line.find(':', name + 1);
  if (password == std::string_view::npos) return std::nullopt;
  Account account{line.substr(0, name), 0};
  const char* const end = line.data() + line.size();
  const auto read = std::from_chars(line.data() + password + 1, end, account.user);
  if (read.ec != std::errc() || read.ptr == end || *read.ptr != ':') return std::nullopt;
  return account;
}

// The first account for which `wanted` is true.
template <class Wanted>
std::optional<Account> find_account(std::string_view accounts, Wanted wanted) {
  while (!accounts.empty()) {
    const std::string_view line = accounts.substr(0, accounts.find('\n'));
    const std::optional<Account> account = account_of(line);
    if (account && wanted(*account)) return account;
    accounts.remove_prefix(std::min(accounts.size(), line.size() + 1));
  }
  return std::nullopt;
}

}  // namespace

std::string user_name(std::uint64_t user, std::string_view accounts, const char* (*get)(const char*)) {
  const auto own = find_account(accounts, [&](const Account& account) { return account.user == user; });
  if (own) return std::string(own->name);
  for (const char* variable : {"USER", "LOGNAME"}) {
    const char* const name = get(variable);
    if (name == nullptr || *name == '\0') continue;
    // Its account, if it has one here, is another user's.
    if (!find_account(accounts, [&](const Account& account) { return account.name == name; })) return name;
  }
  return std::to_string(user);
}

std::string user_name() {
  std::string accounts;
  read_small_file("/etc/passwd", accounts);
  return user_name(geteuid(), accounts, [](const char* name) -> const char* { return std::getenv(name); });
}

}  // namespace marshal
