#include "types/packing_engine.h"

#include <array>
#include <atomic>

#include "base/message.h"
#include "datatype/flatten.h"
#include "datatype/plan.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "settings/settings_in_force.h"
#include "types/type_reader.h"

namespace marshal {
namespace {

// The same few bytes by the host and by the engine, both ways.
bool agrees_with_host() {
  using namespace datatype;
  const Pmpi& p = pmpi();
  const int lengths[3] = {1, 1, 3};
  const MPI_Aint places[3] = {0, 8, 16};
  const MPI_Datatype parts[3] = {predefined().type_int, predefined().type_2int, predefined().type_byte};
  MPI_Datatype plain, type;
  if (p.Type_create_struct(3, lengths, places, parts, &plain) != MPI_SUCCESS) return false;
  bool equal = false;
  if (p.Type_create_resized(plain, 0, 24, &type) == MPI_SUCCESS) {
    constexpr int count = 5, size = 15 * count;
    std::array<std::byte, 24 * count> user{}, by_host{}, by_engine{};
    for (std::size_t i = 0; i < user.size(); ++i) user[i] = static_cast<std::byte>(7 * i + 1);
    std::array<std::byte, size> packed{}, packed_too{};
    int position = 0, back = 0;
    if (p.Type_commit(&type) == MPI_SUCCESS &&
        p.Pack(user.data(), count, type, packed.data(), size, &position, predefined().comm_self) == MPI_SUCCESS &&
        p.Unpack(packed.data(), size, &back, by_host.data(), count, type, predefined().comm_self) == MPI_SUCCESS) {
      try {
        const Type read = read_type(type);
        const Plan plan(flattened(read), read.extent());
        plan.pack(count, user.data(), packed_too.data());
        plan.unpack(count, by_engine.data(), packed_too.data());
        equal = position == size && back == size && packed == packed_too && by_host == by_engine;
      } catch (const LeftToHost&) {
      }
    }
    p.Type_free(&type);
  }
  p.Type_free(&plain);
  return equal;
}

}  // namespace

bool has_world() {
  int begun = 0, ended = 0;
  return pmpi().Initialized(&begun) == MPI_SUCCESS && pmpi().Finalized(&ended) == MPI_SUCCESS && begun && !ended;
}

bool engine_is_on() {
  if (settings().pack == PackEngine::host) return false;  // the host is asked nothing then
  static std::atomic<bool> can_be_tried{false};
  if (!can_be_tried.load(std::memory_order_relaxed)) {
    if (!has_world()) return false;
    can_be_tried.store(true, std::memory_order_relaxed);
  }
  return packs_as_the_host();
}

bool packs_as_the_host() {
  static const bool does = [] {
    if (agrees_with_host()) return true;
    say(Level::warning, "this MPI packs other bytes than Marshal expects: packing stays with the host");
    return false;
  }();
  return does;
}

const char* why_engine_is_off() {
  if (engine_is_on()) return nullptr;
  if (settings()[Option::pack].by_mode) return "MARSHAL_MODE=observe";
  if (settings().pack == PackEngine::host) return "MARSHAL_PACK=host";
  return has_world() ? "other bytes expected" : "sessions only";
}

}  // namespace marshal
