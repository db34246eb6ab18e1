#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/process_facts.h"
#include "counters/papi.h"
#include "tools/figures/figures.h"
#include "tools/mpi_program.h"
#include "tools/timing.h"

namespace marshal::tools {
namespace {

// Events that valgrind counts in functions of this very program, run again under it.
struct EventCounts {
  std::vector<std::string> events;  // Ir, and with cache simulation Dr, D1mr, DLmr, …
  // Events of one function and all that it calls, in that order.
  std::map<std::string, std::vector<double>> functions;
};

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

// Runs `valgrind --tool=callgrind` on this program with the given arguments; `cache` also simulates the caches of this
// processor. Empty where there is no valgrind, or it failed.
std::optional<EventCounts> count_events(const std::vector<std::string>& arguments, bool cache) {
  const ScratchDirectory scratch;
  const std::string out = scratch.file("callgrind.out");
  std::vector<std::string> words{"valgrind", "--tool=callgrind", "--callgrind-out-file=" + out,
                                 fmt::format("--cache-sim={}", cache ? "yes" : "no"), executable_path()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  if (run_to_end(words, Streams::captured_quietly).status != 0) return std::nullopt;
  return read_callgrind(out);
}

// Two hardware counters through PAPI, loaded when asked for: misses of the first and second level of cache.
class PapiCounters {
 public:
  PapiCounters();

  // Whether this machine counts them; if not, why.
  bool available() const { return reason_.empty(); }
  const std::string& reason() const { return reason_; }
  // L1D and L2 misses while `work` runs.
  std::optional<std::array<double, 2>> count(const std::function<void()>& work) const;

 private:
  std::string reason_;
  std::optional<counters::Papi> papi_;
  int event_set_ = -1;
};

PapiCounters::PapiCounters() : papi_(counters::load_papi(counters::papi_file_names(), reason_)) {
  if (!papi_) return;
  int status = papi_->create_eventset(&event_set_), code = 0;
  for (const char* event : {"PAPI_L1_DCM", "PAPI_L2_DCM"}) {
    if (status == 0) status = papi_->name_to_code(event, &code);
    if (status == 0) status = papi_->add_event(event_set_, code);
  }
  if (status != 0) reason_ = std::string("PAPI: ") + papi_->strerror(status);
}

std::optional<std::array<double, 2>> PapiCounters::count(const std::function<void()>& work) const {
  std::array<long long, 2> values{};
  if (!available() || papi_->start(event_set_) != 0) return std::nullopt;
  work();
  if (papi_->stop(event_set_, values.data()) != 0) return std::nullopt;
  return std::array<double, 2>{static_cast<double>(values[0]), static_cast<double>(values[1])};
}

constexpr int model_count = static_cast<int>(model_names.size());

void call(const NamedProbe& probe, const ProbeInputs& inputs, int calls) {
  const void* const input = inputs.of(probe);
  for (int done = 0; done < calls;) {
    for (std::int32_t r = 0; r < inputs.size() && done < calls; ++r, ++done) keep(probe.probe(input, r));
  }
}

// Events per call of every probe in one model, by the function's name.
std::optional<EventCounts> probe_events(int model, int processes, int calls, bool cache) {
  auto counts = count_events(
      {"bench", "rankmap", "--probe", std::to_string(model), std::to_string(processes), std::to_string(calls)}, cache);
  if (!counts) return counts;
  for (auto& [function, events] : counts->functions) {
    for (double& event : events) event /= calls;
  }
  return counts;
}

}  // namespace

void run_probes(int model, int processes, int calls) {
  const ProbeInputs inputs(processes);
  for (const NamedProbe& probe : probes()) {
    if (probe.model == model) call(probe, inputs, calls);
  }
}

FigureTable instruction_counts() {
  FigureTable table;
  table.name = "instructions";
  table.title = "Instructions of one translation, counted by callgrind";
  table.source = "AV-Rankmap Table III, preprint Table III: VC-VCRT 7 in every model";
  table.columns = {"variant", "direct", "offset", "stride", "lut", "mlut"};
  const auto published = [&](const char* variant, std::array<std::int64_t, 5> counts) {
    std::vector<Cell> row{variant};
    row.insert(row.end(), counts.begin(), counts.end());
    table.rows.push_back(std::move(row));
  };
  published("published, VC-VCRT", {7, 7, 7, 7, 7});
  published("published, switch", {9, 11, 13, 11, 15});
  published("published, hybrid", {8, 12, 16, 18, 21});
  published("published, goto", {22, 24, 26, 24, 28});
  std::map<std::string, std::vector<Cell>> rows;
  std::vector<std::string> order;
  for (int model = 0; model < model_count; ++model) {
    const auto counts = probe_events(model, 16, 10000, false);
    if (!counts) {
      table.notes.push_back("valgrind is missing or failed: nothing counted here");
      return table;
    }
    for (const NamedProbe& probe : probes()) {
      if (probe.model != model) continue;
      auto& row = rows[probe.variant];
      if (row.empty()) row.emplace_back(std::string("counted, ") + probe.variant), order.emplace_back(probe.variant);
      const auto found = counts->functions.find(probe.name);
      // Without the return: the published sequences are inlined.
      row.push_back(found == counts->functions.end() ? Cell("-") : Cell(found->second[0] - 1, 0));
    }
  }
  for (const std::string& variant : order) table.rows.push_back(std::move(rows[variant]));
  table.notes = {
      "Counted in functions of their own, without their return. The published switch was inlined into MPI_Put by GCC "
      "4.7 with the "
      "communicator's fields at hand; our compiler loads and extends a little differently, so single counts may differ "
      "by one to three.",
      "Published goto counts contain 15 instructions of a call that ours do not have: subtract them to compare.",
      "\"Marshal, formula\" ends at the lpid; \"map\" goes on to the address, and with a table makes one indirect "
      "call."};
  return table;
}

FigureTable cache_misses() {
  FigureTable table;
  table.name = "cache-misses";
  table.source =
      "AV-Rankmap Table IV, 8 processes on Blues: L1D VC-VCRT 120491, direct 103, offset 168, stride 141, lut 98, mlut "
      "192 of 8 million";
  table.columns = {"variant", "processes", "direct", "offset", "stride", "lut", "mlut"};
  const PapiCounters papi;
  table.title = papi.available() ? "Misses a thousand translations, L1D / L2, counted by the processor (PAPI)"
                                 : "Misses a thousand translations, first / last level, simulated by callgrind";
  for (const int processes : {16, 1 << 13, 1 << 17}) {
    const int calls = std::max(1 << 15, processes);
    std::map<std::string, std::vector<Cell>> rows;
    std::vector<std::string> order;
    for (int model = 0; model < model_count; ++model) {
      std::optional<EventCounts> simulated;
      if (!papi.available()) {
        simulated = probe_events(model, processes, calls, true);
        if (!simulated) {
          table.notes.push_back("no counters, and valgrind is missing or failed: nothing measured here");
          return table;
        }
      }
      const ProbeInputs inputs(papi.available() ? processes : 2);
      for (const NamedProbe& probe : probes()) {
        if (probe.model != model || std::string_view(probe.variant) == "Marshal, formula") continue;
        double first = 0;
        double last = 0;
        if (papi.available()) {
          call(probe, inputs, calls);
          const auto misses = papi.count([&] { call(probe, inputs, calls); });
          if (misses) first = 1e3 * (*misses)[0] / calls, last = 1e3 * (*misses)[1] / calls;
        } else if (const auto found = simulated->functions.find(probe.name); found != simulated->functions.end()) {
          for (std::size_t e = 0; e < simulated->events.size(); ++e) {
            if (simulated->events[e] == "D1mr") first = 1e3 * found->second[e];
            if (simulated->events[e] == "DLmr") last = 1e3 * found->second[e];
          }
        }
        auto& row = rows[probe.variant];
        if (row.empty()) {
          row.emplace_back(probe.variant);
          row.emplace_back(count_text(processes));
          order.emplace_back(probe.variant);
        }
        row.emplace_back(fmt::format("{:.0f} / {:.0f}", first, last));
      }
    }
    for (const std::string& variant : order) table.rows.push_back(std::move(rows[variant]));
  }
  if (!papi.available()) {
    table.notes.push_back(
        fmt::format("no hardware counters here ({}): the caches are simulated, sizes as this processor reports them",
                    papi.reason()));
  }
  table.notes.push_back(
      "Round robin over all ranks; a virtual connection of 480 B is touched on one line only, where MPICH touched up "
      "to eight, so the published ratio is larger.");
  return table;
}

}  // namespace marshal::tools
