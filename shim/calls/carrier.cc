#include "calls/carrier.h"

#include <cstring>

#include "host/pmpi.h"

namespace marshal::calls {

bool Carrier::begin(PackedBuffer& packed) {
  carried_by_ = carrier_type(packed.bytes());
  if (carried_by_.element == 0) return false;
  data_ = packed.data();
  packed.pack();
  std::byte* const behind = data_ + packed.bytes();
  std::memcpy(behind, behind - carried_by_.element, static_cast<std::size_t>(carried_by_.element));
  return true;
}

Carrier::~Carrier() {
  if (carried_by_.element != 0 && !carried_by_.is_kept) pmpi().Type_free(&carried_by_.type);
}

}  // namespace marshal::calls
