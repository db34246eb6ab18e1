#include "tools/jobs/job_table.h"

#include <algorithm>
#include <set>

namespace marshal::tools {
namespace {

constexpr std::uint32_t other_findings = 0;  // the number of those that have none of their own

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "2026-11-21T09:14:47+00:00" -> "2026-11"
std::string month_of(const std::string& started) { return started.substr(0, 7); }

std::string text_of(JobKey key, const report::Summary& summary) {
  std::string text;
  switch (key) {
    case JobKey::program:
      text = summary.program;
      break;
    case JobKey::user:
      text = summary.user;
      break;
    case JobKey::host:
      text = summary.host;
      break;
    case JobKey::month:
      text = month_of(summary.started);
      break;
  }
  return text.empty() ? "unknown" : text;
}

template <class Sum>
void add_to(std::optional<double>& sum, const std::optional<Sum>& more) {
  if (more) sum = sum.value_or(0) + static_cast<double>(*more);
}

// The blank and the unit behind a number, if there is one.
std::size_t unit_length(std::string_view text) {
  constexpr std::array<std::string_view, 23> units{"B",  "KiB", "MiB", "GiB", "TiB", "PiB",  "EiB", "ns",
                                                   "us", "ms",  "s",   "min", "h",   "d",    "%",   "K",
                                                   "M",  "G",   "T",   "P",   "E",   "MB/s", "GB/s"};
  if (!text.starts_with(' ')) return 0;
  const std::string_view word = text.substr(1, text.find_first_of(" ,.;:)", 1) - 1);
  return std::find(units.begin(), units.end(), word) == units.end() ? 0 : 1 + word.size();
}

// Where the number that begins there ends, with its unit; "2 h 03 min" is one number.
std::size_t end_of_figure(std::string_view text, std::size_t begin) {
  std::size_t end = std::min(text.size(), text.find_first_of(" ,;:)", begin));
  while (end > begin && text[end - 1] == '.') --end;
  const std::string_view unit = text.substr(end, unit_length(text.substr(end)));
  end += unit.size();
  const bool goes_on =
      (unit == " h" || unit == " min") && end + 1 < text.size() && text[end] == ' ' && is_digit(text[end + 1]);
  return goes_on ? end_of_figure(text, end + 1) : end;
}

}  // namespace

std::string without_figures(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const bool begins_word = i == 0 || text[i - 1] == ' ' || text[i - 1] == '(';
    if (begins_word && is_digit(text[i])) {
      out += 'N';
      i = end_of_figure(text, i);
    } else {
      out += text[i++];
    }
  }
  return out;
}

void JobTotals::add(const report::Summary& summary, bool begins_run) {
  const double seconds = static_cast<double>(summary.wall_ns.sum) / 1e9;
  process_seconds += seconds;
  mpi.add(summary.mpi_share, seconds);
  own_cpu.add(summary.own_cpu_share, seconds);
  add_to(saved_seconds, summary.saved_seconds);
  add_to(bytes, summary.bytes);
  if (summary.between_nodes) {
    if (!between_nodes) between_nodes.emplace();
    between_nodes->first += static_cast<double>(summary.between_nodes->in_force);
    between_nodes->second += static_cast<double>(summary.between_nodes->given);
  }
  warnings += summary.warnings;
  if (!begins_run) return;
  least_ranks = runs == 0 ? summary.ranks : std::min(least_ranks, summary.ranks);
  most_ranks = std::max(most_ranks, summary.ranks);
  ++runs;
  ended_early += summary.partial_ranks == 0 ? 0 : 1;
  to_do +=
      std::ranges::any_of(summary.findings, [](const auto& finding) { return finding.verdict == "to do"; }) ? 1 : 0;
}

std::uint32_t JobTable::number_of(const report::SummaryFinding& finding) {
  const std::string what = without_figures(finding.what);
  const auto [known, is_new] = number_of_finding_.try_emplace(finding.verdict + '\n' + finding.subject + '\n' + what,
                                                              static_cast<std::uint32_t>(findings_.size()));
  if (!is_new) return known->second;
  if (findings_.size() <= most_findings) {
    findings_.push_back({finding.verdict, finding.subject, what});
    examples_.push_back(finding.what);
    return known->second;
  }
  number_of_finding_.erase(known);
  return other_findings;
}

void JobTable::add(const report::Summary& summary, bool begins_run) {
  Key key;
  for (const JobKey part : keys_) key.push_back(text_of(part, summary));
  JobTotals* row = nullptr;
  if (const auto found = rows_.find(key); found != rows_.end())
    row = &found->second;
  else if (rows_.size() < most_rows)
    row = &rows_[std::move(key)];
  else
    row = others_ ? &*others_ : &others_.emplace();
  for (JobTotals* totals : {row, &all_}) totals->add(summary, begins_run);
  if (!begins_run) return;
  std::set<std::uint32_t> found;  // two of a run may differ in their figures alone
  for (const report::SummaryFinding& finding : summary.findings) found.insert(number_of(finding));
  for (const std::uint32_t number : found) {
    ++all_.findings[number];
    const bool has_room = row->findings.size() < most_findings_a_row || row->findings.contains(number);
    ++row->findings[has_room ? number : other_findings];
  }
}

std::vector<JobTable::Line> JobTable::rows() const {
  std::vector<Line> rows;
  for (const auto& [key, totals] : rows_) rows.push_back({key, &totals});
  const bool in_time = keys_.size() == 1 && keys_.front() == JobKey::month;
  if (!in_time)
    std::ranges::stable_sort(
        rows, [](const Line& a, const Line& b) { return a.totals->process_seconds > b.totals->process_seconds; });
  if (others_) rows.push_back({Key(keys_.size(), "others"), &*others_});
  return rows;
}

std::vector<std::pair<std::uint32_t, std::uint64_t>> JobTable::most_frequent(const JobTotals& totals) const {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> all(totals.findings.begin(), totals.findings.end());
  std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return a.second > b.second; });
  return all;
}

}  // namespace marshal::tools
