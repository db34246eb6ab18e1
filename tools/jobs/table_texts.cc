#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/printable_text.h"
#include "pages/table.h"
#include "record/json.h"
#include "record/units.h"
#include "tools/jobs/job_table.h"

namespace marshal::tools {
namespace {

using report::Json;
using report::Table;

constexpr std::size_t screen_columns = 100, rows_on_screen = 30, findings_on_screen = 6, findings_a_json_row = 8;

// Three digits, for a column: "12.3 s", "45 min", "1230 h".
std::string short_time(double seconds) {
  const std::string sign = seconds < 0 ? "-" : "";
  const double size = std::abs(seconds);
  if (size < 120) return sign + report::seconds_text(size);
  if (size < 7200) return fmt::format("{}{:.0f} min", sign, size / 60);
  return fmt::format("{}{} h", sign, report::count_text(static_cast<std::uint64_t>(size / 3600)));
}

template <class Value, class Text>
std::string if_measured(const std::optional<Value>& value, Text text) {
  return value ? text(*value) : "-";
}

std::string share_text(const MeanShare& share) { return if_measured(share.mean(), report::percent_text); }

std::string off_node_text(const JobTotals& totals) {
  return if_measured(totals.between_nodes, [](const auto& bytes) { return report::bytes_text(bytes.first); });
}

std::string ranks_of(const JobTotals& totals) {
  const std::string least = report::ranks_text(totals.least_ranks), most = report::ranks_text(totals.most_ranks);
  return least == most ? most : least + "-" + most;
}

std::vector<std::string> figures_of(const JobTotals& totals) {
  return {report::count_text(totals.runs), ranks_of(totals),      short_time(totals.process_seconds),
          share_text(totals.mpi),          off_node_text(totals), if_measured(totals.saved_seconds, short_time),
          report::count_text(totals.to_do)};
}

const std::vector<std::string> titles{"runs", "ranks", "rank time", "MPI", "off node", "saved", "to do"};

// As wide as the columns of keys may be: the widest ones give way first, so that all columns fit on a screen.
std::vector<std::size_t> key_widths(const std::vector<std::vector<std::string>>& lines, std::size_t keys) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < lines.front().size(); ++c) {
    std::size_t width = 0;
    for (const auto& line : lines) width = std::max(width, report::columns_of(line[c]));
    widths.push_back(width);
  }
  constexpr std::size_t narrowest = 5;
  std::size_t all = 0;
  for (const std::size_t width : widths) all += width + 2;
  const auto keys_end = widths.begin() + static_cast<std::ptrdiff_t>(keys);
  for (; all > screen_columns; --all) {
    const auto widest = std::max_element(widths.begin(), keys_end);
    if (*widest <= narrowest) break;
    --*widest;
  }
  return {widths.begin(), keys_end};
}

bool names_other_users(const JobTable& table) {
  const auto user = static_cast<std::size_t>(std::ranges::find(table.keys(), JobKey::user) - table.keys().begin());
  return user < table.keys().size() && std::ranges::any_of(table.rows(), [&](const JobTable::Line& row) {
           return row.key[user].ends_with(other_user_mark);
         });
}

std::string rows_text(const JobTable& table, const std::vector<JobTable::Line>& rows, std::size_t shown) {
  const std::size_t keys = table.keys().size();
  std::vector<std::vector<std::string>> lines(1);
  for (const JobKey key : table.keys()) lines.front().emplace_back(job_key_names[static_cast<std::size_t>(key)]);
  lines.front().insert(lines.front().end(), titles.begin(), titles.end());
  for (std::size_t r = 0; r < shown; ++r) {
    std::vector<std::string>& line = lines.emplace_back();
    for (const std::string& part : rows[r].key) line.push_back(printable(part));
    const std::vector<std::string> figures = figures_of(*rows[r].totals);
    line.insert(line.end(), figures.begin(), figures.end());
  }
  const std::vector<std::size_t> widths = key_widths(lines, keys);
  std::vector<Table::Column> columns;
  for (std::size_t c = 0; c < lines.front().size(); ++c)
    columns.push_back({lines.front()[c], c < keys ? report::Align::left : report::Align::right});
  Table text(std::move(columns));
  for (std::size_t r = 1; r < lines.size(); ++r) {
    for (std::size_t c = 0; c < keys; ++c) lines[r][c] = report::cut(lines[r][c], widths[c]);
    text.add({lines[r].begin(), lines[r].end()});
  }
  return text.text();
}

// Behind `label`, in lines of a screen's width.
std::string labelled(const std::string& label, const std::string& text) {
  return fmt::format(
      "{}{}\n", label,
      fmt::join(report::wrap(text, screen_columns - label.size()), "\n" + std::string(label.size(), ' ')));
}

// What is to be done in several runs, then what was gained.
std::string findings_text(const JobTable& table) {
  std::string out;
  std::size_t room = findings_on_screen;
  for (const char* verdict : {"to do", "gained"})
    for (const auto& [number, runs] : table.most_frequent(table.all())) {
      const report::SummaryFinding& finding = table.finding(number);
      if (runs < 2 || finding.verdict != verdict || room == 0) continue;
      --room;
      out += labelled(fmt::format("  {:>6} runs, ", report::count_text(runs)),
                      fmt::format("{}: {}", verdict, printable(table.example(number))));
    }
  return out.empty()
             ? out
             : "Findings of several runs, in the words of one of them; the numbers of the others may differ\n" + out;
}

Json share_json(const MeanShare& share) {
  const std::optional<double> mean = share.mean();
  return mean ? Json(*mean) : Json();
}
Json number_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

// The figures under the names that CSV and JSON have for them.
Json::Object figures_json(const JobTotals& totals) {
  const auto& between = totals.between_nodes;
  return {{"runs", totals.runs},
          {"runs_ended_early", totals.ended_early},
          {"runs_to_do", totals.to_do},
          {"least_ranks", totals.least_ranks},
          {"most_ranks", totals.most_ranks},
          {"rank_hours", totals.process_seconds / 3600},
          {"mpi_share", share_json(totals.mpi)},
          {"bytes", number_json(totals.bytes)},
          {"bytes_between_nodes", between ? Json(between->first) : Json()},
          {"bytes_between_nodes_given", between ? Json(between->second) : Json()},
          {"saved_rank_seconds", number_json(totals.saved_seconds)},
          {"marshal_cpu_share", share_json(totals.own_cpu)},
          {"warnings", totals.warnings}};
}

Json findings_json(const JobTable& table, const JobTotals& totals) {
  Json list = Json::array();
  for (const auto& [number, runs] : table.most_frequent(totals)) {
    if (list.elements().size() == findings_a_json_row) break;
    const report::SummaryFinding& finding = table.finding(number);
    list.push_back(Json::object({{"verdict", finding.verdict},
                                 {"subject", finding.subject},
                                 {"what", finding.what},
                                 {"example", table.example(number)},
                                 {"runs", runs}}));
  }
  return list;
}

Json totals_json(const JobTable& table, const JobTotals& totals, Json row) {
  for (auto& [name, value] : figures_json(totals)) row.add(name, value);
  row.add("findings", findings_json(table, totals));
  return row;
}

std::string csv_number(const Json& value) { return value.is_number() ? report::json_text(value, -1) : ""; }

}  // namespace

std::string jobs_as_text(const JobTable& table, const TreeCounts& counts, bool every_row) {
  const std::vector<JobTable::Line> rows = table.rows();
  const std::size_t shown = every_row ? rows.size() : std::min(rows.size(), rows_on_screen);
  const JobTotals& all = table.all();
  std::string out = fmt::format("{} run{} in {} report{}", all.runs, all.runs == 1 ? "" : "s", counts.reports,
                                counts.reports == 1 ? "" : "s");
  if (counts.passed_over != 0) out += fmt::format(", {} passed over", counts.passed_over);
  if (all.ended_early != 0) out += fmt::format("; {} ended without MPI_Finalize", all.ended_early);
  out += "\n\n" + rows_text(table, rows, shown);
  if (shown < rows.size()) out += fmt::format("  and {} more (--all)\n", rows.size() - shown);
  out += fmt::format("All: rank time {}; MPI {}; off node {}; Marshal's own CPU time {}\n",
                     short_time(all.process_seconds), share_text(all.mpi), off_node_text(all), share_text(all.own_cpu));
  out += "Rank time: of all ranks. MPI: its part in MPI. Off node: bytes of messages. -: not measured\n";
  if (names_other_users(table)) out += "*: the owner of the reports; they name another user\n";
  const std::string findings = findings_text(table);
  return findings.empty() ? out : out + "\n" + findings;
}

std::string jobs_as_csv(const JobTable& table) {
  std::string out;
  for (const JobKey key : table.keys()) out += std::string(job_key_names[static_cast<std::size_t>(key)]) + ",";
  for (const auto& [name, value] : figures_json({})) out += name + ",";
  out += "finding,finding_runs\n";
  for (const JobTable::Line& row : table.rows()) {
    for (const std::string& part : row.key) out += csv_field(part) + ",";
    for (const auto& [name, value] : figures_json(*row.totals)) out += csv_number(value) + ",";
    const auto findings = table.most_frequent(*row.totals);
    const auto to_do =
        std::ranges::find_if(findings, [&](const auto& one) { return table.finding(one.first).verdict == "to do"; });
    out += to_do == findings.end() ? ",\n"
                                   : fmt::format("{},{}\n", csv_field(table.finding(to_do->first).what), to_do->second);
  }
  return out;
}

std::string jobs_as_json(const JobTable& table, const TreeCounts& counts) {
  Json by = Json::array(), rows = Json::array();
  for (const JobKey key : table.keys()) by.push_back(job_key_names[static_cast<std::size_t>(key)]);
  for (const JobTable::Line& row : table.rows()) {
    Json json = Json::object();
    for (std::size_t k = 0; k < row.key.size(); ++k) json.add(std::string(by.elements()[k].text()), row.key[k]);
    rows.push_back(totals_json(table, *row.totals, std::move(json)));
  }
  return report::json_text(Json::object({{"schema", "marshal-jobs"},
                                         {"schema_version", version_of_jobs_schema},
                                         {"reports", counts.reports},
                                         {"passed_over", counts.passed_over},
                                         {"by", std::move(by)},
                                         {"all", totals_json(table, table.all(), Json::object())},
                                         {"rows", std::move(rows)}}),
                           1) +
         "\n";
}

}  // namespace marshal::tools
