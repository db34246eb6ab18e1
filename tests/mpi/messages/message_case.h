// A datatype in a message, and the memory around it; what the bare host packs and unpacks of the same data.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace marshal::testing {

using Bytes = std::vector<std::byte>;

// How a rank has the type.
enum class Known { by_commit, by_dup, not_at_all };

class Variant {
 public:
  Variant(MPI_Datatype type, Known known) : type_(type), own_(known != Known::by_commit) {
    if (known == Known::by_dup) MPI_Type_dup(type, &type_);
    if (known == Known::not_at_all) PMPI_Type_dup(type, &type_);
  }
  ~Variant() {
    if (own_ && type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  }
  Variant(const Variant&) = delete;
  Variant& operator=(const Variant&) = delete;
  MPI_Datatype get() const { return type_; }
  void free_early() { own_ = MPI_Type_free(&type_) != MPI_SUCCESS; }
  bool is_own() const { return own_; }

 private:
  MPI_Datatype type_;
  bool own_;
};

inline void fill(Bytes& bytes, std::uint64_t seed) {
  auto noise = static_cast<std::uint32_t>(seed * 2654435761U + 12345);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>((noise = noise * 1664525 + 1013904223) >> 24);
}

// The memory of a message, with some around it that must not change.
struct Memory {
  Bytes bytes;
  std::ptrdiff_t to_origin;
  std::byte* origin() { return bytes.data() + to_origin; }
};

struct Case {
  MPI_Datatype bare;
  int count;
  std::int64_t size, first, end;  // in bytes from the origin
  Memory memory() const {
    constexpr std::int64_t around = 4096;
    return {Bytes(static_cast<std::size_t>(end - first + 2 * around)), static_cast<std::ptrdiff_t>(around - first)};
  }
};

inline Bytes packed_by_host(const Case& c, Memory& from, int count) {
  Bytes packed(static_cast<std::size_t>(c.size / c.count * count));
  int position = 0;
  PMPI_Pack(from.origin(), count, c.bare, packed.data(), static_cast<int>(packed.size()), &position, MPI_COMM_SELF);
  return packed;
}

inline void unpack_by_host(const Case& c, const Bytes& packed, Memory& to, int count) {
  int position = 0;
  PMPI_Unpack(packed.data(), static_cast<int>(packed.size()), &position, to.origin(), count, c.bare, MPI_COMM_SELF);
}

// True if every entry goes to a byte of its own: then it does not matter in what order they arrive. And no entry may go
// outside what the host says of the type's extent: MPICH 4.0 writes elsewhere with a few types.
inline bool is_fit(const Case& c) {
  constexpr std::int64_t far = 1 << 20;
  Memory marks{Bytes(static_cast<std::size_t>(c.end - c.first + 2 * far)), static_cast<std::ptrdiff_t>(far - c.first)};
  unpack_by_host(c, Bytes(static_cast<std::size_t>(c.size), std::byte{1}), marks, c.count);
  const auto begin = marks.bytes.begin() + far, end = marks.bytes.end() - far;
  return std::count(begin, end, std::byte{1}) == c.size;
}

}  // namespace marshal::testing
