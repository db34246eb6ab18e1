// MPI_Pack, MPI_Unpack and MPI_Pack_size by Marshal's engine, if every argument is certainly right; all other calls,
// including errors, go to the host.
#include <algorithm>

#include "counters/event_counts.h"
#include "host/host_family.h"
#include "messages/message_engine.h"
#include "types/packing_engine.h"
#include "wrappers/actions/quick.h"
#include "wrappers/entry/actions.h"
#include "wrappers/entry/sentinels.h"

namespace marshal::action {
namespace {

// The address of displacement 0: for MPI_BOTTOM it is 0, if no displacement is that of a mistaken null pointer. False
// if only the host knows. (Null in Fortran is a section with gaps, that mpi_f08 passes as a descriptor.)
inline bool find_origin(Binding binding, void* user, const datatype::Span& touched, std::int64_t reach,
                        std::byte*& origin) {
  origin = static_cast<std::byte*>(user);
  const Match bottom = matches(Sentinel::bottom, binding, user);
  if (bottom == Match::unknown) return false;
  if (bottom == Match::no) return user != nullptr;
  if (!is_open_mpi()) return false;  // MPICH refuses MPI_BOTTOM here; the program gets the error from MPICH
  constexpr std::int64_t least_address = 64 * 1024;  // nothing is ever mapped below
  origin = nullptr;
  return touched.first + std::min<std::int64_t>(reach, 0) >= least_address;
}

template <class Size>
bool is_for_engine(Binding binding, const Packing<Size>& p, const Datatype& type, PackJob& job) {
  const bool is_read = type.layout != nullptr;
  if (!is_read && type.first == nullptr) return false;
  const std::int64_t size = is_read ? type.layout->plan.size() : type.first->program.size;
  const std::int64_t extent = is_read ? type.layout->plan.extent() : type.first->program.extent;
  return fits(p, size, extent, job) && find_origin(binding, p.user, type.touched, job.reach, job.user);
}

template <bool unpack>
void run_engine(const datatype::Plan& plan, const PackJob& job) {
  if constexpr (unpack)
    plan.unpack(job.count, job.user, job.packed);
  else
    plan.pack(job.count, job.user, job.packed);
}

// Packs by engine or host, whichever is faster or has its turn in the trial.
template <bool unpack, class Size>
int by_the_faster(HostCall& host, const Packing<Size>& p, const Datatype& type, const PackJob& job) {
  const SharedLayout& layout = *type.layout;
  PackAccount& account = layout.account(unpack);
  HostTrial::Turn turn{false, false};
  if (layout.plan.is_settled(job.count)) turn = layout.turn(Way::packs, unpack, job.bytes);
  const counters::Measured measured(counters::Work::packing);
  count_job<unpack>(job.bytes);
  PackCalls& side = turn.by_host ? account.by_host : account.by_engine;
  const bool is_timed = turn.timed || (!turn.by_host && is_sampled(side, job.bytes));
  side.add_call(job.bytes);
  int code = MPI_SUCCESS;
  const auto run = [&] {
    if (!turn.by_host && HostCall::own([&] { run_engine<unpack>(layout.plan, job); })) {
      *p.position = static_cast<Size>(*p.position + job.bytes);
    } else {
      const PackingByHost packing;
      code = host();
    }
  };
  const std::int64_t ns = is_timed ? ns_of(run) : (run(), 0);
  if (is_timed) side.add_timed(job.bytes, ns);
  if (turn.timed) layout.took(Way::packs, unpack, job.bytes, turn.by_host, ns);
  return code;
}

template <bool unpack, class Size>
int pack_or_pass_on(HostCall& host, const Packing<Size>& p) {
  const Datatype* type = nullptr;
  PackJob job;
  const bool may_count =
      is_in_order(p) && books::find(p.comm) != nullptr && HostCall::own([&] { type = books::learn_type(p.type); });
  if (type != nullptr && is_for_engine(host.binding, p, *type, job)) {
    if (type->layout != nullptr) return by_the_faster<unpack>(host, p, *type, job);
    PackCalls& done = type->without_layout[unpack ? 1 : 0];
    bool is_done = false;
    const auto by_first = [&] { is_done = run_first<unpack>(p, *type, job); };
    const std::int64_t ns = is_second_of_watched(*type, done) ? ns_of(by_first) : (by_first(), 0);
    if (is_done && ns > 0) done.add_timed(job.bytes, ns);
    if (is_done) return MPI_SUCCESS;
  }
  const Size from = may_count ? *p.position : Size();
  int code = MPI_SUCCESS;
  const auto by_host = [&] {
    const PackingByHost packing;
    code = host();
  };
  const UnreadType* const unread = may_count && type == nullptr ? books::find_type(key_of(p.type)).unread : nullptr;
  const bool is_timed = unread != nullptr && unread->is_to_be_timed();
  const std::int64_t ns = is_timed ? ns_of(by_host) : (by_host(), 0);
  if (code == MPI_SUCCESS && may_count && (type == nullptr || type->kind))
    HostCall::own([&] { books::note_packed_by_host(p.type, type, unpack, *p.position - from, ns); });
  return code;
}

template <class Size>
int pack_size_as(HostCall& host, MPI_Count count, MPI_Datatype type, MPI_Comm comm, Size* size) {
  const Quickly told = quick_pack_size(static_cast<Size>(count), type, comm, size);
  return told == Quickly::answered ? MPI_SUCCESS : host();
}

}  // namespace

int pack_size(HostCall& host, MPI_Count incount, MPI_Datatype type, MPI_Comm comm, int* size) {
  return pack_size_as(host, incount, type, comm, size);
}
int pack_size(HostCall& host, MPI_Count incount, MPI_Datatype type, MPI_Comm comm, MPI_Count* size) {
  return pack_size_as(host, incount, type, comm, size);
}

int pack(HostCall& host, void* inbuf, MPI_Count incount, MPI_Datatype type, void* outbuf, MPI_Count outsize,
         int* position, MPI_Comm comm) {
  return pack_or_pass_on<false, int>(host, {inbuf, incount, type, outbuf, outsize, position, comm});
}
int pack(HostCall& host, void* inbuf, MPI_Count incount, MPI_Datatype type, void* outbuf, MPI_Count outsize,
         MPI_Count* position, MPI_Comm comm) {
  return pack_or_pass_on<false, MPI_Count>(host, {inbuf, incount, type, outbuf, outsize, position, comm});
}

int unpack(HostCall& host, void* inbuf, MPI_Count insize, int* position, void* outbuf, MPI_Count outcount,
           MPI_Datatype type, MPI_Comm comm) {
  return pack_or_pass_on<true, int>(host, {outbuf, outcount, type, inbuf, insize, position, comm});
}
int unpack(HostCall& host, void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf, MPI_Count outcount,
           MPI_Datatype type, MPI_Comm comm) {
  return pack_or_pass_on<true, MPI_Count>(host, {outbuf, outcount, type, inbuf, insize, position, comm});
}

int type_commit(HostCall& host, MPI_Datatype* type) {
  if (type != nullptr && books::find_unread(key_of(*type)) != nullptr) return host();  // committed before
  HostCall::own(books::begin_to_count_packs);  // it commits a type of its own, before Commit looks for the program's
  messages::Commit commit;
  const int code = host();
  if (code != MPI_SUCCESS) return code;
  if (objects_are_shared) books::count_type(name_of(host.call), host.caller, key_of(*type));
  if (!HostCall::own([&] { books::note_committed(*type, host.caller); })) books::forget_type(*type);
  HostCall::own([&] { commit.made(*type, host.caller); });
  return code;
}

// The duplicate of a committed type is committed.
int type_dup(HostCall& host, MPI_Datatype type, MPI_Datatype* newtype) {
  messages::Commit commit;
  const int code = host();
  if (code != MPI_SUCCESS) return code;
  books::count_type(name_of(host.call), host.caller, key_of(*newtype));
  HostCall::own([&] {
    if (!is_open_mpi() || books::is_on_book(type)) commit.made(*newtype, host.caller);
  });
  return code;
}

int type_free(HostCall& host, MPI_Datatype* type) {
  if (type != nullptr) books::forget_type(*type);
  return host();
}

}  // namespace marshal::action
