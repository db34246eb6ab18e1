#include "base/script_name.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace marshal {
namespace {

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
      return {path, path.substr(path.find_last_of('/') + 1)};
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

}  // namespace marshal
