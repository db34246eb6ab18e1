
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/launcher.h"
#include "base/message.h"
#include "datatype/flatten.h"
#include "datatype/tuning.h"
#include "datatype/walk.h"
#include "host/host_family.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "settings/settings_in_force.h"
#include "types/packing_engine.h"
#include "types/type_reader.h"

namespace marshal {
namespace {

datatype::CompileOptions compile_options() {
  datatype::CompileOptions options;
  if (settings().pack == PackEngine::mars) options.strategy = datatype::Strategy::mars;
  if (settings().pack == PackEngine::iovec) options.strategy = datatype::Strategy::iovec;
  static const datatype::Tuning tuning = [] {
    std::string problem;
    const datatype::Tuning loaded = datatype::load_tuning(settings().text(Option::tune), problem);
    if (!problem.empty()) say_line(first_of_job() ? Level::warning : Level::info, problem);
    return loaded;
  }();
  options.segment_bytes = tuning.segment_bytes;
  options.stream_bytes = tuning.stream_bytes;
  options.stages_fragments = tuning.stages_fragments != 0;
  const OptionValue& segment = settings()[Option::segment];
  if (segment.word < 0)
    options.segment = {segment.bytes ? datatype::Segment::Unit::bytes : datatype::Segment::Unit::iterations,
                       segment.integer};
  return options;
}

// True unless the blocks follow each other in memory, upwards and without overlap.
bool is_unusual(const datatype::Pieces& pieces) {
  std::int64_t end = std::numeric_limits<std::int64_t>::min();
  for (const datatype::Piece& p : pieces) {
    const datatype::Span span = datatype::touched(p);
    if (span.first < end || p.stride < 0 || (!p.body.empty() && is_unusual(p.body))) return true;
    end = span.end;
  }
  return false;
}

// MPICH 4.0 divides by zero when it packs some types that have parts without data, so no such type is tried. It packs
// the others as the standard says.
bool dies_of_parts_without_data() { return !is_open_mpi(); }

// Open MPI 4.1 packs some types with negative strides, or with parts without data, in another order than the
// standard's. Such types are tried out once, and stay with a host that does not agree. Both hosts have been seen to
// read bytes that such a type does not have: there must be some on either side.
bool are_packed_alike(int count, MPI_Datatype handle, const datatype::Pieces& pieces, std::int64_t extent) {
  constexpr std::int64_t most = 1 << 20;
  const datatype::Span one = datatype::touched(pieces);
  const std::int64_t reach = (count - 1) * extent;
  const std::int64_t first = one.first + std::min<std::int64_t>(reach, 0);
  const std::int64_t span = one.end + std::max<std::int64_t>(reach, 0) - first;
  const std::int64_t size = count * datatype::packed_size(pieces);
  if (span > most || size > most || !has_world()) return false;
  const std::int64_t around = span + 16 * 1024, to_origin = around - first;
  std::vector<std::byte> user(static_cast<std::size_t>(span + 2 * around)), ours(static_cast<std::size_t>(size)),
      theirs(ours);
  std::uint32_t noise = 1;
  for (std::byte& b : user) b = static_cast<std::byte>((noise = noise * 1664525 + 1013904223) >> 24);
  int position = 0;
  const PackingByHost packing;
  const int code = pmpi().Pack(user.data() + to_origin, count, handle, theirs.data(), static_cast<int>(size), &position,
                               predefined().comm_self);
  datatype::reference_pack(pieces, extent, count, user.data() + to_origin, ours.data(), {0, size});
  return code == MPI_SUCCESS && position == size && ours == theirs;
}

void require_same_bytes(MPI_Datatype handle, const datatype::Type& type, const datatype::Pieces& pieces) {
  const auto alike = [&](int count) { return are_packed_alike(count, handle, pieces, type.extent()); };
  const bool unusual = is_unusual(pieces), part_without_data = datatype::has_part_without_data(type);
  if (dies_of_parts_without_data() && unusual && part_without_data)
    throw LeftToHost{"a part without data, and blocks out of order"};
  if ((unusual || (part_without_data && !dies_of_parts_without_data())) && !(alike(1) && alike(3)))
    throw LeftToHost{"the host packs other bytes than the standard says"};
}

void find_layout(MPI_Datatype handle, Layouts& layouts, Datatype& of) {
  const datatype::Type type = read_type(handle);
  if (type.size() == 0) throw LeftToHost{"nothing to pack"};
  Layouts::Code code = datatype::encoded(type);
  of.layout = layouts.find(code);
  if (of.layout == nullptr) try {
      datatype::Pieces pieces = datatype::flattened(type);
      require_same_bytes(handle, type, pieces);
      of.layout = layouts.share(std::move(code), std::move(pieces), type.extent(), compile_options());
    } catch (const datatype::LayoutTooLarge&) {
      throw LeftToHost{"more blocks than Marshal keeps"};
    }
  of.element = datatype::element_size(type);
  of.element_key = datatype::only_element(type);
  of.touched = of.layout->plan.touched();
}

}  // namespace

std::unique_ptr<Datatype> describe(MPI_Datatype handle, Layouts& layouts) {
  auto type = std::make_unique<Datatype>();
  try {
    find_layout(handle, layouts, *type);
  } catch (const LeftToHost& reason) {
    type->why_not = reason.why;
    type->kind = kind_of(handle);
  }
  return type;
}

}  // namespace marshal
