// The files that the program has open, as far as packing for them needs it.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>

#include "base/relaxed.h"
#include "copies/gapped_buffer.h"
#include "record/traffic.h"

namespace marshal::files {

// What this process read and wrote so far: the very struct that the report adds up. Threads add without a lock: two
// threads at the same moment may count two calls as one.
inline constinit report::Files counts;

inline void add_relaxed(std::uint64_t& count, std::uint64_t more) {
  const std::atomic_ref<std::uint64_t> shared(count);
  shared.store(shared.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

template <class Accesses>
void add_access(Accesses& some, std::int64_t bytes) {
  add_relaxed(some.calls, 1);
  add_relaxed(some.bytes, static_cast<std::uint64_t>(bytes));
}

// Other threads may count meanwhile.
template <class Counts>
Counts copy_of(Counts& shared) {
  if constexpr (std::is_integral_v<Counts>)
    return std::atomic_ref<Counts>(shared).load(std::memory_order_relaxed);
  else
    return std::apply([](auto&... counts_of) { return Counts{copy_of(counts_of)...}; }, shared.fields());
}

struct OpenFile;

// Where in the file a call begins.
enum class Positioning : std::uint8_t { offset, own_pointer, shared_pointer };

struct AccessKind {
  bool reads, collective;
  Positioning positioning;
  bool is_split = false;
};

// One read or write of a buffer with gaps by a contiguous copy.
struct Access {
  AccessKind kind{};
  MPI_File file{};
  OpenFile* opened = nullptr;
  MPI_Offset begin = 0;  // in etypes: the call's offset; where the own pointer stands, if it goes in parts
  GappedBuffer buffer{};
  PackedCopy copy;
  std::int64_t part = 0;  // bytes that go at once

  bool goes_in_parts() const { return part < buffer.bytes; }
};

// The part of a host that reads and writes a file.
enum class Component : std::uint8_t { ompio, romio, unknown };

struct OpenFile {
  OpenFile(int access_mode, Component component)
      : may_be_read((access_mode & MPI_MODE_WRONLY) == 0),
        may_be_written((access_mode & MPI_MODE_RDONLY) == 0),
        is_sequential((access_mode & MPI_MODE_SEQUENTIAL) != 0),
        by_ompio(component == Component::ompio),
        by_romio(component == Component::romio) {}

  const bool may_be_read, may_be_written, is_sequential;
  const bool by_ompio, by_romio;        // neither: unknown
  Relaxed<bool> is_native{true};        // the data representation of its view
  Relaxed<std::int64_t> etype_size{1};  // of its view, in bytes
  Relaxed<bool> view_is_plain{true};    // elements of a predefined type, one after the other
  Relaxed<bool> view_has_gaps{false};
  // A split collective access, from its begin to its end. MPI allows one at a time, and only begin and end look here.
  std::optional<Access> split;
};

// The host has opened the file, with this mode of access. Asks the host nothing.
void enter(MPI_File file, int access_mode);
// It has got a view. `datarep`: its data representation; null where only the host knows it (in Fortran).
void note_view(MPI_File file, MPI_Datatype etype, MPI_Datatype filetype, const char* datarep);
// It is about to be closed. The last one to close gives the memory of copies back. Any thread, in any call.
void forget(MPI_File file);

// Null if it was opened unseen. Valid until the file is closed.
OpenFile* find(MPI_File file);

}  // namespace marshal::files
