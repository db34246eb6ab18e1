#include "tools/bench_order/made_traffic.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "mapping/index.h"
#include "mapping/stencil.h"
#include "tools/order/grid_traffic.h"
#include "tools/scratch_directory.h"
#include "traffic/traffic_file.h"

namespace marshal::tools {
namespace {

using mapping::at;
using traffic::Sent;

traffic::Job job_on_nodes(std::int32_t processes, std::int32_t per_node) {
  traffic::Job job;
  job.facts["program"] = "made";
  for (std::int32_t process = 0; process < processes; ++process)
    job.node_of_process.push_back(static_cast<std::uint32_t>(process / per_node));
  for (std::uint32_t node = 0; node <= job.node_of_process.back(); ++node)
    job.node_names.push_back(fmt::format("node{:05}", node));
  return job;
}

// The neighbours in a grid of three dimensions whose ranks are in row-major order: 26 of them, and fewer where there
// are not that many other processes.
std::vector<Sent> row_of(std::int32_t process, std::int32_t processes) {
  std::int64_t side = 3;
  while ((side + 1) * (side + 1) * (side + 1) <= processes) ++side;
  std::vector<Sent> row;
  for (const std::int64_t plane : {-side * side, std::int64_t{0}, side * side})
    for (const std::int64_t line : {-side, std::int64_t{0}, side})
      for (const std::int64_t one : {-1, 0, 1}) {
        const std::int64_t peer = ((process + plane + line + one) % processes + processes) % processes;
        if (peer == process) continue;
        row.push_back({static_cast<std::uint32_t>(peer), 1000, 1000 * (plane == 0 || line == 0 ? 65536U : 512U)});
      }
  std::sort(row.begin(), row.end(), [](const Sent& a, const Sent& b) { return a.peer < b.peer; });
  row.erase(std::unique(row.begin(), row.end(), [](const Sent& a, const Sent& b) { return a.peer == b.peer; }),
            row.end());
  return row;
}

}  // namespace

double resident_peak() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

std::string make_traffic_file(const mapping::Grid& grid, std::int32_t per_node, const std::string& stem) {
  const traffic::Matrix cells = traffic_of_grid(grid, mapping::box_stencil(grid.ndims()), 1000);
  const auto processes = static_cast<std::int32_t>(grid.cells());
  std::mt19937_64 random(1);
  std::vector<std::uint32_t> rank_of_cell(at(processes)), cell_of_rank(at(processes));
  std::iota(rank_of_cell.begin(), rank_of_cell.end(), 0U);
  // Not std::shuffle, whose result differs between libraries.
  for (std::size_t i = rank_of_cell.size(); i > 1; --i) std::swap(rank_of_cell[i - 1], rank_of_cell[random() % i]);
  for (std::size_t cell = 0; cell < rank_of_cell.size(); ++cell)
    cell_of_rank[rank_of_cell[cell]] = static_cast<std::uint32_t>(cell);
  traffic::TrafficWriter writer(stem, job_on_nodes(processes, per_node));
  traffic::RowPacker packer;
  std::vector<Sent> sent;
  for (std::uint32_t rank = 0; rank < cell_of_rank.size(); ++rank) {
    const std::uint32_t cell = cell_of_rank[rank];
    sent.clear();
    for (const Sent& to : cells.of(cell))
      sent.push_back({rank_of_cell[to.peer], to.messages, to.bytes * (1 + (cell + to.peer) % 3)});
    std::sort(sent.begin(), sent.end(), [](const Sent& a, const Sent& b) { return a.peer < b.peer; });
    packer.add({rank, sent, {}, {}});
  }
  writer.append(packer.take());
  const WrittenFile file = writer.finish();
  if (file.path.empty()) throw std::runtime_error(file.error);
  return file.path;
}

FigureTable gathering(std::int32_t processes, std::int32_t per_node) {
  const ScratchDirectory scratch;
  const auto start = std::chrono::steady_clock::now();
  const double before = resident_peak();
  double most_of_process = 0, most_of_node = 0;
  traffic::TrafficWriter writer(scratch.file("made"), job_on_nodes(processes, per_node));
  for (std::int32_t first = 0; first < processes; first += per_node) {
    std::string of_node;
    for (std::int32_t process = first; process < std::min(processes, first + per_node); ++process) {
      const std::vector<Sent> sent = row_of(process, processes);
      traffic::RowPacker packer;
      packer.add({static_cast<std::uint32_t>(process), sent, {}, {}});
      const std::string rows = packer.take();
      most_of_process = std::max(most_of_process, static_cast<double>(rows.size()));
      of_node += rows;
    }
    most_of_node = std::max(most_of_node, static_cast<double>(of_node.size()));
    writer.append(of_node);
  }
  const WrittenFile file = writer.finish();
  if (file.path.empty()) throw std::runtime_error(file.error);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double grown = resident_peak() - before;
  std::int64_t rows = 0, peers = 0;
  traffic::TrafficReader reader(file.path);
  for (traffic::Row row; reader.next(row);) {
    ++rows;
    peers += static_cast<std::int64_t>(row.to_processes.size());
  }
  FigureTable table;
  table.name = "gathering";
  table.title = "Gathering of the rows of all processes at the end of a job, all in one process";
  table.columns = {"processes", "a node", "pairs in the file", "bytes a row", "a node's share", "rank 0 grows by",
                   "file",      "seconds"};
  table.rows.push_back({Cell(rows), Cell(std::int64_t{per_node}), Cell(peers), bytes_cell(most_of_process),
                        bytes_cell(most_of_node), bytes_cell(grown),
                        bytes_cell(static_cast<double>(std::filesystem::file_size(file.path))), Cell(seconds, 2)});
  table.notes = {
      "Seconds: the work of all processes, one after the other, and of rank 0; messages between them not included."};
  return table;
}

}  // namespace marshal::tools
