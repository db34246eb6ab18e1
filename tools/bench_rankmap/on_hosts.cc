#include <fmt/format.h>

#include <string>

#include "rankmap/map_form.h"
#include "report/json.h"
#include "tools/bench_rankmap/figures.h"
#include "tools/mpi_program.h"
#include "tools/timing.h"

namespace marshal::tools {
namespace {

// One line of measure.c's output.
struct Figure {
  std::string part, what;
  std::int64_t ranks;
  double host, marshal;
};

std::optional<std::vector<Figure>> measured(const ConfiguredHost& host, int ranks, MapForm form,
                                            const std::vector<std::string>& parts) {
  const auto out =
      run_benchmark(host, {.command = "bench rankmap",
                           .program = "marshal-overhead",
                           .arguments = parts,
                           .variables = {"MARSHAL_REPORT=none", fmt::format("MARSHAL_RANKMAP={}", name(form))},
                           .ranks = ranks});
  if (!out) return std::nullopt;
  std::vector<Figure> figures;
  for (const report::Json& value : json_lines(*out))
    figures.push_back({value["part"].text(), value["what"].text(), value["ranks"].whole().value_or(0),
                       value["host"].number().value_or(0), value["marshal"].number().value_or(0)});
  return figures;
}

// A row for each host and translation, a column for each form.
bool add_translations(FigureTable& table, const ConfiguredHost& host, int ranks) {
  std::vector<std::vector<Figure>> by_form;
  for (const MapForm form : tracked_forms) {
    const auto figures = measured(host, ranks, form, {"translation"});
    if (!figures) return false;
    by_form.push_back(*figures);
  }
  for (std::size_t i = 0; i < by_form.front().size(); ++i) {
    std::vector<double> bare;
    for (const auto& figures : by_form) bare.push_back(figures[i].host);
    const Figure& first = by_form.front()[i];
    std::vector<Cell> row{first.what, std::string(family_name(host.family)), first.ranks, Cell(median_of(bare), 1)};
    for (const auto& figures : by_form) row.emplace_back(figures[i].marshal, 1);
    table.rows.push_back(std::move(row));
  }
  return true;
}

}  // namespace

std::optional<std::vector<FigureTable>> host_tables(int ranks, HostSections wanted) {
  FigureTable groups;
  groups.name = "host-groups";
  groups.title = "Group calls on the hosts, ns";
  groups.source = "goals: translate_ranks at 128 ranks on Open MPI at least 50 times faster, on MPICH at least equal";
  groups.columns = {"call", "MPI", "ranks", "host", "Marshal", "times faster"};
  FigureTable translation;
  translation.name = "host-translation";
  translation.title = "MPI_Group_translate_ranks of all ranks of a group, ns a rank, by what Marshal keeps";
  translation.source = "goals: at most 2 ns a rank in every form, and never slower than the host";
  translation.columns = {"from and to", "MPI", "ranks", "host"};
  for (const MapForm form : tracked_forms) translation.columns.emplace_back(name(form));
  FigureTable creation;
  creation.name = "host-creation";
  creation.title = "Making communicators on the hosts, us, the slowest rank";
  creation.source =
      "AV-Rankmap section IV-B: 3 to 8 % more; preprint Figs. 15 and 16: 3 to 6 % on Mira, intercommunicators 6 to 8 % "
      "on Blues";
  creation.columns = {"what", "MPI", "ranks", "host", "Marshal", "more"};
  creation.notes = {"With more ranks than cores this measures the scheduler as much: look at the order of size only.",
                    "The exchange row compares two ways to learn a map, not Marshal with the host."};
  for (const ConfiguredHost& host : configured_hosts()) {
    if (wanted.translation && !add_translations(translation, host, ranks)) return std::nullopt;
    std::vector<std::string> parts;
    if (wanted.groups) parts.emplace_back("groups");
    if (wanted.creation) parts.insert(parts.end(), {"creation", "exchange"});
    if (parts.empty()) continue;
    const auto figures = measured(host, ranks, MapForm::blocks, parts);
    if (!figures) return std::nullopt;
    for (const Figure& figure : *figures) {
      const bool call = figure.part == "groups";
      std::vector<Cell> row{figure.what, std::string(family_name(host.family)), figure.ranks,
                            Cell(figure.host, call ? 0 : 1), Cell(figure.marshal, call ? 0 : 1)};
      const bool exchange = figure.part == "exchange";
      row.push_back(exchange ? Cell("-")
                    : call   ? Cell(figure.host / figure.marshal, 1)
                             : Cell(fmt::format("{:+.1f} %", 100 * (figure.marshal / figure.host - 1))));
      (call ? groups : creation).rows.push_back(std::move(row));
    }
  }
  std::vector<FigureTable> tables;
  if (wanted.groups) tables.push_back(std::move(groups));
  if (wanted.translation) tables.push_back(std::move(translation));
  if (wanted.creation) tables.push_back(std::move(creation));
  return tables;
}

}  // namespace marshal::tools
