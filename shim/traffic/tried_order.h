// Tries to find an order of a run's ranks that sends less between nodes, as `marshal order` does, in little time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mapping/neighbour_lists.h"
#include "traffic/traffic.h"

namespace marshal::traffic {

// The bytes of each pair of processes, both ways. Throws std::invalid_argument where they are too many to add up.
mapping::NeighbourLists weights_of(const Matrix& matrix);

// Larger jobs are not tried: above so many processes, or pairs of them that sent.
inline constexpr std::uint32_t most_tried_processes = 2048;
inline constexpr std::uint64_t most_tried_pairs = 65536;

// The bytes between nodes in the best order that was found for this traffic, which assumes that each rank sends the
// same in any order; those of the order given where none is better. Nothing for a job that is too large. `looks` bounds
// the work (mapping/plan_order.h). Throws what weights_of does. Deterministic; loads no library.
std::optional<std::uint64_t> try_order(const Matrix& matrix, std::int64_t looks);
// The same of a traffic file, which is read only if the job is small enough. Throws TrafficFileError, too.
std::optional<std::uint64_t> try_order_of_file(const std::string& path, std::int64_t looks);

}  // namespace marshal::traffic
