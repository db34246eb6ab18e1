#include "datatype/tuning.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace marshal::datatype {

std::optional<Tuning> tuning_of(std::string_view text) {
  constexpr std::string_view name = "segment_bytes ";
  Tuning tuning;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    if (!line.starts_with(name)) return std::nullopt;
    const char* const end = line.data() + line.size();
    const auto [stop, error] = std::from_chars(line.data() + name.size(), end, tuning.segment_bytes);
    if (error != std::errc{} || stop != end) return std::nullopt;
    if (tuning.segment_bytes < 64 || tuning.segment_bytes > std::int64_t{1} << 30) return std::nullopt;
  }
  return tuning;
}

std::string tuning_text(const Tuning& tuning, std::string_view machine) {
  return "# by marshal tune, on " + std::string(machine) + "\nsegment_bytes " + std::to_string(tuning.segment_bytes) +
         "\n";
}

std::string tuning_path() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0')
    return std::string(cache) + "/marshal/tune";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return std::string(home) + "/.cache/marshal/tune";
  return {};
}

Tuning load_tuning(std::string_view setting, std::string& problem) {
  if (setting == "off") return {};
  const bool automatic = setting == "auto";
  const std::string path = automatic ? tuning_path() : std::string(setting);
  std::ifstream file(path);
  if (!file) {
    if (!automatic) problem = "MARSHAL_TUNE: cannot read " + path + "; going on without";
    return {};
  }
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (const auto tuning = tuning_of(text)) return *tuning;
  problem = path + " is no file of marshal tune; going on without";
  return {};
}

}  // namespace marshal::datatype
