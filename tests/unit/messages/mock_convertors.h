// A host with convertors: what of Open MPI messages/openmpi/convertors.h knows, for datatypes that are vectors.
#pragma once

#include <mpi.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

namespace marshal::mock {

// All datatypes have this shape, in bytes.
struct Shape {
  std::size_t blocks, length, stride;
  std::size_t size() const { return blocks * length; }
  std::size_t extent() const { return (blocks - 1) * stride + length; }
};
inline constexpr Shape of_try_out{5, 12, 16};
inline Shape shape = of_try_out;

struct Convertor;
using Advance = std::int32_t (*)(Convertor*, iovec*, std::uint32_t*, std::size_t*);
struct Convertor {
  std::byte object[16];
  std::uint32_t remote_architecture, flags;
  std::size_t local_size, remote_size;
  const void *type, *description;
  std::size_t count;
  std::uint32_t stack_size;
  std::byte* user;
  void* stack;
  Advance advance;
  void* master;
  std::uint32_t host_at;  // in the place of Open MPI's stack: the packed byte from where the host goes on
  std::size_t partial_length;
  std::size_t converted;
};
static_assert(sizeof(Convertor) == 128);

inline constexpr std::uint32_t completed = 0x08000000, homogeneous = 0x80000, for_receive = 0x20000, for_send = 0x40000;

// This host can be faulty.
struct Faults {
  bool has_no_convertors = false, has_no_positions = false, has_other_flags = false, has_checksums = false,
       does_not_rewind = false, tells_other_places = false, forgets_count_in_clones = false;
};
inline Faults faults;

inline int moved_by_host = 0, positions_set = 0;  // calls

inline char of_type[64];  // Open MPI's handles are addresses
inline const auto committed = reinterpret_cast<MPI_Datatype>(of_type);

// Where a packed byte of the message is.
std::byte* place(const Convertor& c, std::size_t packed_byte);

// The host's functions.
template <bool unpack>
std::int32_t advance(Convertor* c, iovec* iovecs, std::uint32_t* iovec_count, std::size_t* moved);
template <bool unpack>
int prepare(void* convertor, const void* type, std::size_t count, const void* user);
int set_position(void* convertor, std::size_t* position);
std::int32_t raw(void* convertor, void* places, std::uint32_t* place_count, std::size_t* length);

// Lets convertors.h find this host.
void start();

}  // namespace marshal::mock
