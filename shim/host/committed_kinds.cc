#include "host/committed_kinds.h"

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

void CommittedKinds::count(MPI_Datatype handle, CommitSite site) {
  const TypeKind kind = kind_of(handle);
  const std::lock_guard lock(mutex_);
  Commits& commits = kinds_[kind];
  ++commits.never_packed;
  if (commits.site == 0) commits.site = site;
}

void CommittedKinds::packed(MPI_Datatype handle) {
  const TypeKind kind = kind_of(handle);
  const std::lock_guard lock(mutex_);
  const auto found = kinds_.find(kind);
  if (found != kinds_.end() && found->second.never_packed > 0) --found->second.never_packed;
}

std::map<TypeKind, CommittedKinds::Commits> CommittedKinds::never_packed() const {
  const std::lock_guard lock(mutex_);
  std::map<TypeKind, Commits> some = kinds_;
  std::erase_if(some, [](const auto& kind) { return kind.second.never_packed == 0; });
  return some;
}

}  // namespace marshal
