#include "communicators/map_sources.h"

#include <array>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include "base/options.h"
#include "communicators/communicator_memory.h"
#include "host/arrival.h"
#include "host/joint_work.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/process_groups.h"
#include "rankmap/collective_detection.h"
#include "settings/settings_in_force.h"

namespace marshal {
namespace {

// Members times processes of the job up to which the host's own translation is cheaper than an exchange, which waits
// for the slowest: at 64 of 128 ranks 7 us against 60 us and more (`marshal bench overhead`). Beyond, Open MPI's grows
// with that product, and MPICH keeps 16 B a rank as long as the communicator lives.
constexpr std::int64_t cheap_translation = 8192;

// From this size on, a few reductions replace an allgather, whose result would take 16 KB or more in every process. An
// irregular map needs the allgather in any case.
constexpr int many_ranks = 4096;

// One rank for each member. Not on the stack, which may be a coroutine's. The other members wait for a process that has
// no memory, so there is some set aside.
struct RanksOfMembers {
  static void* operator new(std::size_t size);
  [[gnu::noinline]] static void operator delete(void* ranks);

  std::array<std::int32_t, many_ranks> rank;
};
constinit SpareObjects<RanksOfMembers> spare_ranks;

void* RanksOfMembers::operator new(std::size_t size) {
  if (void* const room = ::operator new(size, std::nothrow)) return room;
  if (void* const room = spare_ranks.take()) return room;
  throw std::bad_alloc();
}

void RanksOfMembers::operator delete(void* ranks) {
  if (!spare_ranks.give_back(ranks)) ::operator delete(ranks);
}

RankMap learn_and_free(MPI_Group group, MapForm form = map_form_in_force()) {
  struct Freed {
    MPI_Group& group;
    ~Freed() { pmpi().Group_free(&group); }
  } const freed{group};
  return process_groups().learn(group, form);
}

// Finds a new communicator's ranks in its parent by reductions over it, in memory that does not grow with it
// (rankmap/collective_detection.h). Collective over `made`, of `size` processes; each gives its own rank in the parent.
// All get the same result: the pattern, or nothing if there is none (or the host failed).
std::optional<StridedBlocks> pattern_by_reductions(MPI_Comm made, int size, int own_parent_rank) {
  using Round = CollectiveDetection::Round;
  static_assert(sizeof(CollectiveDetection::Pair) == 2 * sizeof(int), "as MPI_2INT");
  int own = 0;
  checked("MPI_Comm_rank", pmpi().Comm_rank(made, &own));
  return detect_collectively(size, own, own_parent_rank, [&](Round& round) {
    Round least;
    checked("MPI_Allreduce", pmpi().Allreduce(round.data(), least.data(), static_cast<int>(round.size()),
                                              predefined().type_2int, predefined().op_minloc, made));
    round = least;
    return true;
  });
}

}  // namespace

// The words of the option are the forms, in the same order.
MapForm map_form_in_force() { return settings().rankmap; }

// AGREEMENT: the map of a new communicator
RankMap map_by_exchange(MPI_Comm made, const RankMap& parent, int own_parent_rank) {
  int size = 0;
  checked("MPI_Comm_size", pmpi().Comm_size(made, &size));
  // All members see the same sizes and settings, so all choose the same way. A process that lost its map of the parent
  // takes part, and then asks the host.
  const MapForm form = map_form_in_force();
  if (form == MapForm::off) return RankMap::identity(0, size, MapForm::off);
  const bool lost = !parent.tracked();
  if (!all_have_met()) return map_by_learning(made);  // some may run without Marshal
  if (size == 1) return lost ? map_by_learning(made) : parent.derive(std::span(&own_parent_rank, 1));
  // The self-check tries reductions at any size.
  if (size >= many_ranks || settings().self_check)
    if (const auto pattern = pattern_by_reductions(made, size, own_parent_rank))
      return lost ? map_by_learning(made) : parent.derive(*pattern);
  const std::int64_t comparisons = std::int64_t{size} * process_groups().world_size();
  if (form == MapForm::blocks && comparisons <= cheap_translation) return map_by_learning(made);
  const std::unique_ptr<RanksOfMembers> few(new RanksOfMembers);  // not initialised
  std::vector<std::int32_t> many;
  if (size > many_ranks) {
    const auto reserve = [&](JointWork&) { many.resize(static_cast<std::size_t>(size)); };
    if (!JointWork::run(made, reserve)) return map_by_learning(made);
  }
  const std::span<std::int32_t> parent_ranks =
      many.empty() ? std::span(few->rank).first(static_cast<std::size_t>(size)) : std::span(many);
  const MPI_Datatype type = predefined().type_int;
  checked("MPI_Allgather", pmpi().Allgather(&own_parent_rank, 1, type, parent_ranks.data(), 1, type, made));
  return lost ? map_by_learning(made) : parent.derive(parent_ranks);
}

RankMap map_of_topology(MPI_Comm made, MPI_Comm parent, const Communicator& from, bool reordered) {
  if (!reordered) return map_of_prefix(from.map, size_of(made));
  return from.own_job ? map_by_exchange(made, from.map, own_rank(parent)) : map_by_learning(made);
}

RankMap map_of_prefix(const RankMap& parent, int size) { return parent.derive(StridedBlocks::linear(0, 1, size)); }

RankMap map_of_cart_sub(MPI_Comm grid, const RankMap& parent, const int* remain) {
  int ndims = 0;
  checked("MPI_Cartdim_get", pmpi().Cartdim_get(grid, &ndims));
  const auto n = static_cast<std::size_t>(ndims);
  std::vector<int> dims(n), periods(n), coords(n);
  if (ndims > 0) checked("MPI_Cart_get", pmpi().Cart_get(grid, ndims, dims.data(), periods.data(), coords.data()));
  // Row-major: the last dimension is consecutive. Ranks of the sub-grid run over the remaining dimensions in their own
  // order, and are nested strides in the grid.
  std::vector<StridedBlocks::Digit> digits;
  std::int32_t first = 0, stride = 1, size = 1;
  for (std::size_t d = n; d-- > 0; stride *= dims[d]) {
    if (remain[d]) {
      digits.push_back({dims[d], stride});
      size *= dims[d];
    } else {
      first += coords[d] * stride;
    }
  }
  if (const auto pattern = StridedBlocks::from_digits(first, digits, size)) return parent.derive(*pattern);
  std::vector<std::int32_t> parent_ranks{first};
  parent_ranks.reserve(static_cast<std::size_t>(size));
  for (const auto& [count, step] : digits) {
    const std::size_t inner = parent_ranks.size();
    for (std::int32_t c = 1; c < count; ++c)
      for (std::size_t i = 0; i < inner; ++i) parent_ranks.push_back(parent_ranks[i] + c * step);
  }
  return parent.derive(parent_ranks);
}

std::optional<RankMap> map_for_once(MPI_Comm communicator) {
  MPI_Group group = predefined().group_null;
  if (pmpi().Comm_group(communicator, &group) != MPI_SUCCESS) return std::nullopt;
  RankMap map = learn_and_free(group, MapForm::blocks);
  if (map.size() == 0 || has_foreign(map)) return std::nullopt;
  return map;
}

RankMap map_by_learning(MPI_Comm communicator) {
  MPI_Group group = predefined().group_null;
  checked("MPI_Comm_group", pmpi().Comm_group(communicator, &group));
  return learn_and_free(group);
}

RankMap map_of_remote_by_learning(MPI_Comm communicator) {
  MPI_Group group = predefined().group_null;
  checked("MPI_Comm_remote_group", pmpi().Comm_remote_group(communicator, &group));
  return learn_and_free(group);
}

}  // namespace marshal
