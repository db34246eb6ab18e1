#include "files/packed_access.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <numeric>
#include <utility>

#include "base/relaxed.h"
#include "files/open_files.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "settings/settings_in_force.h"
#include "types/packing_engine.h"

namespace marshal::files {
namespace {

constinit Relaxed<bool> on{false};     // Marshal looks at buffers
constinit Relaxed<bool> packs{false};  // and packs them
constinit Relaxed<bool> threads_at_once{true};

// Parts of this size stay in the caches while the host moves them: independent writes of 4 MiB to ROMIO took half the
// time of one copy of all.
constexpr std::int64_t largest_part = 512 * 1024;

Way way_of(const AccessKind& kind, const OpenFile& file) {
  if (!file.by_romio)
    return kind.collective || kind.positioning == Positioning::shared_pointer ? Way::ompio_together : Way::ompio_alone;
  if (!kind.collective) return file.view_is_plain ? Way::romio_alone : Way::romio_by_pieces;
  return file.view_has_gaps ? Way::romio_exchange : Way::romio_together;
}

std::uint64_t add_to(report::GappedAccesses& some, const Access& access) {
  const auto pieces = static_cast<std::uint64_t>(access.buffer.count * access.buffer.layout->plan.blocks());
  add_access(some, access.buffer.bytes);
  add_relaxed(some.pieces, pieces);
  return pieces;
}

// Where a write passes the largest size of a file, how much of it is written before depends on the pieces of memory.
bool may_grow_without_end() {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY;
}

// Only independent accesses can be made again (may_be_made_again()), and of the others less may come than was asked
// for. Then OMPIO's status of a shared write depends on the pieces of memory. The status of a read is set as the
// component sets it, which must be known. Between begin and end of a split read, nobody knows yet where ROMIO leaves
// the own pointer.
bool may_end_early(const AccessKind& kind, const OpenFile& file) {
  const bool is_shared = kind.positioning == Positioning::shared_pointer;
  if (!kind.reads) return !is_shared || file.by_romio;
  if (!is_shared && !kind.collective) return true;
  return file.by_ompio || (file.by_romio && !(kind.is_split && kind.positioning == Positioning::own_pointer));
}

bool is_permitted(const AccessKind& kind, const OpenFile& file) {
  return may_end_early(kind, file) && (kind.reads ? file.may_be_read : file.may_be_written && may_grow_without_end()) &&
         file.is_native && (!file.is_sequential || kind.positioning == Positioning::shared_pointer);
}

void set_bytes(MPI_Status& status, std::int64_t bytes) {
  pmpi().Status_set_elements_x(&status, predefined().type_byte, bytes);
}

MPI_Offset etypes_of(const Access& access, std::int64_t bytes) { return bytes / access.opened->etype_size; }

void move_own_pointer(const Access& access, MPI_Offset etypes) { pmpi().File_seek(access.file, etypes, MPI_SEEK_CUR); }

// In parts no other access may be between two of them. In atomic mode the host sees to that within one call. Another
// thread may use the own pointer, which stands still while the parts go by offset. It may also stand inside an etype,
// as after a read of which only a piece came: no offset says so.
bool may_go_in_parts(const Access& access) {
  const bool by_pointer = access.kind.positioning == Positioning::own_pointer;
  int is_atomic = 1;
  return !access.kind.collective && access.kind.positioning != Positioning::shared_pointer &&
         (!by_pointer || (!threads_at_once && access.opened->etype_size == 1)) &&
         pmpi().File_get_atomicity(access.file, &is_atomic) == MPI_SUCCESS && is_atomic == 0;
}

// How much of it goes at once. All of it, too, where whole elements and whole etypes make no part that is small enough.
std::int64_t size_of_part(const Access& access) {
  const auto most = static_cast<std::int64_t>(PackedCopy::most_memory());
  const std::int64_t whole = access.buffer.bytes, largest = std::min(most / 2, largest_part);
  if (whole <= largest || !may_go_in_parts(access)) return whole;
  const std::int64_t unit = std::lcm(whole / access.buffer.elements, std::int64_t{access.opened->etype_size});
  const std::int64_t part = largest / unit * unit;
  return part > 0 ? part : whole;
}

// True if the status of a read says how many bytes came. OMPIO's collective reads always say all. So does ROMIO, unless
// both the memory and the view have one piece.
bool says_what_came(const Access& access) {
  return !access.kind.collective && access.kind.positioning != Positioning::shared_pointer &&
         (access.opened->by_ompio || access.opened->view_is_plain);
}

template <bool unpack>
void move(const Access& access, datatype::PackedRange range) {
  move_copy<unpack>(access.buffer.instances(), access.copy.data(), range);
}

}  // namespace

void begin() {
  begin_to_choose();
  const bool may_look =
      pmpi().File_read_at != nullptr && pmpi().File_seek != nullptr && !settings()[Option::files].by_mode;
  on = may_look && has_world() && packs_as_the_host();
  packs = on && settings().files != FileEngine::off;
  threads_at_once = threads_enter_at_once();
}
bool are_on() { return on; }

bool begin_access(Access& access, const AccessKind& kind, MPI_File handle, MPI_Offset offset,
                  const ProgramBuffer& buffer) {
  OpenFile* const file = find(handle);
  if (file == nullptr || !is_permitted(kind, *file) || (kind.positioning == Positioning::offset && offset < 0))
    return false;
  const Way way = way_of(kind, *file);
  std::optional<GappedBuffer> gapped = find_gapped(buffer, way);
  if (!gapped || gapped->bytes == 0 || gapped->bytes % file->etype_size != 0) return false;
  access.kind = kind;
  access.file = handle;
  access.opened = file;
  access.begin = offset;
  access.buffer = std::move(*gapped);
  if (access.buffer.layout->side(way, kind.reads, access.buffer.bytes) == HostTrial::Side::host) return false;
  if (packs) {
    access.part = size_of_part(access);
    if (access.goes_in_parts() && kind.positioning == Positioning::own_pointer &&
        pmpi().File_get_position(handle, &access.begin) != MPI_SUCCESS)
      return false;
    access.copy = PackedCopy(access.part);
  }
  if (access.copy.data() != nullptr) return true;
  add_to(counts.left, access);
  return false;
}

// Memory for which nothing comes must stay as it is, whatever the host says of it.
void before_host(const Access& access) {
  if (!access.kind.reads || !says_what_came(access)) move<false>(access, {0, access.buffer.bytes});
}

// An access that ended early moved the own pointer of OMPIO by all that was asked for, and that of ROMIO by what came.
bool may_be_made_again(const Access& access, const MPI_Status& status) {
  if (access.kind.collective || access.kind.positioning == Positioning::shared_pointer) return false;
  const std::int64_t came = bytes_in(status);
  if (came >= access.buffer.bytes) return false;
  if (access.kind.positioning == Positioning::own_pointer && !access.goes_in_parts())
    move_own_pointer(access, -etypes_of(access, access.opened->by_romio ? came : access.buffer.bytes));
  return true;
}

// Where the file ends inside, ROMIO says of gapped memory that all came, and moves the own pointer by all of it. OMPIO
// has one way for both kinds of memory.
void after_host(const Access& access, MPI_Status& status) {
  if (!access.kind.reads) return;
  const std::int64_t all = access.buffer.bytes, came = std::min(bytes_in(status), all);
  move<true>(access, {0, came});
  if (came == all || !access.opened->by_romio) return;
  set_bytes(status, all);
  if (access.kind.positioning == Positioning::own_pointer)
    move_own_pointer(access, etypes_of(access, all) - etypes_of(access, came));
}

void unpack_all(const Access& access) {
  if (access.kind.reads) move<true>(access, {0, access.buffer.bytes});
}

namespace {

int run_part(const Access& access, std::int64_t from, int elements, MPI_Status& status) {
  void* const data = access.copy.data();
  const MPI_Datatype type = access.buffer.element;
  const MPI_Offset place = access.begin + etypes_of(access, from);
  return access.kind.reads ? pmpi().File_read_at(access.file, place, data, elements, type, &status)
                           : pmpi().File_write_at(access.file, place, data, elements, type, &status);
}

}  // namespace

int run_in_parts(const Access& access, MPI_Status& status) {
  const bool reads = access.kind.reads;
  const std::int64_t whole = access.buffer.bytes, element = whole / access.buffer.elements;
  std::int64_t moved = 0;
  for (std::int64_t from = 0; from < whole && moved == from; from += access.part) {
    const datatype::PackedRange range{from, std::min(from + access.part, whole)};
    if (!reads || !says_what_came(access)) move<false>(access, range);
    MPI_Status own = status;
    const int code = run_part(access, from, static_cast<int>((range.to - from) / element), own);
    if (code != MPI_SUCCESS) return code;
    const std::int64_t came = std::min(bytes_in(own), range.to - from);
    if (reads && came == range.to - from) move<true>(access, range);
    moved += came;
  }
  set_bytes(status, moved);
  if (access.kind.positioning == Positioning::own_pointer && moved == whole)
    move_own_pointer(access, etypes_of(access, whole));
  return MPI_SUCCESS;
}

void count_packed(const Access& access) {
  const Way way = way_of(access.kind, *access.opened);
  add_relaxed(counts.predicted_saved_ns, add_to(counts.packed, access) * priors::ns_saved_of_a_piece_in_files(way));
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

namespace {

struct Done {
  MPI_Count bytes;
};

// Its source and tag are zero, as ROMIO's are.
extern "C" int tell_done(void* state, MPI_Status* status) {
  const Pmpi& p = pmpi();
  status->MPI_SOURCE = status->MPI_TAG = 0;
  const int code = p.Status_set_elements_x(status, predefined().type_byte, static_cast<const Done*>(state)->bytes);
  return code == MPI_SUCCESS ? p.Status_set_cancelled(status, 0) : code;
}
extern "C" int free_done(void* state) {
  delete static_cast<Done*>(state);
  return MPI_SUCCESS;
}
extern "C" int cancel_done(void*, int) { return MPI_SUCCESS; }

}  // namespace

int make_done_request(const MPI_Status& status, MPI_Request* request) {
  const Pmpi& p = pmpi();
  std::unique_ptr<Done> done(new (std::nothrow) Done{});
  if (done == nullptr) return MPI_ERR_NO_MEM;
  int code = p.Get_elements_x(&status, predefined().type_byte, &done->bytes);
  if (code == MPI_SUCCESS) code = p.Grequest_start(tell_done, free_done, cancel_done, done.get(), request);
  if (code != MPI_SUCCESS) return code;
  static_cast<void>(done.release());  // free_done() has it now
  return p.Grequest_complete(*request);
}

}  // namespace marshal::files
