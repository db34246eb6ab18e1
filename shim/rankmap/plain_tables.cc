#include "rankmap/plain_tables.h"

namespace marshal {

std::size_t LpidTable::bytes() const {
  return sizeof *this + lpids_.capacity() * sizeof(std::int32_t) + inverse_.bytes();
}

std::size_t ProcessTable::bytes() const {
  return sizeof *this + processes_.capacity() * sizeof(Process) + inverse_.bytes();
}

}  // namespace marshal
