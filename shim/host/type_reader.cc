#include "host/type_reader.h"

#include <cstdint>
#include <vector>

#include "host/pmpi.h"

namespace marshal {
namespace {

using namespace datatype;

struct Unreadable {
  WhyNot why;
};

constexpr WhyNot large_counts = "made by a _c constructor";

void require(int code) {
  if (code != MPI_SUCCESS) throw Unreadable{"the host does not describe it"};
}

struct Envelope {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
};

Envelope envelope_of(MPI_Datatype handle) {
  Envelope e;
#if MPI_VERSION >= 4
  // MPICH 4.0's get_contents fails, through the error handler, on what a _c constructor made: look first.
  MPI_Count integers = 0, addresses = 0, large = 0, types = 0;
  require(pmpi().Type_get_envelope_c(handle, &integers, &addresses, &large, &types, &e.combiner));
  if (large > 0) throw Unreadable{large_counts};
  e.integers = static_cast<int>(integers);
  e.addresses = static_cast<int>(addresses);
  e.types = static_cast<int>(types);
#else
  require(pmpi().Type_get_envelope(handle, &e.integers, &e.addresses, &e.types, &e.combiner));
#endif
  return e;
}

bool is_predefined(int combiner) {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX ||
         combiner == MPI_COMBINER_F90_INTEGER;
}

// The arguments of the constructor; the handles among them are freed with it.
class Contents {
 public:
  Contents(MPI_Datatype handle, const Envelope& e)
      : integers(static_cast<std::size_t>(e.integers) + 1),
        addresses(static_cast<std::size_t>(e.addresses) + 1),
        types(static_cast<std::size_t>(e.types) + 1) {
    require(pmpi().Type_get_contents(handle, e.integers, e.addresses, e.types, integers.data(), addresses.data(),
                                     types.data()));
    types.resize(static_cast<std::size_t>(e.types));
  }
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;
  ~Contents() {
    for (MPI_Datatype& type : types) {
      int i, a, t, combiner = MPI_COMBINER_NAMED;
#if MPI_VERSION >= 4
      MPI_Count ci, ca, cl, ct;
      pmpi().Type_get_envelope_c(type, &ci, &ca, &cl, &ct, &combiner);
      static_cast<void>(i = a = t = 0);
#else
      pmpi().Type_get_envelope(type, &i, &a, &t, &combiner);
#endif
      if (!is_predefined(combiner)) pmpi().Type_free(&type);
    }
  }

  std::int64_t integer(std::size_t i) const { return integers[i]; }
  std::vector<std::int64_t> some_integers(std::size_t from, std::int64_t count) const {
    const auto first = integers.begin() + static_cast<std::ptrdiff_t>(from);
    return std::vector<std::int64_t>(first, first + count);
  }
  std::vector<std::int64_t> some_addresses(std::int64_t count) const {
    return std::vector<std::int64_t>(addresses.begin(), addresses.begin() + count);
  }

  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Datatype> types;
};

Type read(MPI_Datatype handle);

Order order_of(std::int64_t order) {
  if (order == MPI_ORDER_C) return Order::c;
  if (order == MPI_ORDER_FORTRAN) return Order::fortran;
  throw Unreadable{"an order of array elements that is none of MPI's"};
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
    throw Unreadable{"a predefined type with gaps that Marshal does not know"};
  }
  return Named{fields, extent, 1};
}

Type constructed_type(MPI_Datatype handle, const Envelope& e) {
  const Contents c(handle, e);
  const std::int64_t n = e.integers > 0 ? c.integer(0) : 0;
  const auto at = static_cast<std::size_t>(n);
  switch (e.combiner) {
    case MPI_COMBINER_DUP:
      return Dup{read(c.types[0])};
    case MPI_COMBINER_CONTIGUOUS:
      return Contiguous{n, read(c.types[0])};
    case MPI_COMBINER_VECTOR:
      return Vector{n, c.integer(1), c.integer(2), read(c.types[0])};
    case MPI_COMBINER_HVECTOR:
      return Hvector{n, c.integer(1), c.addresses[0], read(c.types[0])};
    case MPI_COMBINER_INDEXED:
      return Indexed{c.some_integers(1, n), c.some_integers(1 + at, n), read(c.types[0])};
    case MPI_COMBINER_HINDEXED:
      return Hindexed{c.some_integers(1, n), c.some_addresses(n), read(c.types[0])};
    case MPI_COMBINER_INDEXED_BLOCK:
      return IndexedBlock{c.integer(1), c.some_integers(2, n), read(c.types[0])};
    case MPI_COMBINER_HINDEXED_BLOCK:
      return HindexedBlock{c.integer(1), c.some_addresses(n), read(c.types[0])};
    case MPI_COMBINER_STRUCT: {
      std::vector<Type> of;
      for (std::size_t i = 0; i < at; ++i) of.push_back(read(c.types[i]));
      return Struct{c.some_integers(1, n), c.some_addresses(n), std::move(of)};
    }
    case MPI_COMBINER_SUBARRAY:
      return Subarray{c.some_integers(1, n), c.some_integers(1 + at, n), c.some_integers(1 + 2 * at, n),
                      order_of(c.integer(1 + 3 * at)), read(c.types[0])};
    case MPI_COMBINER_DARRAY: {
      const std::int64_t dims = c.integer(2);
      const auto d = static_cast<std::size_t>(dims);
      Darray array{n,
                   c.integer(1),
                   c.some_integers(3, dims),
                   {},
                   {},
                   c.some_integers(3 + 3 * d, dims),
                   order_of(c.integer(3 + 4 * d)),
                   read(c.types[0])};
      for (std::size_t i = 0; i < d; ++i) {
        const std::int64_t kind = c.integer(3 + d + i), argument = c.integer(3 + 2 * d + i);
        array.distributions.push_back(kind == MPI_DISTRIBUTE_BLOCK    ? Distribution::block
                                      : kind == MPI_DISTRIBUTE_CYCLIC ? Distribution::cyclic
                                                                      : Distribution::none);
        array.arguments.push_back(argument == MPI_DISTRIBUTE_DFLT_DARG ? Darray::default_argument : argument);
      }
      return array;
    }
    case MPI_COMBINER_RESIZED:
      return Resized{c.addresses[0], c.addresses[1], read(c.types[0])};
    default:
      throw Unreadable{"a combiner that Marshal does not know"};
  }
}

// With the host's bounds: the standard leaves the padding of structs to it.
Type read(MPI_Datatype handle) {
  const Envelope e = envelope_of(handle);
  const Type type = is_predefined(e.combiner) ? predefined_type(handle) : constructed_type(handle, e);
  // Open MPI 4.1 packs other bytes than the standard says around such parts: its own it shall be.
  if (type.size() == 0) throw Unreadable{"a part without data"};
  MPI_Aint lb = 0, extent = 0;
  require(pmpi().Type_get_extent(handle, &lb, &extent));
  if (type.bounds().lb == lb && type.extent() == extent) return type;
  return Resized{lb, extent, type};
}

}  // namespace

std::variant<datatype::Type, WhyNot> read_type(MPI_Datatype handle) {
  try {
    Type type = read(handle);
    MPI_Count size = 0, true_lb = 0, true_extent = 0;
    require(pmpi().Type_size_x(handle, &size));
    require(pmpi().Type_get_true_extent_x(handle, &true_lb, &true_extent));
    const Bounds& b = type.bounds();
    if (size != b.size || (size > 0 && (true_lb != b.true_lb || true_extent != b.true_extent())))
      return "the host sees other bounds in it";
    return type;
  } catch (const Unreadable& reason) {
    return reason.why;
  }
}

bool is_named(MPI_Datatype handle) {
  try {
    return is_predefined(envelope_of(handle).combiner);
  } catch (const Unreadable&) {
    return false;
  }
}

const char* combiner_name(MPI_Datatype handle) {
  int combiner = 0;
  try {
    combiner = envelope_of(handle).combiner;
  } catch (const Unreadable& reason) {
    return reason.why == large_counts ? "made with large counts" : "unknown";
  }
  switch (combiner) {
    case MPI_COMBINER_NAMED:
      return "named";
    case MPI_COMBINER_DUP:
      return "dup";
    case MPI_COMBINER_CONTIGUOUS:
      return "contiguous";
    case MPI_COMBINER_VECTOR:
      return "vector";
    case MPI_COMBINER_HVECTOR:
      return "hvector";
    case MPI_COMBINER_INDEXED:
      return "indexed";
    case MPI_COMBINER_HINDEXED:
      return "hindexed";
    case MPI_COMBINER_INDEXED_BLOCK:
      return "indexed_block";
    case MPI_COMBINER_HINDEXED_BLOCK:
      return "hindexed_block";
    case MPI_COMBINER_STRUCT:
      return "struct";
    case MPI_COMBINER_SUBARRAY:
      return "subarray";
    case MPI_COMBINER_DARRAY:
      return "darray";
    case MPI_COMBINER_RESIZED:
      return "resized";
    case MPI_COMBINER_F90_REAL:
    case MPI_COMBINER_F90_COMPLEX:
    case MPI_COMBINER_F90_INTEGER:
      return "f90";
    default:
      return "unknown";
  }
}

}  // namespace marshal
