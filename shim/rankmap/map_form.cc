#include "rankmap/map_form.h"

#include <algorithm>

namespace marshal {

std::optional<MapForm> map_form(std::string_view name) {
  const auto found = std::find(kMapFormNames.begin(), kMapFormNames.end(), name);
  if (found == kMapFormNames.end()) return std::nullopt;
  return static_cast<MapForm>(found - kMapFormNames.begin());
}

std::string_view name(MapForm form) { return kMapFormNames[static_cast<std::size_t>(form)]; }

}  // namespace marshal
