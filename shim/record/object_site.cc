#include "record/object_site.h"

#include <algorithm>
#include <array>

namespace marshal::report {
namespace {

struct KindOfObject {
  std::string_view in_call;  // that makes such ones
  std::string_view objects, freed_by;
};

// The first that fits.
constexpr std::array<KindOfObject, 13> kinds{{{nonblocking_calls, "requests", "MPI_Wait, MPI_Test or MPI_Request_free"},
                                              {"_init", "persistent requests", "MPI_Request_free"},
                                              {"MPI_Op_", "operations", "MPI_Op_free"},
                                              {"MPI_Comm_create_keyval", "keyvals", "MPI_Comm_free_keyval"},
                                              {"MPI_Type_create_keyval", "keyvals", "MPI_Type_free_keyval"},
                                              {"MPI_Win_create_keyval", "keyvals", "MPI_Win_free_keyval"},
                                              {"MPI_Keyval_", "keyvals", "MPI_Keyval_free"},
                                              {"_group", "groups", "MPI_Group_free"},
                                              {"MPI_Group_", "groups", "MPI_Group_free"},
                                              {"MPI_Type_", "datatypes", "MPI_Type_free"},
                                              {"MPI_Win_", "windows", "MPI_Win_free"},
                                              {"MPI_File_", "files", "MPI_File_close"},
                                              {"", "communicators", "MPI_Comm_free"}}};

const KindOfObject& object_kind(std::string_view call) {
  // These make communicators.
  if (call.starts_with("MPI_Intercomm_")) return kinds.back();
  if (call.starts_with("MPI_Comm_create_") && call.find("group") != call.npos) return kinds.back();
  return *std::ranges::find_if(kinds, [&](const KindOfObject& kind) { return call.find(kind.in_call) != call.npos; });
}

}  // namespace

void ObjectSite::add_place(std::uint64_t made_there, std::uint64_t alive_there,
                           std::optional<std::uint64_t> most_alive_there) {
  const std::uint64_t made_before = made.sum, alive_before = alive.sum;
  const bool is_first = made.samples == 0;
  made = alive = most_alive = {};
  made.add(made_before + made_there);
  alive.add(alive_before + alive_there);
  if (is_first && most_alive_there) most_alive.add(*most_alive_there);
}

std::string_view objects_of(std::string_view call) { return object_kind(call).objects; }
std::string_view call_that_frees(std::string_view call) { return object_kind(call).freed_by; }

}  // namespace marshal::report
