#include "traffic/tried_order.h"

#include <limits>
#include <stdexcept>
#include <vector>

#include "mapping/plan_order.h"
#include "traffic/traffic_file.h"

namespace marshal::traffic {
namespace {

bool is_on_other_nodes(const Job& job, std::uint32_t process, std::uint32_t peer) {
  return job.node_of_process[process] != job.node_of_process[peer];
}

}  // namespace

mapping::NeighbourLists weights_of(const Matrix& matrix) {
  std::vector<mapping::Sent> sent;
  sent.reserve(matrix.sent.size());
  for (std::uint32_t rank = 0; rank < matrix.job.processes(); ++rank)
    for (const Sent& to : matrix.of(rank)) {
      if (to.bytes > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        throw std::invalid_argument("traffic that is too large to add up");
      sent.push_back(
          {static_cast<std::int32_t>(rank), static_cast<std::int32_t>(to.peer), static_cast<std::int64_t>(to.bytes)});
    }
  return {static_cast<std::int32_t>(matrix.job.processes()), sent};
}

std::optional<std::uint64_t> try_order(const Matrix& matrix, std::int64_t looks) {
  const Job& job = matrix.job;
  if (job.processes() > most_tried_processes || matrix.sent.size() > most_tried_pairs) return std::nullopt;
  std::uint64_t between_nodes = 0;
  for (std::uint32_t rank = 0; rank < job.processes(); ++rank)
    for (const Sent& to : matrix.of(rank)) between_nodes += is_on_other_nodes(job, rank, to.peer) ? to.bytes : 0;
  if (between_nodes == 0) return 0;

  // The k-th process of a node has its k-th place.
  std::vector<std::int32_t> capacity(job.nodes()), next(job.nodes()), given;
  for (const std::uint32_t node : job.node_of_process) ++capacity[node];
  for (std::size_t node = 1; node < next.size(); ++node) next[node] = next[node - 1] + capacity[node - 1];
  for (const std::uint32_t node : job.node_of_process) given.push_back(next[node]++);
  mapping::OrderRules rules;
  rules.with_scotch = false;
  rules.looks = looks;
  const mapping::NeighbourLists weights = weights_of(matrix);
  const mapping::Order order = mapping::plan_order({weights, capacity, given, {}, rules});
  return static_cast<std::uint64_t>(order.after.between_nodes);
}

std::optional<std::uint64_t> try_order_of_file(const std::string& path, std::int64_t looks) {
  if (TrafficReader(path).job().processes() > most_tried_processes) return std::nullopt;
  return try_order(read_matrix(path), looks);
}

}  // namespace marshal::traffic
