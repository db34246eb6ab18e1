// Every way to place the cells of a grid on nodes. A new mapper is an enumerator and a row here, its file, and a test:
// MARSHAL_CART, `marshal map`, the manual and the shell completion read this table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mapping/problem.h"
#include "mapping/snake.h"

namespace marshal::mapping {

// Equal bricks of cells, one for each node, by the prime factors of the node size. For nodes of one size that the cells
// fill. Source: Gropp, "Using node and socket information to implement MPI Cartesian topologies", Parallel Computing
// 85, 2019.
MapperResult nodecart(const Problem& problem);
// The brick of the paper, or nothing if the dimensions cannot take all prime factors of the node size.
std::optional<std::vector<int>> nodecart_brick(const Grid& grid, std::int32_t node_size, Ties ties = Ties::first);

// Splits the grid recursively by hyperplanes into parts that hold whole nodes. Nodes may differ in size: the mean size
// guides the cuts. Source: the hyperplane algorithm of Hunold et al., "Efficient Process-to-Node Mapping Algorithms for
// Stencil Computations", CLUSTER 2020.
MapperResult hyperplane(const Problem& problem);

// Halves the grid down to single cells, and cuts the order of the leaves at node sizes (the k-d tree algorithm of the
// same paper). Always halves the dimension that is longest for how many stencil steps go along it.
MapperResult kdtree(const Problem& problem);

enum class Mapper : std::uint8_t {
  given,
  nodecart,
  hyperplane,
  kdtree,
  strips,
  search,
  bisection,
  exact,
  annealing,
  levels,
  best
};

enum class Nodes : std::uint8_t { any, equal };

struct MapperRow {
  Mapper mapper;
  std::string_view name;
  MapperResult (*place)(const Problem&);  // of at least one cell; null: the contest runs it (contest.h)
  Nodes nodes;                            // equal: only where the cells fill nodes of one size
  bool published;                         // `best` is measured against it
  bool by_name;                           // MARSHAL_CART and `marshal map --mapper` take it
  std::string_view help;                  // for the manual, without a full stop
};

inline constexpr auto mapper_table = std::to_array<MapperRow>({
    {Mapper::given, "given", given_order, Nodes::any, false, false, "the order that the processes have anyway"},
    {Mapper::nodecart, "nodecart", nodecart, Nodes::equal, true, true,
     "equal bricks, one a node, by the prime factors of the node size (Gropp 2019)"},
    {Mapper::hyperplane, "hyperplane", hyperplane, Nodes::any, true, true,
     "recursive cuts into parts that hold whole nodes (Hunold et al. 2020)"},
    {Mapper::kdtree, "kdtree", kdtree, Nodes::any, true, true,
     "repeated halving down to single cells (Hunold et al. 2020)"},
    {Mapper::strips, "strips", strips, Nodes::any, true, true,
     "a snake through strips of the ideal height (Hunold et al. 2020)"},
    {Mapper::search, "search", nullptr, Nodes::any, false, true,
     "snakes through strips of many shapes, the best of them improved by exchanges of cells"},
    {Mapper::bisection, "bisection", nullptr, Nodes::any, false, false,
     "recursive halving at exact node sizes, of at most 50000 cells"},
    {Mapper::exact, "exact", nullptr, Nodes::any, false, false, "every way to place the cells, where they are few"},
    {Mapper::annealing, "annealing", nullptr, Nodes::any, false, false,
     "exchanges of cells between nodes, from the best order so far"},
    {Mapper::levels, "levels", nullptr, Nodes::any, false, false,
     "whole nodes trade places under switches, or the cells are divided among switches first"},
    {Mapper::best, "best", nullptr, Nodes::any, false, true, "all of them"},
});

static_assert(
    [] {
      for (std::size_t i = 0; i < mapper_table.size(); ++i)
        if (static_cast<std::size_t>(mapper_table[i].mapper) != i) return false;
      return true;
    }(),
    "rows stand in the order of the enumerators");

constexpr const MapperRow& row(Mapper mapper) { return mapper_table[static_cast<std::size_t>(mapper)]; }
constexpr std::string_view name_of(Mapper mapper) { return row(mapper).name; }

// The names of the mappers that a user can ask for, in the order of the table: "nodecart, hyperplane, …".
std::string mapper_names(std::string_view separator);
// Throws std::invalid_argument.
Mapper parse_mapper(std::string_view name);

// A mapper that has a function in the table, whether or not its order is better than the given one.
MapperResult run_mapper(const Problem& problem, Mapper mapper);

}  // namespace marshal::mapping
