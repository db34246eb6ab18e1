#include "calls/first_look.h"

#include "calls/worth_packing.h"
#include "host/handles.h"
#include "types/type_book.h"
#include "types/unread_types.h"

namespace marshal::calls {

FirstLook::FirstLook(MPI_Datatype type, std::int64_t count, bool receives) {
  if (count < 0) return;
  const std::uint64_t key = key_of(type);
  const Datatype* const known = books::find_type_in_message(key);
  may_be_packed_ = known != nullptr ? known->layout != nullptr : books::find_unread(key) != nullptr;
  if (!may_be_packed_ || known == nullptr) return;
  const SharedLayout& layout = *known->layout;
  if (has_no_gaps(layout.plan, count)) {
    may_be_packed_ = false;
    return;
  }
  if (__builtin_mul_overflow(count, layout.plan.size(), &bytes_) || !is_known_to_be_left(layout, bytes_, receives))
    return;
  may_be_packed_ = false;
  left_ = &layout.messages(receives);
}

}  // namespace marshal::calls
