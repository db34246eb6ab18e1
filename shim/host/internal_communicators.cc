#include "host/internal_communicators.h"

#include "host/handles.h"
#include "host/registry.h"

namespace marshal::books {
namespace {

struct Made {
  CreationSite* site;
};

Registry<Made>& windows() {
  static Registry<Made>& alive = *new Registry<Made>;  // outlives the program's own static objects
  return alive;
}
Registry<Made>& files() {
  static Registry<Made>& alive = *new Registry<Made>;
  return alive;
}

template <class Handle>
void enter(Registry<Made>& registry, Handle handle, CreationSite* site) {
  registry.insert(key_of(handle), std::make_unique<Made>(Made{site}));
}
template <class Handle>
CreationSite* take(Registry<Made>& registry, Handle handle) {
  const auto made = registry.extract(key_of(handle));
  return made ? made->site : nullptr;
}

}  // namespace

void enter_window(MPI_Win handle, CreationSite* site) { enter(windows(), handle, site); }
CreationSite* take_window(MPI_Win handle) { return take(windows(), handle); }
void forget_window(MPI_Win handle) { take_window(handle); }

void enter_file(MPI_File handle, CreationSite* site) { enter(files(), handle, site); }
CreationSite* take_file(MPI_File handle) { return take(files(), handle); }
void forget_file(MPI_File handle) { take_file(handle); }

}  // namespace marshal::books
