#include "calls/carrier.h"

#include <cstdint>
#include <limits>

#include "host/pmpi.h"
#include "host/predefined.h"

namespace marshal::calls {

bool Carrier::begin(PackedBuffer& packed) {
  const Pmpi& p = pmpi();
  const std::int64_t last = packed.bytes() - 1;
  if (last > std::numeric_limits<int>::max()) return false;
  int lengths[] = {static_cast<int>(last), 1};
  MPI_Aint places[] = {0, static_cast<MPI_Aint>(last + 2)};
  MPI_Datatype types[] = {predefined().type_byte, predefined().type_byte};
  MPI_Datatype type;
  if (p.Type_create_struct(2, lengths, places, types, &type) != MPI_SUCCESS) return false;
  if (p.Type_commit(&type) != MPI_SUCCESS) {
    p.Type_free(&type);
    return false;
  }
  type_ = type;
  data_ = packed.data();
  packed.pack();
  data_[places[1]] = data_[last];
  return true;
}

Carrier::~Carrier() {
  if (data_ != nullptr) pmpi().Type_free(&type_);
}

}  // namespace marshal::calls
