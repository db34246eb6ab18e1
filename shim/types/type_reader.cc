#include "types/type_reader.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/immortal.h"
#include "base/registry.h"
#include "datatype/type_tree.h"
#include "host/handles.h"
#include "host/pmpi.h"

namespace marshal {
namespace {

using datatype::Bounds;
using datatype::Contiguous;
using datatype::Darray;
using datatype::default_argument;
using datatype::Distribution;
using datatype::Dup;
using datatype::Field;
using datatype::first_program_of_list;
using datatype::first_program_of_rows;
using datatype::FirstProgram;
using datatype::Hindexed;
using datatype::HindexedBlock;
using datatype::Hvector;
using datatype::Indexed;
using datatype::IndexedBlock;
using datatype::Named;
using datatype::Order;
using datatype::Resized;
using datatype::Struct;
using datatype::Subarray;
using datatype::Type;
using datatype::Vector;

void require(bool told) {
  if (!told) throw LeftToHost{"the host does not describe it"};
}
void require(int code) { require(code == MPI_SUCCESS); }

struct Envelope {
  MPI_Count integers = 0, addresses = 0, large = 0, types = 0;
  int combiner = 0;
};

// A type from a large-count constructor can only be decoded by the large-count functions: Open MPI 6 and MPICH 4.0
// raise an error at the old ones.
std::optional<Envelope> envelope_of(MPI_Datatype handle) {
  Envelope e;
  if (pmpi().Type_get_envelope_c != nullptr && pmpi().Type_get_contents_c != nullptr) {
    if (pmpi().Type_get_envelope_c(handle, &e.integers, &e.addresses, &e.large, &e.types, &e.combiner) != MPI_SUCCESS)
      return std::nullopt;
    return e;
  }
  int integers = 0, addresses = 0, types = 0;
  if (pmpi().Type_get_envelope(handle, &integers, &addresses, &types, &e.combiner) != MPI_SUCCESS) return std::nullopt;
  e.integers = integers;
  e.addresses = addresses;
  e.types = types;
  return e;
}

bool is_predefined(int combiner) {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX ||
         combiner == MPI_COMBINER_F90_INTEGER;
}

// Predefined types that were read before, by handle: all others are made of these few. They stay.
class PredefinedTypes {  // HANDLES: predefined types
 public:
  const Type* find(MPI_Datatype handle) const { return read_.find(key_of(handle)); }
  void add(MPI_Datatype handle, const Type& type) {
    const std::lock_guard lock(adding_);
    if (find(handle) == nullptr) read_.insert(key_of(handle), std::make_unique<Type>(type));
  }

 private:
  Registry<Type> read_;
  std::mutex adding_;
};

PredefinedTypes& predefined_types() {
  static Immortal<PredefinedTypes> the;
  return *the;
}

// The arguments of the constructor; the handles among them are freed with it.
class Contents {
 public:
  Contents(MPI_Datatype handle, const Envelope& e) {
    // One more of each: hosts refuse null.
    std::pmr::vector<int> integers(static_cast<std::size_t>(e.integers) + 1, &memory_);
    std::pmr::vector<MPI_Aint> addresses(static_cast<std::size_t>(e.addresses) + 1, &memory_);
    std::pmr::vector<MPI_Count> large(static_cast<std::size_t>(e.large) + 1, &memory_);
    types_.resize(static_cast<std::size_t>(e.types) + 1);
    // The handles that come are to be freed: from here on nothing fails.
    numbers_.reserve(integers.size() + addresses.size() + large.size());
    if (pmpi().Type_get_contents_c != nullptr)
      require(pmpi().Type_get_contents_c(handle, e.integers, e.addresses, e.large, e.types, integers.data(),
                                         addresses.data(), large.data(), types_.data()));
    else
      require(pmpi().Type_get_contents(handle, static_cast<int>(e.integers), static_cast<int>(e.addresses),
                                       static_cast<int>(e.types), integers.data(), addresses.data(), types_.data()));
    types_.pop_back();
    numbers_.assign(integers.begin(), integers.end() - 1);
    numbers_.insert(numbers_.begin() + place_of_large(e), large.begin(), large.end() - 1);
    numbers_.insert(numbers_.end(), addresses.begin(), addresses.end() - 1);
  }
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;
  ~Contents() {
    for (MPI_Datatype& type : types_)
      if (!is_named(type)) pmpi().Type_free(&type);
  }

  // The constructor's arguments except its types. Counts and displacements are alike, in the order of the standard's
  // old form: integers, then addresses. The large arguments of a _c constructor stand at the places of their namesakes
  // there.
  std::int64_t number(std::size_t i) const { return numbers_.at(i); }
  std::vector<std::int64_t> numbers(std::size_t from, std::int64_t count) const {
    const auto first = numbers_.begin() + static_cast<std::ptrdiff_t>(from);
    return {first, first + count};
  }
  std::span<const std::int64_t> some_numbers(std::size_t from, std::size_t count) const {
    return std::span<const std::int64_t>(numbers_).subspan(from, count);
  }
  MPI_Datatype type(std::size_t i) const { return types_.at(i); }

 private:
  static std::ptrdiff_t place_of_large(const Envelope& e) {
    if (e.combiner == MPI_COMBINER_SUBARRAY) return 1;  // sizes, subsizes, starts after ndims
    if (e.combiner == MPI_COMBINER_DARRAY) return 3;    // gsizes after size, rank, ndims
    return static_cast<std::ptrdiff_t>(e.integers);     // all numbers are large
  }

  // Room for what most constructors were given; longer lists go to the heap.
  std::array<std::byte, 1024> room_;
  std::pmr::monotonic_buffer_resource memory_{room_.data(), room_.size()};
  std::pmr::vector<std::int64_t> numbers_{&memory_};
  std::pmr::vector<MPI_Datatype> types_{&memory_};
};

// A type that is nested deeper is left to the host: each level takes more than 1 KiB of the program's stack here, and
// some more where the tree is walked.
constexpr int most_levels = 64;

Type read(MPI_Datatype handle, int level);

Order order_of(std::int64_t order) {
  if (order == MPI_ORDER_C) return Order::c;
  if (order == MPI_ORDER_FORTRAN) return Order::fortran;
  throw LeftToHost{"an order of array elements that is none of MPI's"};
}

Type predefined_type(MPI_Datatype handle) {
  MPI_Count size = 0, true_lb = 0, true_extent = 0;
  MPI_Aint lb = 0, extent = 0;
  require(pmpi().Type_size_x(handle, &size));
  require(pmpi().Type_get_true_extent_x(handle, &true_lb, &true_extent));
  require(pmpi().Type_get_extent(handle, &lb, &extent));
  std::vector<Field> fields;
  if (size == true_extent && true_lb == 0) {
    if (size > 0) fields.push_back({0, size});
  } else if (size == 6 && true_extent == 8) {
    fields = {{0, 2}, {4, 4}};  // short_int, the only pair with a gap between its parts
  } else {
    throw LeftToHost{"a predefined type with gaps that Marshal does not know"};
  }
  const bool has_no_gap = fields.size() == 1 && size == extent;
  return Named{std::move(fields), extent, 1, has_no_gap ? key_of(handle) : 0};
}

Type constructed_type(MPI_Datatype handle, const Envelope& e, int level) {
  if (level >= most_levels) throw LeftToHost{"it is nested too deep"};
  const Contents c(handle, e);
  const auto part = [&] { return read(c.type(0), level + 1); };
  if (e.combiner == MPI_COMBINER_DUP) return Dup{part()};
  const std::int64_t n = c.number(0);
  const auto at = static_cast<std::size_t>(n);
  switch (e.combiner) {
    case MPI_COMBINER_CONTIGUOUS:
      return Contiguous{n, part()};
    case MPI_COMBINER_VECTOR:
      return Vector{n, c.number(1), c.number(2), part()};
    case MPI_COMBINER_HVECTOR:
      return Hvector{n, c.number(1), c.number(2), part()};
    case MPI_COMBINER_INDEXED:
      return Indexed{c.numbers(1, n), c.numbers(1 + at, n), part()};
    case MPI_COMBINER_HINDEXED:
      return Hindexed{c.numbers(1, n), c.numbers(1 + at, n), part()};
    case MPI_COMBINER_INDEXED_BLOCK:
      return IndexedBlock{c.number(1), c.numbers(2, n), part()};
    case MPI_COMBINER_HINDEXED_BLOCK:
      return HindexedBlock{c.number(1), c.numbers(2, n), part()};
    case MPI_COMBINER_STRUCT: {
      std::vector<Type> of;
      for (std::size_t i = 0; i < at; ++i) of.push_back(read(c.type(i), level + 1));
      return Struct{c.numbers(1, n), c.numbers(1 + at, n), std::move(of)};
    }
    case MPI_COMBINER_SUBARRAY:
      return Subarray{c.numbers(1, n), c.numbers(1 + at, n), c.numbers(1 + 2 * at, n), order_of(c.number(1 + 3 * at)),
                      part()};
    case MPI_COMBINER_DARRAY: {
      const std::int64_t dims = c.number(2);
      const auto d = static_cast<std::size_t>(dims);
      Darray array{
          n,     c.number(1), c.numbers(3, dims), {}, {}, c.numbers(3 + 3 * d, dims), order_of(c.number(3 + 4 * d)),
          part()};
      for (std::size_t i = 0; i < d; ++i) {
        const std::int64_t kind = c.number(3 + d + i), argument = c.number(3 + 2 * d + i);
        array.distributions.push_back(kind == MPI_DISTRIBUTE_BLOCK    ? Distribution::block
                                      : kind == MPI_DISTRIBUTE_CYCLIC ? Distribution::cyclic
                                                                      : Distribution::none);
        array.arguments.push_back(argument == MPI_DISTRIBUTE_DFLT_DARG ? default_argument : argument);
      }
      return array;
    }
    case MPI_COMBINER_RESIZED:
      return Resized{n, c.number(1), part()};
    default:
      throw LeftToHost{"a combiner that Marshal does not know"};
  }
}

// With the host's bounds: the standard leaves the padding of structs to it.
Type read(MPI_Datatype handle, int level) {
  if (const Type* known = predefined_types().find(handle)) return *known;
  const std::optional<Envelope> e = envelope_of(handle);
  require(e.has_value());
  const bool named = is_predefined(e->combiner);
  Type type = named ? predefined_type(handle) : constructed_type(handle, *e, level);
  MPI_Aint lb = 0, extent = 0;
  require(pmpi().Type_get_extent(handle, &lb, &extent));
  if (type.bounds().lb != lb || type.extent() != extent) type = Resized{lb, extent, type};
  if (named) predefined_types().add(handle, type);
  return type;
}

bool may_have_first_program(int combiner) {
  return combiner == MPI_COMBINER_VECTOR || combiner == MPI_COMBINER_HVECTOR || combiner == MPI_COMBINER_INDEXED ||
         combiner == MPI_COMBINER_HINDEXED || combiner == MPI_COMBINER_INDEXED_BLOCK ||
         combiner == MPI_COMBINER_HINDEXED_BLOCK;
}

// The element is predefined and has no gaps.
std::unique_ptr<const FirstProgram> first_program(const Contents& c, int combiner, std::int64_t element,
                                                  std::int64_t extent) {
  const std::int64_t n = c.number(0);
  const auto count = static_cast<std::size_t>(n);
  switch (combiner) {
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR: {
      std::int64_t length, stride;
      if (__builtin_mul_overflow(c.number(1), element, &length) ||
          __builtin_mul_overflow(c.number(2), combiner == MPI_COMBINER_VECTOR ? element : 1, &stride))
        return nullptr;
      return first_program_of_rows(n, length, stride, extent);
    }
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
      return first_program_of_list({c.some_numbers(1 + count, count), c.some_numbers(1, count),
                                    combiner == MPI_COMBINER_INDEXED ? element : 1, element},
                                   extent);
    default:
      return first_program_of_list({c.some_numbers(2, count), c.some_numbers(1, 1),
                                    combiner == MPI_COMBINER_INDEXED_BLOCK ? element : 1, element},
                                   extent);
  }
}

// True if the host says the same of the bytes that it packs: their number, and where they begin and end.
bool has_bounds(MPI_Datatype handle, const FirstProgram& first) {
  MPI_Count size = 0, true_lb = 0, true_extent = 0;
  return pmpi().Type_size_x(handle, &size) == MPI_SUCCESS && size == first.program.size &&
         pmpi().Type_get_true_extent_x(handle, &true_lb, &true_extent) == MPI_SUCCESS &&
         true_lb == first.touched.first && true_extent == first.touched.end - first.touched.first;
}

}  // namespace

std::unique_ptr<const datatype::FirstProgram> read_first_program(MPI_Datatype handle) {
  const std::optional<Envelope> e = envelope_of(handle);
  if (!e || !may_have_first_program(e->combiner)) return nullptr;
  const Contents c(handle, *e);
  const Type* const of = predefined_types().find(c.type(0));
  if (of == nullptr || c.number(0) < 2) return nullptr;
  const auto* const named = std::get_if<Named>(&of->node().combiner);
  MPI_Aint lb = 0, extent = 0;
  if (named == nullptr || named->fields.size() != 1 || named->fields.front().length != of->extent() ||
      pmpi().Type_get_extent(handle, &lb, &extent) != MPI_SUCCESS)
    return nullptr;
  std::unique_ptr<const FirstProgram> first = first_program(c, e->combiner, of->extent(), extent);
  return first != nullptr && has_bounds(handle, *first) ? std::move(first) : nullptr;
}

datatype::Type read_type(MPI_Datatype handle) {
  Type type = read(handle, 0);
  MPI_Count size = 0, true_lb = 0, true_extent = 0;
  require(pmpi().Type_size_x(handle, &size));
  require(pmpi().Type_get_true_extent_x(handle, &true_lb, &true_extent));
  const Bounds& b = type.bounds();
  if (size != b.size || (size > 0 && (true_lb != b.true_lb || true_extent != b.true_extent())))
    throw LeftToHost{"the host sees other bounds in it"};
  return type;
}

float guessed_ns_of_reading(MPI_Datatype handle) {
  const Envelope e = envelope_of(handle).value_or(Envelope());
  return priors::ns_of_reading(e.integers + e.addresses + e.large);
}

bool is_named(MPI_Datatype handle) {
  if (predefined_types().find(handle) != nullptr) return true;
  const std::optional<Envelope> e = envelope_of(handle);
  return e && is_predefined(e->combiner);
}

namespace {

struct CombinerName {
  int combiner;
  const char* name;
};
constexpr CombinerName combiner_names[] = {{MPI_COMBINER_NAMED, "named"},
                                           {MPI_COMBINER_DUP, "dup"},
                                           {MPI_COMBINER_CONTIGUOUS, "contiguous"},
                                           {MPI_COMBINER_VECTOR, "vector"},
                                           {MPI_COMBINER_HVECTOR, "hvector"},
                                           {MPI_COMBINER_INDEXED, "indexed"},
                                           {MPI_COMBINER_HINDEXED, "hindexed"},
                                           {MPI_COMBINER_INDEXED_BLOCK, "indexed_block"},
                                           {MPI_COMBINER_HINDEXED_BLOCK, "hindexed_block"},
                                           {MPI_COMBINER_STRUCT, "struct"},
                                           {MPI_COMBINER_SUBARRAY, "subarray"},
                                           {MPI_COMBINER_DARRAY, "darray"},
                                           {MPI_COMBINER_RESIZED, "resized"}};

const char* combiner_name(MPI_Datatype handle) {
  const std::optional<Envelope> e = envelope_of(handle);
  if (!e) return "unknown";
  for (const auto& known : combiner_names)
    if (known.combiner == e->combiner) return known.name;
  return is_predefined(e->combiner) ? "f90" : "unknown";
}

}  // namespace

TypeKind kind_of(MPI_Datatype handle) {
  MPI_Count size = 0;
  MPI_Aint lb = 0, extent = 0;
  pmpi().Type_size_x(handle, &size);
  pmpi().Type_get_extent(handle, &lb, &extent);
  return {combiner_name(handle), size, extent};
}

}  // namespace marshal
