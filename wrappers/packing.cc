// MPI_Pack, MPI_Unpack and MPI_Pack_size by Marshal's engine, where every argument is clearly in order; all else,
// errors included, is the host's.
#include <algorithm>
#include <chrono>
#include <cstddef>

#include "counters/event_counts.h"
#include "host/communicators.h"
#include "host/datatypes.h"
#include "host/next_symbol.h"
#include "host/unread_types.h"
#include "wrappers/actions.h"

namespace marshal::action {
namespace {

using datatype::Work;

// Fortran's MPI_BOTTOM is the address of a variable of the host's.
enum class Bottom { no, yes, unknown };
Bottom is_fortran_bottom(const void* buffer) {
#ifdef MARSHAL_HOST_OPENMPI
  static const void* const bottom = find_host_object("mpi_fortran_bottom_");
  if (bottom == nullptr) return Bottom::unknown;
  return buffer == bottom ? Bottom::yes : Bottom::no;
#else
  static void* const* const mpif_bottom = static_cast<void* const*>(find_host_object("MPIR_F_MPI_BOTTOM"));
  static const void* const f08_bottom = find_host_object("MPIR_F08_MPI_BOTTOM");
  if (mpif_bottom == nullptr && f08_bottom == nullptr) return Bottom::unknown;
  return (mpif_bottom != nullptr && buffer == *mpif_bottom) || buffer == f08_bottom ? Bottom::yes : Bottom::no;
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

// Where displacement 0 is: at address 0 for MPI_BOTTOM, if no displacement is that of a mistaken null pointer. False
// where only the host knows. (Null in Fortran is a section with gaps, that mpi_f08 passes as a descriptor.)
inline bool find_origin(Binding binding, void* user, const datatype::Span& touched, std::int64_t reach,
                        std::byte*& origin) {
  origin = static_cast<std::byte*>(user);
  const Bottom bottom = binding != Binding::c ? is_fortran_bottom(user) : user == nullptr ? Bottom::yes : Bottom::no;
  if (bottom == Bottom::unknown) return false;
  if (bottom == Bottom::no) return user != nullptr;
#ifdef MARSHAL_HOST_OPENMPI
  constexpr std::int64_t least_address = 64 * 1024;  // nothing is ever mapped below
  origin = nullptr;
  return touched.first + std::min<std::int64_t>(reach, 0) >= least_address;
#else
  static_cast<void>(touched), static_cast<void>(reach);
  return false;  // MPICH takes no MPI_BOTTOM here: its own error it shall be
#endif
}

// Whether the arguments can be looked at: all else is for the host to refuse, or to find nothing to do.
template <class Size>
inline bool is_in_order(const Packing<Size>& p) {
  return p.packed != nullptr && p.position != nullptr && p.count > 0;
}

// What the engine is to do.
struct PackJob {
  const datatype::SharedLayout* layout;
  std::byte* user;
  std::byte* packed;
  std::int64_t count, bytes;
};

template <class Size>
[[gnu::always_inline]] inline bool is_for_engine(Binding binding, const Packing<Size>& p, const Datatype& type,
                                                 PackJob& job) {
  job.layout = type.layout.get();
  job.count = p.count;
  const datatype::Plan& plan = job.layout->plan;
  const std::int64_t position = *p.position;
  std::int64_t reach;
  if (__builtin_mul_overflow(job.count, plan.size(), &job.bytes)) return false;
  if (position < 0 || job.bytes > p.packed_size - position) return false;
  if (__builtin_mul_overflow(job.count - 1, plan.extent(), &reach)) return false;
  if (!find_origin(binding, p.user, type.touched, reach, job.user)) return false;
  job.packed = static_cast<std::byte*>(p.packed) + position;
  return true;
}

[[gnu::always_inline]] inline void count_call(Work::Done& done, std::int64_t bytes) {
  Work::add(done.calls, 1);
  Work::add(done.bytes, static_cast<std::uint64_t>(bytes));
}

template <class Run>
std::int64_t timed(Work::Done& done, std::int64_t bytes, Run run) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  run();
  const auto ns = std::chrono::nanoseconds(Clock::now() - begin).count();
  Work::add(done.timed_bytes, static_cast<std::uint64_t>(bytes));
  Work::add(done.timed_ns, static_cast<std::uint64_t>(ns));
  return ns;
}

// Every `sampled`-th call is timed for the report, and every one that takes much longer than looking at the clock.
constexpr std::uint64_t sampled = 64;
constexpr std::int64_t always_timed = 1024 * 1024;

bool is_timed(const Work& work, std::int64_t bytes) {
  return bytes >= always_timed || work.by_engine.calls.load(std::memory_order_relaxed) % sampled == 0;
}

template <bool unpack>
void run_engine(const PackJob& job) {
  if constexpr (unpack)
    job.layout->plan.unpack(job.count, job.user, job.packed);
  else
    job.layout->plan.pack(job.count, job.user, job.packed);
}

template <bool unpack>
[[gnu::always_inline]] inline void count_job(std::int64_t bytes) {
  count(unpack ? Tally::unpacks : Tally::packs);
  count(unpack ? Tally::unpacked_bytes : Tally::packed_bytes, static_cast<std::uint64_t>(bytes));
}

// A type that is not read yet: programs make, pack a few times and free types in loops.
template <bool unpack, class Size>
[[gnu::always_inline]] inline Quickly leave_to_host(const Packing<Size>& p) noexcept {
  const std::int64_t position = *p.position;
  if (position < 0 || counters::is_counting() || books::find(p.comm) == nullptr) return Quickly::unanswered;
  const bool left = books::leave_unread(p.type, p.count, p.packed_size - position, unpack);
  return left ? Quickly::passed_on : Quickly::unanswered;
}

// The same type as this thread's last, whose program is found and where it is known who is the faster: nothing is left
// but to check the arguments, count, and run. Small packs cost little else, so what is not needed here counts.
template <bool unpack, class Size>
[[gnu::always_inline]] inline Quickly pack_quickly(const Packing<Size>& p) noexcept {
  if (p.user == nullptr || !is_in_order(p)) return Quickly::unanswered;
  const Datatype* type = books::type_packed_last(p.type);
  if (type == nullptr) return leave_to_host<unpack>(p);
  PackJob job;
  if (type->layout == nullptr || !is_for_engine(Binding::c, p, *type, job)) return Quickly::unanswered;
  const datatype::Program* const program = job.layout->plan.settled_program(job.count);
  if (program == nullptr) return Quickly::unanswered;
  Work& work = unpack ? job.layout->unpacked : job.layout->packed;
  const bool by_engine = !job.layout->may_pass_on || work.trial.is_for_engine(job.bytes);
  if (!by_engine && !work.trial.is_for_host(job.bytes)) return Quickly::unanswered;
  if ((by_engine && is_timed(work, job.bytes)) || counters::is_counting() || books::find(p.comm) == nullptr)
    return Quickly::unanswered;
  count_job<unpack>(job.bytes);
  if (!by_engine) {
    count_call(work.by_host, job.bytes);
    return Quickly::passed_on;
  }
  count_call(work.by_engine, job.bytes);
  if constexpr (unpack)
    run_unpack(*program, job.count, job.user, job.packed);
  else
    run_pack(*program, job.count, job.user, job.packed);
  *p.position = static_cast<Size>(*p.position + job.bytes);
  return Quickly::answered;
}

// By the engine or by the host, whichever is faster or has its turn in the trial.
template <bool unpack, class Size>
int by_the_faster(HostCall& host, const Packing<Size>& p, const PackJob& job) {
  Work& work = unpack ? job.layout->unpacked : job.layout->packed;
  datatype::HostTrial::Turn turn{false, false};
  if (job.layout->may_pass_on && job.layout->plan.is_settled()) turn = work.trial.turn(job.bytes);
  const counters::Measured measured(counters::Work::packing);
  count_job<unpack>(job.bytes);
  if (turn.by_host) [[unlikely]] {
    count_call(work.by_host, job.bytes);
    if (!turn.timed) return host();
    int code = MPI_SUCCESS;
    const std::int64_t ns = timed(work.by_host, job.bytes, [&] { code = host(); });
    work.trial.took(job.bytes, true, ns);
    return code;
  }
  const bool is_sampled = is_timed(work, job.bytes);
  count_call(work.by_engine, job.bytes);
  if (turn.timed || is_sampled) {
    const std::int64_t ns = timed(work.by_engine, job.bytes, [&] { run_engine<unpack>(job); });
    if (turn.timed) work.trial.took(job.bytes, false, ns);
  } else {
    run_engine<unpack>(job);
  }
  *p.position = static_cast<Size>(*p.position + job.bytes);
  return MPI_SUCCESS;
}

template <bool unpack, class Size>
int pack_or_pass_on(HostCall& host, const Packing<Size>& p) {
  if (!is_in_order(p) || books::find(p.comm) == nullptr) return host();
  if (!engine_is_on()) {
    const int code = host();
    if (code == MPI_SUCCESS) books::note_packed_by_host(p.type, nullptr, unpack, p.count);
    return code;
  }
  const Datatype* type = books::packed_type(p.type, p.count);
  if (type != nullptr && type->layout != nullptr) [[likely]] {
    PackJob job;
    return is_for_engine(host.binding, p, *type, job) ? by_the_faster<unpack>(host, p, job) : host();
  }
  const int code = host();
  if (code == MPI_SUCCESS) books::note_packed_by_host(p.type, type, unpack, p.count);
  return code;
}

// Only of a type that the engine packs: of others just the host knows what it needs.
template <class Size>
int pack_size(HostCall& host, Size count, MPI_Datatype type, MPI_Comm comm, Size* size) {
  const Datatype* known = size != nullptr && count >= 0 && engine_is_on() ? books::known_type(type) : nullptr;
  if (known == nullptr || known->layout == nullptr || books::find(comm) == nullptr) return host();
  Size bytes;
  if (__builtin_mul_overflow(count, known->layout->plan.size(), &bytes)) return host();
  *size = bytes;
  return MPI_SUCCESS;
}

}  // namespace

int pack_size(HostCall& host, int incount, MPI_Datatype type, MPI_Comm comm, int* size) {
  return pack_size<int>(host, incount, type, comm, size);
}

int pack(HostCall& host, void* inbuf, int incount, MPI_Datatype type, void* outbuf, int outsize, int* position,
         MPI_Comm comm) {
  return pack_or_pass_on<false, int>(host, {inbuf, incount, type, outbuf, outsize, position, comm});
}

int unpack(HostCall& host, void* inbuf, int insize, int* position, void* outbuf, int outcount, MPI_Datatype type,
           MPI_Comm comm) {
  return pack_or_pass_on<true, int>(host, {outbuf, outcount, type, inbuf, insize, position, comm});
}

Quickly quick_pack(void* inbuf, int incount, MPI_Datatype type, void* outbuf, int outsize, int* position,
                MPI_Comm comm) noexcept {
  return pack_quickly<false, int>({inbuf, incount, type, outbuf, outsize, position, comm});
}

Quickly quick_unpack(void* inbuf, int insize, int* position, void* outbuf, int outcount, MPI_Datatype type,
                  MPI_Comm comm) noexcept {
  return pack_quickly<true, int>({outbuf, outcount, type, inbuf, insize, position, comm});
}

#if MPI_VERSION >= 4
int pack_size_c(HostCall& host, MPI_Count incount, MPI_Datatype type, MPI_Comm comm, MPI_Count* size) {
  return pack_size<MPI_Count>(host, incount, type, comm, size);
}

int pack_c(HostCall& host, void* inbuf, MPI_Count incount, MPI_Datatype type, void* outbuf, MPI_Count outsize,
           MPI_Count* position, MPI_Comm comm) {
  return pack_or_pass_on<false, MPI_Count>(host, {inbuf, incount, type, outbuf, outsize, position, comm});
}

int unpack_c(HostCall& host, void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf, MPI_Count outcount,
             MPI_Datatype type, MPI_Comm comm) {
  return pack_or_pass_on<true, MPI_Count>(host, {outbuf, outcount, type, inbuf, insize, position, comm});
}

Quickly quick_pack_c(void* inbuf, MPI_Count incount, MPI_Datatype type, void* outbuf, MPI_Count outsize,
                  MPI_Count* position, MPI_Comm comm) noexcept {
  return pack_quickly<false, MPI_Count>({inbuf, incount, type, outbuf, outsize, position, comm});
}

Quickly quick_unpack_c(void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf, MPI_Count outcount,
                    MPI_Datatype type, MPI_Comm comm) noexcept {
  return pack_quickly<true, MPI_Count>({outbuf, outcount, type, inbuf, insize, position, comm});
}
#endif

int type_commit(HostCall& host, MPI_Datatype* type) {
  const int code = host();
  if (code == MPI_SUCCESS) books::note_committed(*type, host.caller);
  return code;
}

int type_free(HostCall& host, MPI_Datatype* type) {
  if (type != nullptr) books::forget_type(*type);
  return host();
}

}  // namespace marshal::action
