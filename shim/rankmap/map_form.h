// The form of the maps that Marshal keeps: the values of MARSHAL_RANKMAP.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
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

// In the order of the enumeration.
inline constexpr std::array<std::string_view, 9> map_form_names{"blocks", "rankmap", "plist", "range", "strided",
                                                                "bitmap", "sparse",  "lut",   "off"};

// The forms that keep something.
inline constexpr std::array tracked_forms{MapForm::blocks,  MapForm::rankmap, MapForm::plist,  MapForm::range,
                                          MapForm::strided, MapForm::bitmap,  MapForm::sparse, MapForm::lut};

constexpr std::string_view name(MapForm form) { return map_form_names[static_cast<std::size_t>(form)]; }

// The formats of the sparse-group paper.
constexpr bool is_sparse(MapForm form) { return form >= MapForm::plist && form <= MapForm::sparse; }

}  // namespace marshal
