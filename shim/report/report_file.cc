#include "report/report_file.h"

#include <fmt/format.h>

#include <algorithm>

namespace marshal::report {
namespace {

// A file name has 255 bytes in all; the rest of the pattern needs some.
std::string one_part(std::string text) {
  text.resize(std::min<std::size_t>(text.size(), 100));
  std::replace(text.begin(), text.end(), '/', '_');
  return text;
}

// "2026-11-21T09:14:47+00:00" -> "20261121T091447"
std::string time_part(const std::string& iso) {
  std::string kept;
  for (const char c : iso.substr(0, 19))
    if (c != '-' && c != ':') kept.push_back(c);
  return kept.empty() ? "unknown" : kept;
}

}  // namespace

std::string expand_pattern(std::string_view pattern, const Job& job) {
  for (const std::string_view ending : {".json", ".html"})
    if (pattern.ends_with(ending)) pattern.remove_suffix(ending.size());
  std::string stem;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%' || i + 1 == pattern.size()) {
      stem.push_back(pattern[i]);
      continue;
    }
    switch (const char letter = pattern[++i]) {
      case 'p':
        stem += one_part(job.program);
        break;
      case 'j':
        stem += one_part(job.job_id);
        break;
      case 'h':
        stem += one_part(job.host);
        break;
      case 'n':
        stem += std::to_string(job.ranks);
        break;
      case 't':
        stem += time_part(job.started);
        break;
      case '%':
        stem.push_back('%');
        break;
      default:
        stem.push_back('%'), stem.push_back(letter);
    }
  }
  if (stem.empty() || stem.back() == '/') stem += "marshal";
  return stem;
}

std::string partial_stem(std::string_view stem, std::uint64_t rank) {
  return fmt::format("{}-partial-rank{}", stem, rank);
}

}  // namespace marshal::report
