// A datatype as the program built it: a value, one kind of node for each combiner of MPI_Type_get_envelope.
//
// Counts are elements, strides and displacements of the h-forms are bytes, all 64 bits wide. Nodes are immutable and
// shared, so copies are cheap and safe between threads. Bounds follow MPI 4.0, sections 5.1.6 to 5.1.8. Lower and upper
// bounds that resized (or subarray, darray) sets win over the bounds of the data. A struct's extent is rounded up to
// the strictest alignment in it. Hosts differ in that rounding: wrap a node in Resized to set the host's result.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

namespace marshal::datatype {

struct Bounds {
  std::int64_t lb = 0, ub = 0;
  std::int64_t true_lb = 0, true_ub = 0;
  std::int64_t size = 0;
  std::int64_t alignment = 1;
  bool lb_set = false, ub_set = false;  // by a marker, which hides the bounds of the data
  bool empty = true;                    // no data and no marker

  std::int64_t extent() const { return ub - lb; }
  std::int64_t true_extent() const { return true_ub - true_lb; }
};

struct Node;

class Type {
 public:
  template <class Combiner>
  Type(Combiner combiner);  // NOLINT: a combiner is a type

  const Node& node() const { return *node_; }
  const Bounds& bounds() const;
  std::int64_t size() const { return bounds().size; }
  std::int64_t extent() const { return bounds().extent(); }

 private:
  std::shared_ptr<const Node> node_;
};

struct Field {
  std::int64_t disp, length;
};

// A predefined type. More than one field where it has a gap inside, as MPI_DOUBLE_INT's successors do.
struct Named {
  std::vector<Field> fields;
  std::int64_t extent, alignment;
  std::uint64_t id = 0;  // its reader's number of it; no part of the layout
};
struct Dup {
  Type of;
};
struct Contiguous {
  std::int64_t count;
  Type of;
};
struct Vector {
  std::int64_t count, blocklength, stride;
  Type of;
};
struct Hvector {
  std::int64_t count, blocklength, stride;
  Type of;
};
struct Indexed {
  std::vector<std::int64_t> blocklengths, displacements;
  Type of;
};
struct Hindexed {
  std::vector<std::int64_t> blocklengths, displacements;
  Type of;
};
struct IndexedBlock {
  std::int64_t blocklength;
  std::vector<std::int64_t> displacements;
  Type of;
};
struct HindexedBlock {
  std::int64_t blocklength;
  std::vector<std::int64_t> displacements;
  Type of;
};
struct Struct {
  std::vector<std::int64_t> blocklengths, displacements;
  std::vector<Type> of;
};
enum class Order { c, fortran };
enum class Distribution { none, block, cyclic };
inline constexpr std::int64_t default_argument = -1;  // MPI_DISTRIBUTE_DFLT_DARG
struct Subarray {
  std::vector<std::int64_t> sizes, subsizes, starts;
  Order order;
  Type of;
};
struct Darray {
  std::int64_t size, rank;
  std::vector<std::int64_t> gsizes;
  std::vector<Distribution> distributions;
  std::vector<std::int64_t> arguments, psizes;
  Order order;
  Type of;
};
struct Resized {
  std::int64_t lb, extent;
  Type of;
};

using Combiner = std::variant<Named, Dup, Contiguous, Vector, Hvector, Indexed, Hindexed, IndexedBlock, HindexedBlock,
                              Struct, Subarray, Darray, Resized>;

Bounds bounds_of(const Combiner& combiner);

struct Node {
  explicit Node(Combiner c) : combiner(std::move(c)), bounds(bounds_of(combiner)) {}
  Combiner combiner;
  Bounds bounds;
};

template <class C>
Type::Type(C combiner) : node_(std::make_shared<const Node>(Combiner(std::move(combiner)))) {}

// The indices of one dimension of an array that a process owns (MPI 4.0, section 5.1.4): `first + i * stride + j` for
// i < blocks and j < length, then `tail` more from `tail_first` on.
struct OwnedIndices {
  std::int64_t size;  // of the dimension
  std::int64_t first, blocks, length, stride;
  std::int64_t tail_first = 0, tail = 0;
};

// Of each dimension, the fastest first.
std::vector<OwnedIndices> owned_indices(const Subarray& array);
std::vector<OwnedIndices> owned_indices(const Darray& array);

// The tree as numbers: two trees have the same code if and only if they are built alike, node by node.
std::vector<std::int64_t> encoded(const Type& type);

// True if any type in the tree has no data, the type itself included.
bool has_part_without_data(const Type& type);

// The size of every predefined element in the tree, in bytes; 0 where they differ. Packed bytes may be cut at its
// multiples without cutting an element.
std::int64_t element_size(const Type& type);

// The `id` of the only predefined type in the tree; 0 where there are several.
std::uint64_t only_element(const Type& type);

inline const Bounds& Type::bounds() const { return node_->bounds; }

// A predefined type without gaps, aligned as C aligns it.
inline Type basic(std::int64_t size) { return Named{{{0, size}}, size, size}; }

}  // namespace marshal::datatype
