#include "types/committed_kinds.h"

#include "host/pmpi.h"
#include "types/type_reader.h"

namespace marshal {

TypeKind kind_of(MPI_Datatype handle) {
  MPI_Count size = 0;
  MPI_Aint lb = 0, extent = 0;
  pmpi().Type_size_x(handle, &size);
  pmpi().Type_get_extent(handle, &lb, &extent);
  return {combiner_name(handle), size, extent};
}

std::uint16_t CommittedKinds::count(TypeKind kind, CommitSite site) {
  const std::lock_guard lock(mutex_);
  std::uint16_t& number = numbers_[{kind, site}];
  if (number == 0) {
    if (commits_.size() == CommitCount::most_counted) return 0;  // threads may come here more often
    commits_.push_back({std::move(kind), site, 0});
    number = static_cast<std::uint16_t>(commits_.size());
  }
  ++commits_[number - 1u].never_packed;
  return number;
}

void CommittedKinds::packed(std::uint16_t number) {
  const std::lock_guard lock(mutex_);
  std::uint64_t& left = commits_[number - 1u].never_packed;
  if (left > 0) --left;
}

CommitSite CommittedKinds::site_of(std::uint16_t number) const {
  if (number == 0) return 0;
  const std::lock_guard lock(mutex_);
  return commits_[number - 1u].site;
}

std::vector<CommittedKinds::Commits> CommittedKinds::never_packed() const {
  const std::lock_guard lock(mutex_);
  std::vector<Commits> some = commits_;
  std::erase_if(some, [](const Commits& commits) { return commits.never_packed == 0; });
  return some;
}

}  // namespace marshal
