#include "files/packed_access.h"

#include <sys/resource.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/relaxed.h"
#include "files/file_counts.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "settings/settings_in_force.h"
#include "types/packing_engine.h"

namespace marshal::files {
namespace {

constinit Relaxed<bool> on{false};     // Marshal looks at buffers
constinit Relaxed<bool> packs{false};  // and packs them

// The longest mean blocks in bytes for which packing gains, as measured by `marshal bench files` in a tmpfs and on a
// disk.
struct Gate {
  std::int64_t writes, reads;
};
constexpr Gate ompio_alone{1024, 1024}, ompio_together{256, 800}, romio_alone{256, 256};
// Where the view has gaps, ROMIO's processes mostly exchange what they write. Else each writes its own part, by a
// buffer of 512 KiB that stays in the caches, which a copy of all that goes at once does not.
constexpr Gate romio_exchange{16, 64}, romio_together{8, 16};
constexpr std::int64_t least_bytes = 1024;
// The time that a copy saves of 1024 bytes before the type is read: less than was measured for any type that passes the
// gate.
constexpr float ns_saved_by_ompio = 2000, ns_saved_by_romio = 200;
// MARSHAL_FILES=on: each type is read at its first use.
constexpr float ns_saved_always = std::numeric_limits<float>::infinity();
// And of a piece, for the report.
constexpr std::uint64_t ns_a_piece_by_ompio = 100, ns_a_piece_by_romio = 4;
// Parts of this size stay in the caches while the host moves them: independent writes of 4 MiB to ROMIO took half the
// time of one copy of all.
constexpr std::int64_t largest_part = 512 * 1024;

const Gate& gate_of(const AccessKind& kind, const OpenFile& file) {
  if (!file.by_romio) return kind.collective ? ompio_together : ompio_alone;
  if (!kind.collective) return romio_alone;
  return file.view_has_gaps ? romio_exchange : romio_together;
}

bool packs_always() { return settings().files == FileEngine::on; }
float ns_saved_of_a_kib(const OpenFile& file) {
  return packs_always() ? ns_saved_always : file.by_romio ? ns_saved_by_romio : ns_saved_by_ompio;
}

bool is_worth_packing(const Access& access, const OpenFile& file) {
  if (packs_always()) return true;
  const Gate& gate = gate_of(access.kind, file);
  return access.buffer.bytes >= least_bytes &&
         access.buffer.layout->plan.mean_block() <= (access.kind.reads ? gate.reads : gate.writes);
}

std::uint64_t add_to(GappedCount& some, const Access& access) {
  const auto pieces = static_cast<std::uint64_t>(access.buffer.count * access.buffer.layout->plan.blocks());
  some.add(access.buffer.bytes);
  some.pieces += pieces;
  return pieces;
}

// Where a write passes the largest size of a file, how much of it is written before depends on the pieces of memory.
bool may_grow_without_end() {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY;
}

// A shared write cannot be made again. Where it ends early, OMPIO's status of it depends on the pieces of memory.
bool is_permitted(const AccessKind& kind, const OpenFile& file) {
  if (!kind.reads && kind.place == Place::shared_pointer && !file.by_romio) return false;
  // Nor do the two components give the same status of a shared read that ends behind the file.
  if (kind.reads && kind.place == Place::shared_pointer && !file.has_known_component) return false;
  return (kind.reads ? file.may_be_read : file.may_be_written && may_grow_without_end()) && file.is_native &&
         (!file.is_sequential || kind.place == Place::shared_pointer);
}

void set_bytes(MPI_Status& status, std::int64_t bytes) {
  pmpi().Status_set_elements_x(&status, predefined().type_byte, bytes);
}

MPI_Offset etypes_of(const Access& access) { return access.buffer.bytes / access.opened->etype_size; }

// How much of it goes at once. All of it, too, where whole elements and whole etypes make no part that is small enough.
std::int64_t size_of_part(const Access& access) {
  const auto most = static_cast<std::int64_t>(PackedCopy::most_memory());
  if (access.buffer.bytes <= std::min(most / 2, largest_part)) return access.buffer.bytes;
  int is_atomic = 1;
  if (access.kind.collective || access.kind.place == Place::shared_pointer ||
      pmpi().File_get_atomicity(access.file, &is_atomic) != MPI_SUCCESS || is_atomic != 0)
    return access.buffer.bytes;
  const std::int64_t unit =
      std::lcm(access.buffer.bytes / access.buffer.elements, std::int64_t{access.opened->etype_size});
  const std::int64_t part = std::min(most / 2, largest_part) / unit * unit;
  return part > 0 ? part : access.buffer.bytes;
}

// True unless all that is read certainly stands in the file. Places rise along the view.
bool may_end_inside(const Access& access) {
  const MPI_Offset last = access.begin + etypes_of(access) - 1;
  MPI_Offset place = 0, size = 0;
  return !access.opened->has_known_size || pmpi().File_get_byte_offset(access.file, last, &place) != MPI_SUCCESS ||
         pmpi().File_get_size(access.file, &size) != MPI_SUCCESS || size < place + access.opened->etype_end;
}

template <bool unpack>
void move(const Access& access, datatype::PackedRange range) {
  move_copy<unpack>(access.buffer.instances(), access.copy.data(), range);
}

}  // namespace

void begin() {
  const bool may_look =
      pmpi().File_read_at != nullptr && pmpi().File_seek != nullptr && !settings()[Option::files].by_mode;
  on = may_look && has_world() && packs_as_the_host();
  packs = on && settings().files != FileEngine::off;
}
bool are_on() { return on; }

std::unique_lock<std::recursive_mutex> hold_own_pointer(const AccessKind& kind, MPI_File handle) {
  OpenFile* const file = packs && !kind.collective && kind.place == Place::own_pointer ? find(handle) : nullptr;
  return file != nullptr ? std::unique_lock(file->at_own_pointer) : std::unique_lock<std::recursive_mutex>();
}
bool begin_access(Access& access, const AccessKind& kind, MPI_File handle, MPI_Offset offset,
                  const ProgramBuffer& buffer) {
  OpenFile* const file = find(handle);
  if (file == nullptr || !is_permitted(kind, *file) || (kind.place == Place::offset && offset < 0)) return false;
  std::optional<GappedBuffer> gapped = find_gapped(buffer, ns_saved_of_a_kib(*file));
  if (!gapped || gapped->bytes == 0 || gapped->bytes % file->etype_size != 0) return false;
  access.kind = kind;
  access.file = handle;
  access.opened = file;
  access.begin = offset;
  access.buffer = std::move(*gapped);
  if (!is_worth_packing(access, *file)) return false;
  if (packs) {
    if (kind.place == Place::own_pointer && (kind.reads || !kind.collective) &&
        pmpi().File_get_position(handle, &access.begin) != MPI_SUCCESS)
      return false;
    // The host's status and memory of a short read depend on the gaps of the buffer.
    if (kind.reads && kind.place != Place::shared_pointer && may_end_inside(access)) return false;
    access.part = size_of_part(access);
    access.copy = PackedCopy(access.part);
  }
  if (access.copy.data() != nullptr) return true;
  add_to(counts.left, access);
  return false;
}

// Nobody knows where a shared read will begin. Where the file ends inside, memory for which nothing comes must stay as
// it is, whatever the host says of it.
void before_host(const Access& access) {
  if (!access.kind.reads || access.kind.place == Place::shared_pointer) move<false>(access, {0, access.buffer.bytes});
}

bool may_be_made_again(const Access& access, const MPI_Status& status) {
  if (access.kind.collective || access.kind.place == Place::shared_pointer || bytes_in(status) >= access.buffer.bytes)
    return false;
  return access.kind.place != Place::own_pointer ||
         pmpi().File_seek(access.file, access.begin, MPI_SEEK_SET) == MPI_SUCCESS;
}

// Where the file ends inside, ROMIO says of gapped memory that all came. OMPIO has one way for both kinds of memory.
void after_host(const Access& access, MPI_Status& status) {
  if (!access.kind.reads) return;
  const std::int64_t came = std::min(bytes_in(status), access.buffer.bytes);
  move<true>(access, {0, came});
  if (access.kind.place == Place::shared_pointer && access.opened->by_romio && came != access.buffer.bytes)
    set_bytes(status, access.buffer.bytes);
}

void unpack_all(const Access& access) {
  if (access.kind.reads) move<true>(access, {0, access.buffer.bytes});
}

namespace {

// By the host's own pointer, if the program's access is: behind an access of broken etypes it stands inside one.
int run_part(const Access& access, std::int64_t from, int elements, MPI_Status& status) {
  void* const data = access.copy.data();
  const MPI_Datatype type = access.buffer.element;
  if (access.kind.place == Place::own_pointer)
    return access.kind.reads ? pmpi().File_read(access.file, data, elements, type, &status)
                             : pmpi().File_write(access.file, data, elements, type, &status);
  const MPI_Offset place = access.begin + from / access.opened->etype_size;
  return access.kind.reads ? pmpi().File_read_at(access.file, place, data, elements, type, &status)
                           : pmpi().File_write_at(access.file, place, data, elements, type, &status);
}

}  // namespace

int run_in_parts(const Access& access, MPI_Status& status) {
  const bool reads = access.kind.reads, by_pointer = access.kind.place == Place::own_pointer;
  const std::int64_t whole = access.buffer.bytes, element = whole / access.buffer.elements;
  std::int64_t moved = 0;
  for (std::int64_t from = 0; from < whole && moved == from; from += access.part) {
    const datatype::PackedRange range{from, std::min(from + access.part, whole)};
    if (!reads) move<false>(access, range);
    MPI_Status own = status;
    const int code = run_part(access, from, static_cast<int>((range.to - from) / element), own);
    if (code != MPI_SUCCESS) {
      if (by_pointer && from != 0) pmpi().File_seek(access.file, access.begin, MPI_SEEK_SET);
      return code;
    }
    const std::int64_t came = std::min(bytes_in(own), range.to - from);
    if (reads && came == range.to - from) move<true>(access, range);
    moved += came;
  }
  set_bytes(status, moved);
  if (by_pointer && moved != whole) pmpi().File_seek(access.file, access.begin + etypes_of(access), MPI_SEEK_SET);
  return MPI_SUCCESS;
}

void count_packed(const Access& access) {
  counts.predicted_saved_ns +=
      add_to(counts.packed, access) * (access.opened->by_romio ? ns_a_piece_by_romio : ns_a_piece_by_ompio);
}

void leave_with_file(Access&& access) noexcept {
  OpenFile& file = *access.opened;
  file.split = std::move(access);
}

std::optional<Access> take_from_file(MPI_File handle, bool reads) noexcept {
  OpenFile* const file = find(handle);
  if (file == nullptr || !file->split || file->split->kind.reads != reads) return std::nullopt;
  return std::exchange(file->split, std::nullopt);
}

}  // namespace marshal::files
