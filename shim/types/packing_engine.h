// Tells whether the engine packs in this run.
#pragma once

#include <cstdint>

namespace marshal {

// Decided at the first call, by MARSHAL_PACK and by packing a small type on host and engine. Constant from then on. Not
// before MPI_Init, so never in a program of sessions only.
bool engine_is_on();

// True if engine and host agree on a small type, which is tried once. Only while MPI_COMM_SELF may be packed on.
bool packs_as_the_host();

// Why it is off; null if it is on. Only after the run packed something: the answer may need a try on the host.
const char* why_engine_is_off();

// True if MPI_COMM_SELF may be packed on. In a program of sessions only it may not, and packing stays with the host.
bool has_world();

// Packs that the host does for the program or for Marshal, outside of any message: they stay the host's own.
namespace detail {
inline thread_local constinit unsigned packing_by_host [[gnu::tls_model("initial-exec")]] = 0;
inline thread_local constinit std::uint64_t passed_on_pack [[gnu::tls_model("initial-exec")]] = ~std::uint64_t{0};
}  // namespace detail

// While it lives, what this thread's host packs is no message but the host's MPI_Pack or MPI_Unpack, and stays its own.
class PackingByHost {
 public:
  PackingByHost() { ++detail::packing_by_host; }
  ~PackingByHost() { --detail::packing_by_host; }
  PackingByHost(const PackingByHost&) = delete;
  PackingByHost& operator=(const PackingByHost&) = delete;
};

// The same where nothing of Marshal stands around the host's call: this thread's host packs the type next, and no
// message. Should that call fail, the type's next message stays the host's.
[[gnu::always_inline]] inline void note_passed_on_pack(std::uint64_t type_key) { detail::passed_on_pack = type_key; }
inline bool is_passed_on_pack(std::uint64_t type_key) {
  if (detail::passed_on_pack != type_key) return false;
  detail::passed_on_pack = ~std::uint64_t{0};
  return true;
}
inline bool is_packing_by_host() { return detail::packing_by_host != 0; }

}  // namespace marshal
