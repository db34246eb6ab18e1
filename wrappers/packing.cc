// MPI_Pack and MPI_Unpack by Marshal's engine, where every argument is clearly in order; all else, errors included, is
// the host's.
#include <chrono>
#include <cstddef>

#include "counters/event_counts.h"
#include "host/communicators.h"
#include "host/datatypes.h"
#include "host/next_symbol.h"
#include "wrappers/actions.h"

namespace marshal::action {
namespace {

// Fortran's MPI_BOTTOM is the address of a variable of the host's.
bool is_fortran_bottom(const void* buffer) {
#ifdef MARSHAL_HOST_OPENMPI
  static const void* const bottom = find_host_object("mpi_fortran_bottom_");
  return bottom == nullptr || buffer == bottom;
#else
  static void* const* const mpif_bottom = static_cast<void* const*>(find_host_object("MPIR_F_MPI_BOTTOM"));
  static const void* const f08_bottom = find_host_object("MPIR_F08_MPI_BOTTOM");
  return (mpif_bottom == nullptr && f08_bottom == nullptr) || (mpif_bottom != nullptr && buffer == *mpif_bottom) ||
         buffer == f08_bottom;
#endif
}

template <class Size>
struct Packing {
  void* user;
  Size count;
  MPI_Datatype type;
  void* packed;
  Size packed_size;
  Size* position;
  MPI_Comm comm;
};

// Every `sampled`-th small call is timed, and every large one.
constexpr std::uint64_t sampled = 64;
constexpr std::int64_t always_timed = 64 * 1024;

template <class Run>
void timed(datatype::Work& work, std::int64_t bytes, Run run) {
  using Clock = std::chrono::steady_clock;
  const auto n = static_cast<std::uint64_t>(bytes);
  const std::uint64_t calls = work.calls.load(std::memory_order_relaxed);
  if (bytes < always_timed && calls % sampled != 0) {
    run();
  } else {
    const auto begin = Clock::now();
    run();
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
    datatype::Work::add(work.timed_bytes, n);
    datatype::Work::add(work.timed_ns, static_cast<std::uint64_t>(ns));
  }
  datatype::Work::add(work.calls, 1);
  datatype::Work::add(work.bytes, n);
}

// True if the engine did it.
template <bool unpack, class Size>
bool by_engine(const HostCall& host, const Packing<Size>& p) {
  if (p.user == nullptr || p.packed == nullptr || p.position == nullptr || p.count <= 0) return false;
  const std::int64_t position = *p.position, room = p.packed_size - position;
  if (position < 0 || room <= 0 || books::find(p.comm) == nullptr || !engine_is_on()) return false;
  if (host.binding != Binding::c && is_fortran_bottom(p.user)) return false;
  const Datatype* type = books::packed_type(p.type, p.count);
  if (type == nullptr || type->layout == nullptr) return false;
  const datatype::Plan& plan = type->layout->plan;
  std::int64_t bytes;
  if (__builtin_mul_overflow(static_cast<std::int64_t>(p.count), plan.size(), &bytes) || bytes > room) return false;
  auto* user = static_cast<std::byte*>(p.user);
  std::byte* packed = static_cast<std::byte*>(p.packed) + position;
  const counters::Measured measured(counters::Work::packing);
  count(unpack ? Tally::unpacks : Tally::packs);
  count(unpack ? Tally::unpacked_bytes : Tally::packed_bytes, static_cast<std::uint64_t>(bytes));
  if constexpr (unpack)
    timed(type->layout->unpacked, bytes, [&] { plan.unpack(p.count, user, packed); });
  else
    timed(type->layout->packed, bytes, [&] { plan.pack(p.count, user, packed); });
  *p.position = static_cast<Size>(position + bytes);
  return true;
}

template <bool unpack, class Size>
int pack_or_pass_on(HostCall& host, const Packing<Size>& p) {
  if (by_engine<unpack>(host, p)) return MPI_SUCCESS;
  const int code = host();
  if (code == MPI_SUCCESS) books::note_committed(p.type);
  return code;
}

}  // namespace

int pack(HostCall& host, void* inbuf, int incount, MPI_Datatype type, void* outbuf, int outsize, int* position,
         MPI_Comm comm) {
  return pack_or_pass_on<false, int>(host, {inbuf, incount, type, outbuf, outsize, position, comm});
}

int unpack(HostCall& host, void* inbuf, int insize, int* position, void* outbuf, int outcount, MPI_Datatype type,
           MPI_Comm comm) {
  return pack_or_pass_on<true, int>(host, {outbuf, outcount, type, inbuf, insize, position, comm});
}

#if MPI_VERSION >= 4
int pack_c(HostCall& host, void* inbuf, MPI_Count incount, MPI_Datatype type, void* outbuf, MPI_Count outsize,
           MPI_Count* position, MPI_Comm comm) {
  return pack_or_pass_on<false, MPI_Count>(host, {inbuf, incount, type, outbuf, outsize, position, comm});
}

int unpack_c(HostCall& host, void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf, MPI_Count outcount,
             MPI_Datatype type, MPI_Comm comm) {
  return pack_or_pass_on<true, MPI_Count>(host, {outbuf, outcount, type, inbuf, insize, position, comm});
}
#endif

int type_commit(HostCall& host, MPI_Datatype* type) {
  const int code = host();
  if (code == MPI_SUCCESS) books::note_committed(*type);
  return code;
}

int type_free(HostCall& host, MPI_Datatype* type) {
  if (type != nullptr) books::forget_type(*type);
  return host();
}

}  // namespace marshal::action
