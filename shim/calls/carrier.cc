#include "calls/carrier.h"

#include <cstring>

#include "host/host_family.h"
#include "host/pmpi.h"

namespace marshal::calls {

bool Carrier::take_blocks(const PackedBuffer& packed) {
  blocks_ = carrier_type(packed.bytes());
  if (blocks_.element == 0) return false;
  data_ = packed.data();
  bytes_ = packed.bytes();
  type_ = blocks_.type;
  return true;
}

void Carrier::take_elements(const PackedBuffer& packed) {
  data_ = packed.data();
  count_ = packed.elements();
  type_ = packed.element();
}

bool Carrier::begin_send(PackedBuffer& packed) {
  if (!take_blocks(packed)) return false;
  packed.pack();
  const auto element = static_cast<std::size_t>(blocks_.element);
  std::memcpy(behind(), behind() - element, element);
  return true;
}

bool Carrier::begin_receive(PackedBuffer& packed) {
  packed.mark_end();
  if (is_open_mpi()) return take_blocks(packed);
  take_elements(packed);
  return true;
}

bool Carrier::begin_replace(PackedBuffer& packed) {
  if (is_open_mpi()) return begin_send(packed);
  packed.pack();
  take_elements(packed);
  return true;
}

void Carrier::close_gap() {
  const auto element = static_cast<std::size_t>(blocks_.element);
  if (element != 0) std::memcpy(behind() - element, behind(), element);
}

Carrier::~Carrier() {
  if (blocks_.element != 0 && !blocks_.is_kept) pmpi().Type_free(&blocks_.type);
}

}  // namespace marshal::calls
