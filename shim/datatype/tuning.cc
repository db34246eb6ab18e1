#include "datatype/tuning.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>

#include "base/new_file.h"
#include "base/small_file.h"

namespace marshal::datatype {

namespace {

struct Line {
  std::string_view name;
  std::int64_t Tuning::*value;
  std::int64_t least, most;
};
constexpr Line lines[] = {
    {"segment_bytes", &Tuning::segment_bytes, 64, std::int64_t{1} << 30},
    {"stream_bytes", &Tuning::stream_bytes, 64 * 1024, Tuning::never},
    {"stages_fragments", &Tuning::stages_fragments, 0, 1},
};

}  // namespace

bool is_of_amd() {
#ifdef __x86_64__
  return __builtin_cpu_is("amd") != 0;
#else
  return false;
#endif
}

std::optional<Tuning> tuning_of(std::string_view text) {
  Tuning tuning;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    const std::string_view name = line.substr(0, line.find(' '));
    const Line* known = std::find_if(std::begin(lines), std::end(lines), [&](const Line& l) { return l.name == name; });
    if (known == std::end(lines) || name.size() == line.size()) return std::nullopt;
    std::int64_t& value = tuning.*known->value;
    const char* const end = line.data() + line.size();
    const auto [stop, error] = std::from_chars(line.data() + name.size() + 1, end, value);
    if (error != std::errc{} || stop != end || value < known->least || value > known->most) return std::nullopt;
  }
  return tuning;
}

std::string tuning_text(const Tuning& tuning, std::string_view machine) {
  std::string text = "# by marshal tune, on " + std::string(machine) + "\n";
  for (const Line& line : lines) text += std::string(line.name) + " " + std::to_string(tuning.*line.value) + "\n";
  return text;
}

std::string tuning_path() {
  const std::string caches = cache_folder();
  return caches.empty() ? caches : caches + "/marshal/tune";
}

Tuning load_tuning(std::string_view setting, std::string& problem) {
  if (setting == "off") return {};
  const bool automatic = setting == "auto";
  const std::string path = automatic ? tuning_path() : std::string(setting);
  std::string text;
  if (const std::string why = read_small_file(path, text); !why.empty()) {
    if (!automatic) problem = "MARSHAL_TUNE: cannot read " + path + " (" + why + "); going on without it";
    return {};
  }
  if (const auto tuning = tuning_of(text)) return *tuning;
  problem = path + " is no file of marshal tune; going on without it";
  return {};
}

}  // namespace marshal::datatype
