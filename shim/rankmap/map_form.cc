#include "rankmap/map_form.h"

#include <algorithm>

namespace marshal {

std::optional<MapForm> map_form(std::string_view name) {
  const auto found = std::find(map_form_names.begin(), map_form_names.end(), name);
  if (found == map_form_names.end()) return std::nullopt;
  return static_cast<MapForm>(found - map_form_names.begin());
}

std::string_view name(MapForm form) { return map_form_names[static_cast<std::size_t>(form)]; }

}  // namespace marshal
