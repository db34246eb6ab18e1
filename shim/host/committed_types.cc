#include "host/committed_types.h"

#include "host/pmpi.h"
#include "host/type_reader.h"

namespace marshal {

TypeKind kind_of(MPI_Datatype handle) {
  MPI_Count size = 0;
  MPI_Aint lb = 0, extent = 0;
  pmpi().Type_size_x(handle, &size);
  pmpi().Type_get_extent(handle, &lb, &extent);
  return {combiner_name(handle), size, extent};
}

bool CommittedKinds::count(MPI_Datatype handle) {
  // Two threads in the same moment may count one commit for two: a locked addition would be dearer than all the rest.
  const std::uint64_t before = commits_.load(std::memory_order_relaxed);
  commits_.store(before + 1, std::memory_order_relaxed);
  if (before >= most_counted) return false;
  const TypeKind kind = kind_of(handle);
  const std::lock_guard lock(mutex_);
  ++kinds_[kind];
  return true;
}

void CommittedKinds::packed(MPI_Datatype handle) {
  const TypeKind kind = kind_of(handle);
  const std::lock_guard lock(mutex_);
  const auto found = kinds_.find(kind);
  if (found != kinds_.end() && found->second > 0) --found->second;
}

std::map<TypeKind, std::uint64_t> CommittedKinds::never_packed() const {
  const std::lock_guard lock(mutex_);
  std::map<TypeKind, std::uint64_t> some;
  for (const auto& [kind, commits] : kinds_)
    if (commits > 0) some[kind] = commits;
  return some;
}

}  // namespace marshal
