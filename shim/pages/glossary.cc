// The words of a report, for readers who meet them for the first time; marshal(7) has the same, at more length.
#include <fmt/format.h>

#include <string_view>

#include "base/printable_text.h"
#include "pages/sections.h"

namespace marshal::report {
namespace {

// In the order of the alphabet.
struct {
  std::string_view word, meaning;
} constexpr words[] = {
    {"AV-Rankmap", "A published way to keep communicators: address vectors with rank maps. Computed, not measured."},
    {"bound",
     "How fast a datatype could be packed: the rate at which memcpy moves the cache lines that packing touches, or the "
     "fastest rate that was seen, if that is higher."},
    {"communicator", "A group of processes that exchange messages, as MPI_Comm_split and the like make one."},
    {"exchange", "Every process sends one message to each of its neighbours."},
    {"extent", "Bytes from the beginning of one instance of a datatype to that of the next."},
    {"extrapolated",
     "Computed for another number of ranks: bytes that grow with the ranks are scaled, the rest is kept."},
    {"finalize, init", "Marshal's part of MPI_Finalize and MPI_Init."},
    {"Jmax", "Traffic of the busiest node: the largest sum of weights of pairs with one partner on that node."},
    {"Jsum",
     "Traffic between nodes: pairs of neighbours on different nodes, each direction counted, times their weight."},
    {"layout", "The bytes that a datatype selects: types that were built in different ways may have the same layout."},
    {"mapper",
     "The method that finds an order of the processes. nodecart, hyperplane, kdtree and strips are published or simple "
     "rules, "
     "search improves the best of them step by step, best takes whichever gives the least traffic, given is the order "
     "that the program had."},
    {"membership", "One process in one communicator."},
    {"model",
     "The form of a rank map. direct, offset, stride, blockstride, md-blockstride are formulas of constant size; lut "
     "and mlut are tables, within one job and across jobs; lut-stride and the like index such a table by a formula; "
     "runs, "
     "parts, packed, elias-fano, bitmap-select, plist, range, strided, bitmap are compressed tables; off: none is "
     "kept."},
    {"moved", "A process whose place in the grid is not the one that the order given would have given it."},
    {"MPI library", "The MPI that the program uses; Marshal stands in front of it. The manual calls it the host."},
    {"neighbours",
     "Processes whose cells touch in the grid, as MARSHAL_CART_STENCIL says; star: along each dimension."},
    {"pack", "To copy the scattered bytes of a datatype into one block (MPI_Pack); unpack: back again."},
    {"predicted", "Computed from assumptions: messages of equal size, and the rates that marshal(7) names."},
    {"rank map", "Which process has which rank in a communicator."},
    {"segment",
     "Instances of a datatype that are packed together: one element of all of them is copied, then the next element."},
    {"VC-VCRT",
     "A published way to keep communicators: virtual connections with a reference table a communicator. Computed, not "
     "measured."},
};

}  // namespace

std::string glossary_page() {
  std::string out = "<h2>Words</h2>\n<dl>\n";
  for (const auto& [word, meaning] : words)
    out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(word), escaped(meaning));
  return out + "</dl>\n";
}

}  // namespace marshal::report
