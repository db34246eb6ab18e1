// What Marshal keeps for a communicator: the values of MARSHAL_RANKMAP.
#ifndef MARSHAL_RANKMAP_MAP_FORM_H
#define MARSHAL_RANKMAP_MAP_FORM_H

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace marshal {

enum class MapForm : std::uint8_t {
  blocks,   // one formula in one cache line; tables only for what has no pattern
  rankmap,  // the models of AV-Rankmap, chosen by its Table II
  plist,    // the sparse formats of Chaarawi and Gabriel, each chained to the parent
  range,
  strided,
  bitmap,
  sparse,  // whichever of those four needs the least memory
  lut,     // a plain table
  off,     // nothing
};

struct MapFormName {
  MapForm form;
  std::string_view name;
  std::string_view help;
};

inline constexpr std::array<MapFormName, 9> kMapForms{{
    {MapForm::blocks, "blocks", "one strided-block formula in one cache line, tables only for what has no pattern"},
    {MapForm::rankmap, "rankmap", "the models of AV-Rankmap, chosen by its Table II"},
    {MapForm::plist, "plist", "a list of processes, as the sparse-group paper's baseline"},
    {MapForm::range, "range", "ranges of the parent's ranks, chained to the parent"},
    {MapForm::strided, "strided", "offset, last and stride in the parent, chained to the parent"},
    {MapForm::bitmap, "bitmap", "a bit for each of the parent's ranks, chained to the parent"},
    {MapForm::sparse, "sparse", "whichever of plist, range, strided and bitmap needs the least memory"},
    {MapForm::lut, "lut", "a plain table, as most MPI libraries keep"},
    {MapForm::off, "off", "nothing"},
}};

std::optional<MapForm> map_form(std::string_view name);
std::string_view name(MapForm form);

}  // namespace marshal

#endif
