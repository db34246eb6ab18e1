// Random memory of one rank for one call: a datatype, a count, and bytes of which each is known: data or gap.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include "tests/unit/datatype/random_type.h"
#include "tools/bench/mpi_type.h"

namespace marshal::file_fuzz {

using Bytes = std::vector<std::byte>;

inline void fill(Bytes& bytes, std::uint64_t seed) {
  auto noise = static_cast<std::uint32_t>(seed * 2654435761U + 12345);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>((noise = noise * 1664525 + 1013904223) >> 24);
}

inline std::uint64_t hash(const void* bytes, std::size_t length) {
  std::uint64_t h = 14695981039346656037U;
  const auto* p = static_cast<const unsigned char*>(bytes);
  for (std::size_t i = 0; i < length; ++i) h = (h ^ p[i]) * 1099511628211U;
  return h;
}

inline bool has_darray(const datatype::Type& type) {
  return std::visit(
      [](const auto& t) {
        using T = std::decay_t<decltype(t)>;
        if constexpr (std::is_same_v<T, datatype::Darray>)
          return true;
        else if constexpr (std::is_same_v<T, datatype::Struct>)
          return std::any_of(t.of.begin(), t.of.end(), has_darray);
        else if constexpr (std::is_same_v<T, datatype::Named>)
          return false;
        else
          return has_darray(t.of);
      },
      type.node().combiner);
}

#ifdef MPICH_VERSION
constexpr bool is_mpich = true;
#else
constexpr bool is_mpich = false;
#endif
// MPICH's way to files, which Open MPI has an older version of.
inline const bool by_romio = is_mpich || [] {
  const char* const component = std::getenv("OMPI_MCA_io");
  return component != nullptr && std::strncmp(component, "romio", 5) == 0;
}();

// True where blocks of an indexed type, or of a struct, hold other than predefined types in one piece.
inline bool has_blocks_in_pieces(const datatype::Type& type) {
  using namespace datatype;
  const auto is_one_piece = [](const Type& of) {
    const Named* const named = std::get_if<Named>(&of.node().combiner);
    return named != nullptr && named->fields.size() == 1;
  };
  return std::visit(
      [&](const auto& t) {
        using T = std::decay_t<decltype(t)>;
        if constexpr (std::is_same_v<T, Struct>)
          return !std::all_of(t.of.begin(), t.of.end(), is_one_piece);
        else if constexpr (std::is_same_v<T, Indexed> || std::is_same_v<T, Hindexed> ||
                           std::is_same_v<T, IndexedBlock> || std::is_same_v<T, HindexedBlock>)
          return !is_one_piece(t.of);
        else if constexpr (std::is_same_v<T, Named>)
          return false;
        else
          return has_blocks_in_pieces(t.of);
      },
      type.node().combiner);
}

class Memory {
 public:
  // About `most` bytes of data at most, in all a multiple of `unit` bytes. Not usable where no random type of the
  // numbers' next ones is fit: the host does not make it, or moves other bytes of it than MPI_Pack does.
  Memory(datatype::testing::RandomType& random, std::int64_t most, std::int64_t unit, bool absolute) {
    const datatype::Type tree = random_tree(random, most);
    // Hosts die of some types with empty parts by themselves.
    if (tree.size() && datatype::has_part_without_data(tree)) return;
    // MPICH 4.0 dies in MPI_Get_elements of a darray of more than one predefined type.
    if (has_darray(tree)) return;
    // MPICH 4.0 flattens some of these to more bytes than they have, and then writes without end.
    if (by_romio && has_blocks_in_pieces(tree)) return;
    type_ = std::make_unique<bench::MpiType>(tree);
    if (!type_->made()) return;
    const std::int64_t size = tree.size(), most_count = size ? std::min<std::int64_t>(most / size, 4000) : 5;
    count_ = random.number(0, 14) == 0 ? 0
             : random.number(0, 1)     ? static_cast<int>(random.number(1, std::max<std::int64_t>(1, most_count)))
                                       : static_cast<int>(random.number(1, std::clamp<std::int64_t>(most_count, 1, 4)));
    if (const std::int64_t units = size ? unit / std::gcd(unit, size) : 1; count_ % units)
      count_ += static_cast<int>(units - count_ % units);
    MPI_Aint lb, extent, true_lb, true_extent;
    PMPI_Type_get_extent(type_->get(), &lb, &extent);
    PMPI_Type_get_true_extent(type_->get(), &true_lb, &true_extent);
    const std::int64_t reach = std::max(count_ - 1, 0) * static_cast<std::int64_t>(extent);
    const std::int64_t first = std::min<std::int64_t>(true_lb + std::min<std::int64_t>(reach, 0), 0);
    const std::int64_t end = std::max<std::int64_t>(true_lb + true_extent + std::max<std::int64_t>(reach, 0), 1);
    constexpr std::int64_t around = 512, far = 4 << 20;
    if (end - first > far) return;
    size_ = size * count_;
    bytes_.resize(static_cast<std::size_t>(end - first + 2 * around));
    to_origin_ = around - first;
    if (absolute) make_absolute();
    usable_ = find_places() && host_writes_as_it_packs();
  }

  bool usable() const { return usable_; }
  bool has_gaps() const {
    for (std::size_t i = 1; i < places_.size(); ++i)
      if (places_[i] != places_[i - 1] + 1) return true;
    return false;
  }
  bool no_byte_twice() const { return no_byte_twice_; }
  std::int64_t size() const { return size_; }  // bytes of data
  int count() const { return count_; }
  MPI_Datatype type() const { return absolute_ == MPI_DATATYPE_NULL ? type_->get() : absolute_; }
  void* origin() { return absolute_ == MPI_DATATYPE_NULL ? bytes_.data() + to_origin_ : MPI_BOTTOM; }
  void fill_with(std::uint64_t seed) { fill(bytes_, seed); }
  std::uint64_t hash_all() const { return hash(bytes_.data(), bytes_.size()); }
  // Data bytes `from` to `to` become 0. True if they were as fill_with(seed) had set them.
  bool forget_data(std::int64_t from, std::int64_t to, std::uint64_t seed) {
    Bytes before(bytes_.size());
    fill(before, seed);
    bool as_before = true;
    for (std::int64_t i = from; i < to; ++i) {
      const std::size_t place = places_[static_cast<std::size_t>(i)];
      as_before = as_before && bytes_[place] == before[place];
      bytes_[place] = std::byte{0};
    }
    return as_before;
  }

  ~Memory() {
    if (absolute_ != MPI_DATATYPE_NULL) MPI_Type_free(&absolute_);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

 private:
  // The type says where its data is.
  void make_absolute() {
    MPI_Aint address;
    MPI_Get_address(origin(), &address);
    MPI_Type_create_hindexed(1, &count_, &address, type_->get(), &absolute_);
    MPI_Type_commit(&absolute_);
    count_ = 1;
  }

  static datatype::Type random_tree(datatype::testing::RandomType& random, std::int64_t most) {
    using namespace datatype;
    const Type named = basic(std::int64_t{1} << random.number(0, 3));
    const std::int64_t n = random.number(1, std::max<std::int64_t>(1, std::min<std::int64_t>(most / 64, 200)));
    // The ROMIO of Open MPI 4.1 dies of many nested types.
    switch (random.number(0, by_romio && !is_mpich ? 8 : 11)) {
      case 0:
        return named;
      case 1:
        return Contiguous{n, named};
      case 2:
      case 3:
        return Vector{n, random.number(1, 4), random.number(4, 9), named};
      case 4:
        return Vector{n, 1, -random.number(2, 4), named};
      case 5:
      case 6: {  // the inside of a ghosted array
        const std::int64_t ghosts = random.number(1, 2), rows = random.number(1, 8), columns = random.number(1, 8);
        return Subarray{{rows + 2 * ghosts, columns + 2 * ghosts}, {rows, columns}, {ghosts, ghosts}, Order::c, named};
      }
      case 7:  // mixed, with gaps
        return Resized{0, 32, Struct{{1, 1, 1}, {0, 12, 20}, {basic(8), basic(4), basic(2)}}};
      case 8:
        return random.number(0, 3) ? Type{Vector{n, 1, 3, named}} : Type{Contiguous{0, named}};
      default:
        return random(static_cast<int>(random.number(0, 3)), std::min<std::int64_t>(most, 2000));
    }
  }

  // Where each byte of the data is: the host packs the places themselves.
  bool find_places() {
    const auto size = static_cast<std::size_t>(size_);
    Bytes saved = bytes_, part(size + 1);
    places_.assign(size, 0);
    for (unsigned shift = 0; shift < 24; shift += 8) {
      for (std::size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = static_cast<std::byte>(i >> shift);
      pack(part);
      for (std::size_t i = 0; i < size; ++i) places_[i] |= std::to_integer<std::size_t>(part[i]) << shift;
    }
    bytes_ = saved;
    std::vector<std::size_t> sorted = places_;
    std::sort(sorted.begin(), sorted.end());
    no_byte_twice_ = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
    return sorted.empty() || sorted.back() < bytes_.size();
  }

  void pack(Bytes& packed) {
    int position = 0;
    PMPI_Pack(origin(), count_, type(), packed.data(), static_cast<int>(size_), &position, MPI_COMM_SELF);
  }

  // Hosts flatten a type for files by other code than they pack it with; where they move other bytes, the type is no
  // case.
  bool host_writes_as_it_packs() {
    const auto size = static_cast<std::size_t>(size_);
    Bytes packed(size + 1), written(size + 1);
    fill_with(1);
    pack(packed);
    MPI_File& f = scratch_file();
    if (PMPI_File_set_size(f, 0) != MPI_SUCCESS) return false;
    PMPI_File_write_at(f, 0, origin(), count_, type(), MPI_STATUS_IGNORE);
    MPI_Offset length = 0;
    PMPI_File_get_size(f, &length);
    PMPI_File_read_at(f, 0, written.data(), static_cast<int>(size_), MPI_BYTE, MPI_STATUS_IGNORE);
    if (length != size_ || !std::equal(packed.begin(), packed.begin() + size_, written.begin())) return false;
    if (!no_byte_twice_) return true;
    Bytes expected = bytes_;
    for (std::byte& byte : expected) byte ^= std::byte{0xFF};
    bytes_ = expected;
    for (std::size_t i = 0; i < places_.size(); ++i) expected[places_[i]] = packed[i];
    PMPI_File_read_at(f, 0, origin(), count_, type(), MPI_STATUS_IGNORE);
    return bytes_ == expected;
  }

 public:
  // A file of this rank alone.
  static MPI_File& scratch_file() {
    static MPI_File file = MPI_FILE_NULL;
    return file;
  }

 private:
  std::unique_ptr<bench::MpiType> type_;
  MPI_Datatype absolute_ = MPI_DATATYPE_NULL;
  int count_ = 0;
  std::int64_t size_ = 0, to_origin_ = 0;
  Bytes bytes_;
  std::vector<std::size_t> places_;
  bool usable_ = false, no_byte_twice_ = true;
};

}  // namespace marshal::file_fuzz
