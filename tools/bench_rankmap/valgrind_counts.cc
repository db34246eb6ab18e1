#include "tools/bench_rankmap/valgrind_counts.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tools/mpi_program.h"
#include "tools/scratch_directory.h"

namespace marshal::tools {
namespace {

// Names may be abbreviated: "(12) name" once, "(12)" later.
std::string function_name(const std::string& text, std::map<std::string, std::string>& known) {
  if (text.empty() || text[0] != '(') return text;
  const auto close = text.find(')');
  const std::string id = text.substr(0, close + 1);
  if (close + 2 < text.size()) known[id] = text.substr(close + 2);
  return known[id];
}

EventCounts read_callgrind(const std::string& path) {
  EventCounts counts;
  std::map<std::string, std::string> names;
  std::string function;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("events: ")) {
      std::istringstream words(line.substr(8));
      for (std::string word; words >> word;) counts.events.push_back(word);
    } else if (line.starts_with("fn=")) {
      function = function_name(line.substr(3), names);
    } else if (line.starts_with("cfn=")) {
      function_name(line.substr(4), names);
    } else if (!line.empty() && !function.empty() &&
               (isdigit(line[0]) || line[0] == '+' || line[0] == '-' || line[0] == '*')) {
      // A position, then costs: of the function's own lines, and after "calls=" those of what it called.
      std::istringstream words(line);
      std::string position;
      words >> position;
      auto& sums = counts.functions[function];
      sums.resize(counts.events.size());
      std::size_t event = 0;
      for (double cost; event < sums.size() && words >> cost; ++event) sums[event] += cost;
    }
  }
  return counts;
}

}  // namespace

std::optional<EventCounts> count_events(const std::vector<std::string>& arguments, bool cache) {
  const ScratchDirectory scratch;
  const std::string out = scratch.file("callgrind.out");
  std::vector<std::string> words{"valgrind", "--tool=callgrind", "--callgrind-out-file=" + out,
                                 fmt::format("--cache-sim={}", cache ? "yes" : "no"),
                                 std::filesystem::read_symlink("/proc/self/exe").string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  if (run_to_end(words, Streams::captured_quietly).status != 0) return std::nullopt;
  return read_callgrind(out);
}

}  // namespace marshal::tools
