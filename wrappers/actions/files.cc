// Reads and writes of files: where the buffer has gaps, by a contiguous copy (files/packed_access.h). All other calls
// go to the host untouched.
#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "files/open_files.h"
#include "files/packed_access.h"
#include "host/host_family.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "wrappers/actions/program_status.h"
#include "wrappers/entry/actions.h"
#include "wrappers/entry/sentinels.h"

namespace marshal::action {
namespace {

using files::Access;
using files::AccessKind;
using files::after_host, files::before_host, files::leave_with_file, files::run_in_parts;
using files::Positioning;

// The host's functions for one kind of access. One of each pair has an offset.
struct Functions {
  decltype(Pmpi::File_read) Pmpi::*run = nullptr;
  decltype(Pmpi::File_read_at) Pmpi::*run_at = nullptr;
  decltype(Pmpi::File_read_all_begin) Pmpi::*begin = nullptr;
  decltype(Pmpi::File_read_at_all_begin) Pmpi::*begin_at = nullptr;
  decltype(Pmpi::File_read_all_end) Pmpi::*end = nullptr;
};

// The calls of that kind: the whole one, the nonblocking one or the begin, each with large counts, too; and the end.
struct DataCalls {
  std::array<Call, 5> calls;
  AccessKind kind;
  Functions functions;
};

constexpr bool writes = false, reads = true, alone = false, together = true;
// The nonblocking collective calls stay the host's: it goes on with them in the background.
constexpr DataCalls table[] = {
    {{Call::File_write, Call::File_write_c, Call::File_iwrite, Call::File_iwrite_c, Call{}},
     {writes, alone, Positioning::own_pointer},
     {.run = &Pmpi::File_write}},
    {{Call::File_write_at, Call::File_write_at_c, Call::File_iwrite_at, Call::File_iwrite_at_c, Call{}},
     {writes, alone, Positioning::offset},
     {.run_at = &Pmpi::File_write_at}},
    {{Call::File_write_shared, Call::File_write_shared_c, Call::File_iwrite_shared, Call::File_iwrite_shared_c, Call{}},
     {writes, alone, Positioning::shared_pointer},
     {.run = &Pmpi::File_write_shared}},
    {{Call::File_write_all, Call::File_write_all_c, Call::File_write_all_begin, Call::File_write_all_begin_c,
      Call::File_write_all_end},
     {writes, together, Positioning::own_pointer},
     {.run = &Pmpi::File_write_all, .begin = &Pmpi::File_write_all_begin, .end = &Pmpi::File_write_all_end}},
    {{Call::File_write_at_all, Call::File_write_at_all_c, Call::File_write_at_all_begin,
      Call::File_write_at_all_begin_c, Call::File_write_at_all_end},
     {writes, together, Positioning::offset},
     {.run_at = &Pmpi::File_write_at_all,
      .begin_at = &Pmpi::File_write_at_all_begin,
      .end = &Pmpi::File_write_at_all_end}},
    {{Call::File_write_ordered, Call::File_write_ordered_c, Call::File_write_ordered_begin,
      Call::File_write_ordered_begin_c, Call::File_write_ordered_end},
     {writes, together, Positioning::shared_pointer},
     {.run = &Pmpi::File_write_ordered,
      .begin = &Pmpi::File_write_ordered_begin,
      .end = &Pmpi::File_write_ordered_end}},
    {{Call::File_read, Call::File_read_c, Call::File_iread, Call::File_iread_c, Call{}},
     {reads, alone, Positioning::own_pointer},
     {.run = &Pmpi::File_read}},
    {{Call::File_read_at, Call::File_read_at_c, Call::File_iread_at, Call::File_iread_at_c, Call{}},
     {reads, alone, Positioning::offset},
     {.run_at = &Pmpi::File_read_at}},
    {{Call::File_read_shared, Call::File_read_shared_c, Call::File_iread_shared, Call::File_iread_shared_c, Call{}},
     {reads, alone, Positioning::shared_pointer},
     {.run = &Pmpi::File_read_shared}},
    {{Call::File_read_all, Call::File_read_all_c, Call::File_read_all_begin, Call::File_read_all_begin_c,
      Call::File_read_all_end},
     {reads, together, Positioning::own_pointer},
     {.run = &Pmpi::File_read_all, .begin = &Pmpi::File_read_all_begin, .end = &Pmpi::File_read_all_end}},
    {{Call::File_read_at_all, Call::File_read_at_all_c, Call::File_read_at_all_begin, Call::File_read_at_all_begin_c,
      Call::File_read_at_all_end},
     {reads, together, Positioning::offset},
     {.run_at = &Pmpi::File_read_at_all,
      .begin_at = &Pmpi::File_read_at_all_begin,
      .end = &Pmpi::File_read_at_all_end}},
    {{Call::File_read_ordered, Call::File_read_ordered_c, Call::File_read_ordered_begin,
      Call::File_read_ordered_begin_c, Call::File_read_ordered_end},
     {reads, together, Positioning::shared_pointer},
     {.run = &Pmpi::File_read_ordered, .begin = &Pmpi::File_read_ordered_begin, .end = &Pmpi::File_read_ordered_end}},
};

// The first call of all, which Call{} is, is none of a file.
const DataCalls* find_calls(Call call) {
  const auto* const found =
      std::ranges::find_if(table, [=](const DataCalls& one) { return std::ranges::count(one.calls, call) > 0; });
  return found != std::end(table) ? found : nullptr;
}

const DataCalls* calls_to_pack(Call call) { return files::are_on() ? find_calls(call) : nullptr; }

// Counts what the program asked for, of a call that succeeded.
int counted(const HostCall& host, int code, MPI_Count count, MPI_Datatype type) {
  MPI_Count size = 0;
  if (!files::are_on() || code != MPI_SUCCESS || type == predefined().type_null) return code;
  if (count > 0 && pmpi().Type_size_x(type, &size) != MPI_SUCCESS) return code;
  const bool is_read = std::string_view(name_of(host.call)).find("read") != std::string_view::npos;
  files::add_access(is_read ? files::counts.read : files::counts.written, count * size);
  return code;
}

bool begin_packed(Access& access, const AccessKind& kind, const HostCall& host, MPI_File file, MPI_Aint offset,
                  void* memory, MPI_Count count, MPI_Datatype type) {
  bool begun = false;
  HostCall::own([&] {
    const std::optional<ProgramBuffer> buffer = buffer_in_c(host.binding, memory, count, type);
    begun = buffer && files::begin_access(access, kind, file, offset, *buffer);
  });
  return begun;
}

int run_packed(const Access& access, const Functions& functions, MPI_Status& status) {
  if (access.goes_in_parts()) return run_in_parts(access, status);
  before_host(access);
  void* const data = access.copy.data();
  const GappedBuffer& buffer = access.buffer;
  const Pmpi& p = pmpi();
  return functions.run != nullptr
             ? (p.*functions.run)(access.file, data, buffer.elements, buffer.element, &status)
             : (p.*functions.run_at)(access.file, access.begin, data, buffer.elements, buffer.element, &status);
}

// After a packed access that succeeded. False if the host is to make the program's call after all.
bool ends_packed(const Access& access, MPI_Status& status) {
  if (files::may_be_made_again(access, status)) return false;
  if (!access.goes_in_parts()) after_host(access, status);
  files::count_packed(access);
  return true;
}

}  // namespace

int set_view(HostCall& host, MPI_File file, MPI_Datatype etype, MPI_Datatype filetype, const char* datarep) {
  const int code = host();
  if (code == MPI_SUCCESS && files::are_on()) HostCall::own([&] { files::note_view(file, etype, filetype, datarep); });
  return code;
}

int access_at(HostCall& host, MPI_File file, MPI_Aint offset, void* memory, MPI_Count count, MPI_Datatype type,
              void* program_status) {
  const DataCalls* const calls = calls_to_pack(host.call);
  if (calls == nullptr) return counted(host, host(), count, type);
  Access access;
  if (!begin_packed(access, calls->kind, host, file, offset, memory, count, type))
    return counted(host, host(), count, type);
  ProgramStatus status(host.binding, program_status);
  if (!status.is_known()) return counted(host, host(), count, type);
  const int code = host.instead([&] {
    const int answer = run_packed(access, calls->functions, status.own);
    if (answer == MPI_SUCCESS && !ends_packed(access, status.own)) return host.after_all();
    status.write_back();
    return answer;
  });
  return counted(host, code, count, type);
}

int access(HostCall& host, MPI_File file, void* memory, MPI_Count count, MPI_Datatype type, void* status) {
  return access_at(host, file, 0, memory, count, type, status);
}

int begin_access_at(HostCall& host, MPI_File file, MPI_Aint offset, void* memory, MPI_Count count, MPI_Datatype type) {
  const DataCalls* const calls = calls_to_pack(host.call);
  Access access;
  if (calls == nullptr) return counted(host, host(), count, type);
  AccessKind kind = calls->kind;
  kind.is_split = true;
  if (!begin_packed(access, kind, host, file, offset, memory, count, type)) return counted(host, host(), count, type);
  const int code = host.instead([&] {
    before_host(access);
    void* const data = access.copy.data();
    const GappedBuffer& buffer = access.buffer;
    const Functions& functions = calls->functions;
    const Pmpi& p = pmpi();
    const int answer = functions.begin != nullptr
                           ? (p.*functions.begin)(file, data, buffer.elements, buffer.element)
                           : (p.*functions.begin_at)(file, access.begin, data, buffer.elements, buffer.element);
    if (answer == MPI_SUCCESS) {
      files::count_packed(access);
      leave_with_file(std::move(access));
    }
    return answer;
  });
  return counted(host, code, count, type);
}

int begin_access(HostCall& host, MPI_File file, void* memory, MPI_Count count, MPI_Datatype type) {
  return begin_access_at(host, file, 0, memory, count, type);
}

int end_access(HostCall& host, MPI_File file, void*, void* program_status) {
  const DataCalls* const calls = find_calls(host.call);
  ProgramStatus status(host.binding, program_status);
  std::optional<Access> begun;
  if (calls != nullptr) begun = files::take_from_file(file, calls->kind.reads);
  if (!begun) return host();
  if (!status.is_known()) {
    const int code = host();
    if (code == MPI_SUCCESS) files::unpack_all(*begun);
    return code;
  }
  return host.instead([&] {
    const int code = (pmpi().*calls->functions.end)(file, begun->copy.data(), &status.own);
    if (code == MPI_SUCCESS) after_host(*begun, status.own);
    status.write_back();
    return code;
  });
}

// ROMIO does nonblocking accesses of gapped memory at once, and hands out a request that is complete. So is this one.
// Where an access fails, MPICH hands out such a request nevertheless, of no bytes. Two of its functions call the
// handler, except by the shared pointer. Open MPI's stay its own: OMPIO goes on with them in the background, and its
// ROMIO calls the handler once.
int start_access_at(HostCall& host, MPI_File file, MPI_Aint offset, void* memory, MPI_Count count, MPI_Datatype type,
                    MPI_Request* request) {
  const DataCalls* const calls = calls_to_pack(host.call);
  if (calls == nullptr) return counted(host, host(), count, type);
  Access access;
  if (is_open_mpi() || request == nullptr ||
      !begin_packed(access, calls->kind, host, file, offset, memory, count, type))
    return counted(host, host(), count, type);
  const int code = host.instead([&] {
    MPI_Status status{};
    const int answer = run_packed(access, calls->functions, status);
    const bool failed = answer != MPI_SUCCESS;
    if (!failed && !ends_packed(access, status)) return host.after_all();
    const int made = files::make_done_request(failed ? MPI_Status{} : status, request);
    if (!failed) return made;
    if (calls->kind.positioning != Positioning::shared_pointer) pmpi().File_call_errhandler(file, answer);
    return answer;
  });
  return counted(host, code, count, type);
}
int start_access(HostCall& host, MPI_File file, void* memory, MPI_Count count, MPI_Datatype type,
                 MPI_Request* request) {
  return start_access_at(host, file, 0, memory, count, type, request);
}

}  // namespace marshal::action
