#include "communicators/internal_communicators.h"

#include "base/cache_line_heap.h"
#include "base/immortal.h"
#include "base/registry.h"
#include "host/departures.h"
#include "host/handles.h"

namespace marshal::books {
namespace {

struct WindowOrFile : OnCacheLine {
  WindowOrFile(CreationSite* by, const RankMap& of) : site(by), map(of) {}
  CreationSite* site;
  RankMap map;
};

Registry<WindowOrFile>& windows() {
  static Immortal<Registry<WindowOrFile>> alive;
  return *alive;
}
Registry<WindowOrFile>& files() {
  static Immortal<Registry<WindowOrFile>> alive;
  return *alive;
}

template <class Handle>
void enter_in(Registry<WindowOrFile>& registry, Handle handle, CreationSite* site, const RankMap& map) {
  registry.insert(key_of(handle), std::make_unique<WindowOrFile>(site, map));
}
template <class Handle>
const RankMap* map_of(const Registry<WindowOrFile>& registry, Handle handle) {
  const WindowOrFile* made = registry.find(key_of(handle));
  return made != nullptr ? &made->map : nullptr;
}
template <class Handle>
CreationSite* take_from(Registry<WindowOrFile>& registry, Handle handle) {
  const auto made = registry.extract(key_of(handle));
  return made ? made->site : nullptr;
}

}  // namespace

void enter_window(MPI_Win handle, CreationSite* site, const RankMap& map) { enter_in(windows(), handle, site, map); }
const RankMap* map_of_window(MPI_Win handle) { return map_of(windows(), handle); }
CreationSite* take_window(MPI_Win handle) {
  forget_traffic_place();
  return take_from(windows(), handle);
}
void forget_window(MPI_Win handle) { take_window(handle); }

void enter_file(MPI_File handle, CreationSite* site, const RankMap& map) { enter_in(files(), handle, site, map); }
const RankMap* map_of_file(MPI_File handle) { return map_of(files(), handle); }
CreationSite* take_file(MPI_File handle) { return take_from(files(), handle); }
void forget_file(MPI_File handle) { take_file(handle); }

}  // namespace marshal::books
