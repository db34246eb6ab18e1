#include "calls/worth_packing.h"

#include <limits>

#include "copies/gapped_buffer.h"
#include "host/handles.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "types/packing_engine.h"
#include "types/type_book.h"
#include "types/unread_types.h"

namespace marshal::calls {
namespace {

// Host and engine pack so many instances of the buffer.
void compare_packs(const GappedBuffer& gapped, const ProgramBuffer& buffer, bool receives) {
  const std::int64_t bytes = buffer.count * gapped.layout->plan.size();
  const PackedCopy copy(bytes);
  if (copy.data() == nullptr) return;
  const PackingByHost packing;
  int position = 0, code = MPI_SUCCESS;
  const std::int64_t host = ns_of([&] {
    code = pmpi().Pack(buffer.user, static_cast<int>(buffer.count), buffer.type, copy.data(), static_cast<int>(bytes),
                       &position, predefined().comm_self);
  });
  if (code != MPI_SUCCESS) return;
  const std::int64_t engine = ns_of([&] {
    move_copy<false>({gapped.layout->plan, buffer.count, gapped.user, bytes}, copy.data(), {0, bytes});
  });
  gapped.layout->took(Way::calls, receives, bytes, true, host);
  gapped.layout->took(Way::calls, receives, bytes, false, engine + priors::ns_beside_packing_at_call(bytes));
}

// True for buffers that go to the host without a trial.
bool is_out_of_trial(const GappedBuffer& gapped, const ProgramBuffer& buffer) {
  return !does_all(Way::calls) && (buffer.is_bottom || gapped.bytes > std::numeric_limits<int>::max());
}

bool leave(const GappedBuffer& gapped, bool receives) {
  gapped.layout->messages(receives).by_host.add_fragment(gapped.bytes, true);
  return false;
}

}  // namespace

bool is_worth_packing(const GappedBuffer& gapped, const ProgramBuffer& buffer) {
  if (is_out_of_trial(gapped, buffer)) return leave(gapped, false);
  const HostTrial::Turn turn = gapped.layout->turn(Way::calls, false, gapped.bytes);
  if (turn.timed) compare_packs(gapped, buffer, false);
  return !turn.by_host || leave(gapped, false);
}

bool is_worth_receiving_packed(const GappedBuffer& gapped, const ProgramBuffer& buffer, bool& is_due) {
  is_due = false;
  if (is_out_of_trial(gapped, buffer) || gapped.layout->is_left_to_host(Way::calls, true, gapped.bytes))
    return leave(gapped, true);
  is_due = gapped.layout->side(Way::calls, true, gapped.bytes) != HostTrial::Side::engine;
  return true;
}

void learn_from_received(const GappedBuffer& gapped, MPI_Datatype type, std::int64_t instances) {
  const std::int64_t bytes = instances * gapped.layout->plan.size();
  if (gapped.layout->turn(Way::calls, true, bytes).timed)
    compare_packs(gapped, {gapped.user, false, instances, type}, true);
}

FirstLook::FirstLook(MPI_Datatype type, std::int64_t count, bool receives) {
  if (count < 0) return;
  const books::FoundType found = books::find_type(key_of(type));
  may_be_packed_ = found.unread != nullptr || found.layout() != nullptr;
  if (found.layout() == nullptr) return;
  const SharedLayout& layout = *found.layout();
  if (has_no_gaps(layout.plan, count)) {
    may_be_packed_ = false;
    return;
  }
  if (__builtin_mul_overflow(count, layout.plan.size(), &bytes_) ||
      !layout.is_left_to_host(Way::calls, receives, bytes_))
    return;
  may_be_packed_ = false;
  left_ = &layout.messages(receives);
}

}  // namespace marshal::calls
