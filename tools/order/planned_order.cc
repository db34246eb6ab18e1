#include "tools/order/planned_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <stdexcept>

#include "record/units.h"
#include "traffic/tried_order.h"

namespace marshal::tools {

NodeTraffic node_traffic(const traffic::Matrix& traffic, std::span<const std::int32_t> node_of_rank,
                         std::int32_t nodes) {
  NodeTraffic sums;
  const auto count = static_cast<std::size_t>(nodes);
  std::vector<std::vector<std::uint32_t>> ranks_of(count);
  for (std::uint32_t rank = 0; rank < traffic.job.processes(); ++rank)
    ranks_of[static_cast<std::size_t>(node_of_rank[rank])].push_back(rank);
  std::vector<double> out(count), in(count), to(count);
  for (std::size_t from = 0; from < count; ++from) {
    std::vector<std::uint32_t> partners;
    for (const std::uint32_t rank : ranks_of[from]) {
      double bytes = 0, messages = 0;
      for (const traffic::Sent& sent : traffic.of(rank)) {
        const auto node = static_cast<std::size_t>(node_of_rank[sent.peer]);
        bytes += static_cast<double>(sent.bytes);
        messages += static_cast<double>(sent.messages);
        if (node == from) continue;
        sums.messages_between += static_cast<double>(sent.messages);
        if (sent.bytes == 0) continue;
        if (to[node] == 0) partners.push_back(static_cast<std::uint32_t>(node));
        to[node] += static_cast<double>(sent.bytes);
      }
      sums.bytes += bytes;
      sums.messages += messages;
      sums.busiest_rank = std::max(sums.busiest_rank, bytes);
      sums.most_messages = std::max(sums.most_messages, messages);
    }
    std::sort(partners.begin(), partners.end());
    for (const std::uint32_t node : partners) {
      sums.pairs.push_back({static_cast<std::uint32_t>(from), node, to[node]});
      out[from] += to[node];
      in[node] += to[node];
      to[node] = 0;
    }
    sums.bytes_between += out[from];
  }
  for (std::size_t node = 0; node < count; ++node) {
    sums.busiest_node = std::max(sums.busiest_node, out[node] + in[node]);
    sums.busiest_way = std::max({sums.busiest_way, out[node], in[node]});
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> both;
  for (const report::NodeBytes& pair : sums.pairs)
    sums.busiest_pair = std::max(sums.busiest_pair, both[std::minmax({pair.from, pair.to})] += pair.bytes);
  return sums;
}

mapping::Prediction predict_traffic(const NodeTraffic& traffic, const mapping::Machine& machine) {
  const double of_rank = traffic.busiest_rank / machine.process_rate;
  const double of_node = traffic.busiest_way / machine.node_rate;
  return {traffic.most_messages * machine.latency + std::max(of_rank, of_node),
          of_node > of_rank ? mapping::Limit::network : mapping::Limit::processes};
}

traffic::Matrix traffic_of_grid(const mapping::Grid& grid, const mapping::Stencil& stencil, double bytes_per_weight) {
  if (grid.cells() > traffic::most_processes) throw std::invalid_argument("--dims: more processes than can be");
  traffic::Matrix matrix;
  matrix.job.node_of_process.resize(static_cast<std::size_t>(grid.cells()));
  const std::vector<std::int64_t> strides = mapping::row_major_strides(grid);
  std::vector<int> here(static_cast<std::size_t>(grid.ndims()));
  std::vector<traffic::Sent> row;
  for (std::int64_t cell = 0; cell < grid.cells(); ++cell) {
    mapping::coordinates_of(grid, cell, here);
    row.clear();
    for (const mapping::Step& step : stencil.steps) {
      std::int64_t peer = 0;
      for (std::size_t d = 0; d < here.size() && peer >= 0; ++d) {
        const int length = grid.dims[d];
        int there = here[d] + step.offset[d];
        if (grid.periodic[d]) there = (there % length + length) % length;
        peer = there < 0 || there >= length ? -1 : peer + there * strides[d];
      }
      if (peer < 0 || peer == cell) continue;
      row.push_back({static_cast<std::uint32_t>(peer), 1,
                     static_cast<std::uint64_t>(std::llround(static_cast<double>(step.weight) * bytes_per_weight))});
    }
    std::sort(row.begin(), row.end(), [](const traffic::Sent& a, const traffic::Sent& b) { return a.peer < b.peer; });
    for (const traffic::Sent& sent : row) {
      const bool same = matrix.sent.size() > matrix.begin.back() && matrix.sent.back().peer == sent.peer;
      if (same) {
        ++matrix.sent.back().messages;
        matrix.sent.back().bytes += sent.bytes;
      } else {
        matrix.sent.push_back(sent);
      }
    }
    matrix.begin.push_back(matrix.sent.size());
  }
  return matrix;
}

namespace {

double number_in(const traffic::Job& job, const char* name) {
  const auto fact = job.facts.find(name);
  if (fact == job.facts.end()) return 0;
  double value = 0;
  std::from_chars(fact->second.data(), fact->second.data() + fact->second.size(), value);
  return std::isfinite(value) && value > 0 ? value : 0;
}

}  // namespace

PlannedOrder find_order(const traffic::Matrix& traffic, const Places& places, const mapping::OrderRules& rules,
                        const mapping::Machine& machine) {
  PlannedOrder found;
  const std::vector<std::int32_t> capacity = places.capacity();
  {
    const mapping::NeighbourLists weights = traffic::weights_of(traffic);
    found.order = mapping::plan_order({weights, capacity, places.given, places.levels, rules, places.above});
  }
  const auto nodes = static_cast<std::int32_t>(capacity.size());
  found.before = node_traffic(traffic, places.nodes_of(places.given), nodes);
  found.after = node_traffic(traffic, places.nodes_of(found.order.place_of_rank), nodes);
  found.predicted_before = predict_traffic(found.before, machine);
  found.predicted_after = predict_traffic(found.after, machine);
  if (found.order.moved)
    found.reason_to_stay =
        reason_to_stay({found.before.bytes_between, found.after.bytes_between, found.predicted_before.seconds,
                        found.predicted_after.seconds, collectives_in_parts(traffic.job)});
  return found;
}

double run_seconds(const traffic::Job& job) { return number_in(job, "seconds"); }

double collectives_in_parts(const traffic::Job& job) { return number_in(job, "collectives_in_parts"); }

std::string reason_to_stay(const OrderGain& gain) {
  const double saved = gain.bytes_before - gain.bytes_after;
  if (saved <= 0) return {};
  if (gain.seconds_after > gain.seconds_before) return "the prediction says that it takes longer";
  // At most each of these bytes stays within a node in the order given and leaves it in the one found.
  if (saved < gain.collectives_in_parts)
    return fmt::format(
        "collectives on parts of the job have {}, and more of that can leave the nodes than the {} that are saved",
        report::bytes_text(gain.collectives_in_parts), report::bytes_text(saved));
  return {};
}

}  // namespace marshal::tools
