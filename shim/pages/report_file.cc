#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/printable_text.h"
#include "pages/pages.h"

namespace marshal::report {
namespace {

// A file name has 255 bytes in all; the rest of the pattern needs some.
std::string one_part(std::string text) {
  text = part_of_file_name(std::string_view(text).substr(0, 100));
  if (text == "." || text == "..") std::replace(text.begin(), text.end(), '.', '_');
  if (text.starts_with('-')) text.front() = '_';  // else the file would be taken for an option
  return text.empty() ? "unknown" : text;
}

// "2026-11-21T09:14:47+00:00" -> "20261121T091447"
std::string time_part(const std::string& iso) {
  std::string kept;
  for (const char c : iso.substr(0, 19))
    if (c != '-' && c != ':') kept.push_back(c);
  return kept.empty() ? "unknown" : kept;
}

// "2026-11-21T…" -> "2026", "11", "21"
std::string date_part(const std::string& iso, std::size_t begin, std::size_t length) {
  return begin + length <= iso.size() ? iso.substr(begin, length) : "unknown";
}

}  // namespace

std::string expand_pattern(std::string_view pattern, const Job& job) {
  for (const std::string_view ending : {".summary.json", ".json", ".html"})
    if (pattern.ends_with(ending)) pattern.remove_suffix(ending.size());
  const std::map<char, std::string> parts{{'p', one_part(job.program)},        {'j', one_part(job.job_id)},
                                          {'h', one_part(job.host)},           {'n', std::to_string(job.ranks)},
                                          {'u', one_part(job.user)},           {'t', time_part(job.started)},
                                          {'Y', date_part(job.started, 0, 4)}, {'m', date_part(job.started, 5, 2)},
                                          {'d', date_part(job.started, 8, 2)}, {'%', "%"}};
  std::string stem;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const auto part = pattern[i] == '%' && i + 1 < pattern.size() ? parts.find(pattern[i + 1]) : parts.end();
    if (part == parts.end()) {
      stem.push_back(pattern[i]);
    } else {
      stem += part->second;
      ++i;
    }
  }
  if (stem.empty() || stem.back() == '/') stem += "marshal";
  return stem;
}

std::string partial_stem(std::string_view stem, std::uint64_t rank) {
  return fmt::format("{}-partial-rank{}", stem, rank);
}

}  // namespace marshal::report
