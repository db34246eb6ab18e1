// The settings as types: the words of the table as enumerators, filled once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/options.h"
#include "mapping/dims.h"
#include "mapping/mappers.h"
#include "mapping/problem.h"
#include "rankmap/map_form.h"

namespace marshal {

enum class CartUse : std::uint8_t { off, report, reorder };  // of grids, and of graphs
enum class CartMove : std::uint8_t { automatic, ranks, always };
enum class Traffic : std::uint8_t { automatic, on, off };
enum class PackEngine : std::uint8_t { automatic, mars, iovec, host };
enum class MessageEngine : std::uint8_t { automatic, on, pipeline, calls, off };
enum class ExchangeWay : std::uint8_t { automatic, on, off };
enum class FileEngine : std::uint8_t { automatic, on, off };

// MARSHAL_CART for grids and for graphs. As text: a word of the row, "graphs:" and a word, or both with a comma.
struct CartWords {
  std::string_view grids, graphs;
};
std::optional<CartWords> cart_words_in(std::string_view text);

// Immutable: any thread may read it.
struct Settings : Options {
  // `program` is the name that MARSHAL_EXCLUDE is compared with; without one no program is excluded.
  explicit Settings(Options options, std::string_view program = {});

  MapForm rankmap;
  bool asks_host;  // between MPI_Init and MPI_Finalize, for itself; if not, some processes and sizes are not known
  std::string cart_word, graph_word;  // of MARSHAL_CART: "best", "off"
  CartUse cart, graph;
  mapping::Mapper mapper;  // of the contest or alone; `best` unless MARSHAL_CART names one
  CartMove cart_move;
  bool cart_learns;                       // grids are placed by what earlier runs measured
  std::optional<mapping::DimsRule> dims;  // none: the host's answer
  bool topology_given;                    // a made-up machine
  PackEngine pack;
  MessageEngine messages;
  FileEngine files;
  ExchangeWay exchange;
  Traffic traffic;
  bool time;                   // calls are timed
  std::int64_t watch_seconds;  // 0: nobody watches
  bool skip_init;              // but not before the first MPI_Pcontrol(1)
  struct {
    bool text, details, json, html, summary;
    // Whether any of them shows the whole run: a summary is for the site.
    bool any_whole() const { return text || details || json || html; }
    bool any() const { return any_whole() || summary; }
  } reports;
  std::int64_t call_site_frames;  // 0: none are recorded
  std::string excluded_by;        // the pattern of MARSHAL_EXCLUDE that the program's name matches; empty: none does
  bool disable;                   // by MARSHAL_DISABLE, or because the program is excluded
  bool self_check;
};

}  // namespace marshal
