#include "rankmap/map_form.h"

namespace marshal {

std::optional<MapForm> map_form(std::string_view name) {
  for (const MapFormName& entry : kMapForms) {
    if (entry.name == name) return entry.form;
  }
  return std::nullopt;
}

std::string_view name(MapForm form) { return kMapForms[static_cast<std::size_t>(form)].name; }

}  // namespace marshal
