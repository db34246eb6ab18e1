#include "tools/option_values.h"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

#include "base/options.h"
#include "base/split_text.h"

namespace marshal::tools {

std::vector<int> integers(std::string_view text, char separator, int least, std::string_view option, int most) {
  std::vector<int> numbers;
  for (const std::string_view part : split(text, separator)) {
    int number = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    const bool is_number = error != std::errc::invalid_argument && end == part.data() + part.size();
    if (!is_number) throw std::invalid_argument(fmt::format("{}: '{}' is no number", option, part));
    if (error == std::errc::result_out_of_range || number < least || number > most)
      throw std::invalid_argument(fmt::format("{}: {} is not from {} to {}", option, part, least, most));
    numbers.push_back(number);
  }
  return numbers;
}

mapping::Grid grid_of(std::string_view dims, std::string_view periodic) {
  const std::vector<int> lengths = integers(dims, 'x', 0, "--dims");
  std::vector<int> periods(lengths.size(), 0);
  if (!periodic.empty()) {
    periods = integers(periodic, ',', 0, "--periodic", 1);
    if (periods.size() == 1) periods.assign(lengths.size(), periods[0]);
    if (periods.size() != lengths.size())
      throw std::invalid_argument(
          fmt::format("--periodic: {} numbers for {} dimensions", periods.size(), lengths.size()));
  }
  return mapping::make_grid(lengths, periods);
}

std::int64_t effort_of(const std::string& text) {
  constexpr OptionRow exchanges{{}, "", OptionKind::integer, "", "", "", "", 0, 1e12};
  OptionValue value;
  if (const std::string why = parse_option(exchanges, text, value); !why.empty())
    throw std::invalid_argument(fmt::format("--effort {}: {}", text, why));
  return value.integer;
}

mapping::Machine Rates::machine() const {
  mapping::Machine machine;
  machine.node_rate = node * 1e9;
  machine.process_rate = process * 1e9;
  return machine;
}

void add_rates(CommandLine& line, Rates& rates) {
  line.option("--node-rate", &rates.node, "for the prediction: GB/s that leave a node",
              {.positive = true, .shows_default = true});
  line.option("--process-rate", &rates.process, "for the prediction: GB/s of one process, within its node or to others",
              {.positive = true, .shows_default = true});
}

}  // namespace marshal::tools
