// A tree of datatypes made into a datatype of the host, by the constructors that the tree names. Only for files
// compiled for one host. Blocks of odd sizes are bytes.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "datatype/type_tree.h"

namespace marshal::bench {

// The constructors, with counts of one width.
struct IntConstructors {
  using Count = int;
  using Address = MPI_Aint;
  static constexpr auto contiguous = &MPI_Type_contiguous;
  static constexpr auto vector = &MPI_Type_vector;
  static constexpr auto hvector = &MPI_Type_create_hvector;
  static constexpr auto indexed = &MPI_Type_indexed;
  static constexpr auto hindexed = &MPI_Type_create_hindexed;
  static constexpr auto indexed_block = &MPI_Type_create_indexed_block;
  static constexpr auto hindexed_block = &MPI_Type_create_hindexed_block;
  static constexpr auto structure = &MPI_Type_create_struct;
  static constexpr auto subarray = &MPI_Type_create_subarray;
  static constexpr auto darray = &MPI_Type_create_darray;
  static constexpr auto resized = &MPI_Type_create_resized;
};
#if MPI_VERSION >= 4
struct LargeConstructors {
  using Count = MPI_Count;
  using Address = MPI_Count;
  static constexpr auto contiguous = &MPI_Type_contiguous_c;
  static constexpr auto vector = &MPI_Type_vector_c;
  static constexpr auto hvector = &MPI_Type_create_hvector_c;
  static constexpr auto indexed = &MPI_Type_indexed_c;
  static constexpr auto hindexed = &MPI_Type_create_hindexed_c;
  static constexpr auto indexed_block = &MPI_Type_create_indexed_block_c;
  static constexpr auto hindexed_block = &MPI_Type_create_hindexed_block_c;
  static constexpr auto structure = &MPI_Type_create_struct_c;
  static constexpr auto subarray = &MPI_Type_create_subarray_c;
  static constexpr auto darray = &MPI_Type_create_darray_c;
  static constexpr auto resized = &MPI_Type_create_resized_c;
};
#else
using LargeConstructors = IntConstructors;
#endif

template <class Constructors>
class MpiTypeBy {
 public:
  using Commit = int(MPI_Datatype*);
  explicit MpiTypeBy(const datatype::Type& type, Commit* commit = MPI_Type_commit) : type_(make(type)) {
    if (made()) commit(&type_);
  }
  ~MpiTypeBy() {
    if (made()) MPI_Type_free(&type_);
  }
  // False where a constructor of the host failed and its errors return: Open MPI makes no type of a type without
  // elements.
  bool made() const { return type_ != MPI_DATATYPE_NULL; }
  MpiTypeBy(const MpiTypeBy&) = delete;
  MpiTypeBy& operator=(const MpiTypeBy&) = delete;
  MPI_Datatype get() const { return type_; }

 private:
  // A child that is freed when its parent has been made.
  class Part {
   public:
    explicit Part(const datatype::Type& type) : type_(make(type)) {}
    ~Part() {
      if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
    }
    Part(Part&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
    operator MPI_Datatype() const { return type_; }

   private:
    MPI_Datatype type_;
  };

  using Count = typename Constructors::Count;
  using Address = typename Constructors::Address;
  template <class Number>
  static std::vector<Number> all_as(const std::vector<std::int64_t>& v) {
    return std::vector<Number>(v.begin(), v.end());
  }
  static std::vector<int> ints(const std::vector<std::int64_t>& v) { return all_as<int>(v); }
  static std::vector<Count> counts(const std::vector<std::int64_t>& v) { return all_as<Count>(v); }
  static std::vector<Address> addresses(const std::vector<std::int64_t>& v) { return all_as<Address>(v); }
  static Count length(const std::vector<std::int64_t>& v) { return static_cast<Count>(v.size()); }
  static int order(datatype::Order o) { return o == datatype::Order::c ? MPI_ORDER_C : MPI_ORDER_FORTRAN; }

  struct Make {
    MPI_Datatype made = MPI_DATATYPE_NULL;

    int operator()(const datatype::Named& t) {
      MPI_Datatype named = MPI_BYTE;
      int count = 1;
      if (t.fields.size() == 2) {
        named = MPI_DOUBLE_INT;
      } else if (t.extent == 8) {
        named = MPI_DOUBLE;
      } else if (t.extent == 4) {
        named = MPI_FLOAT;
      } else if (t.extent == 2) {
        named = MPI_SHORT;
      } else if (t.extent == 16 && t.alignment == 8) {
        named = MPI_C_DOUBLE_COMPLEX;
      } else {
        count = static_cast<int>(t.extent);
      }
      return count == 1 ? MPI_Type_dup(named, &made) : MPI_Type_contiguous(count, named, &made);
    }
    int operator()(const datatype::Dup& t) { return MPI_Type_dup(Part(t.of), &made); }
    int operator()(const datatype::Contiguous& t) {
      return Constructors::contiguous(static_cast<Count>(t.count), Part(t.of), &made);
    }
    int operator()(const datatype::Vector& t) {
      return Constructors::vector(static_cast<Count>(t.count), static_cast<Count>(t.blocklength),
                                  static_cast<Count>(t.stride), Part(t.of), &made);
    }
    int operator()(const datatype::Hvector& t) {
      return Constructors::hvector(static_cast<Count>(t.count), static_cast<Count>(t.blocklength), t.stride, Part(t.of),
                                   &made);
    }
    int operator()(const datatype::Indexed& t) {
      return Constructors::indexed(length(t.blocklengths), counts(t.blocklengths).data(),
                                   counts(t.displacements).data(), Part(t.of), &made);
    }
    int operator()(const datatype::Hindexed& t) {
      return Constructors::hindexed(length(t.blocklengths), counts(t.blocklengths).data(),
                                    addresses(t.displacements).data(), Part(t.of), &made);
    }
    int operator()(const datatype::IndexedBlock& t) {
      return Constructors::indexed_block(length(t.displacements), static_cast<Count>(t.blocklength),
                                         counts(t.displacements).data(), Part(t.of), &made);
    }
    int operator()(const datatype::HindexedBlock& t) {
      return Constructors::hindexed_block(length(t.displacements), static_cast<Count>(t.blocklength),
                                          addresses(t.displacements).data(), Part(t.of), &made);
    }
    int operator()(const datatype::Struct& t) {
      std::vector<Part> parts;
      for (const auto& of : t.of) parts.emplace_back(of);
      const std::vector<MPI_Datatype> types(parts.begin(), parts.end());
      return Constructors::structure(length(t.blocklengths), counts(t.blocklengths).data(),
                                     addresses(t.displacements).data(), types.data(), &made);
    }
    int operator()(const datatype::Subarray& t) {
      return Constructors::subarray(static_cast<int>(t.sizes.size()), counts(t.sizes).data(), counts(t.subsizes).data(),
                                    counts(t.starts).data(), order(t.order), Part(t.of), &made);
    }
    int operator()(const datatype::Darray& t) {
      std::vector<int> distributions, arguments;
      for (const auto d : t.distributions)
        distributions.push_back(d == datatype::Distribution::none    ? MPI_DISTRIBUTE_NONE
                                : d == datatype::Distribution::block ? MPI_DISTRIBUTE_BLOCK
                                                                     : MPI_DISTRIBUTE_CYCLIC);
      for (const auto a : t.arguments)
        arguments.push_back(a == datatype::default_argument ? MPI_DISTRIBUTE_DFLT_DARG : static_cast<int>(a));
      return Constructors::darray(static_cast<int>(t.size), static_cast<int>(t.rank), static_cast<int>(t.gsizes.size()),
                                  counts(t.gsizes).data(), distributions.data(), arguments.data(),
                                  ints(t.psizes).data(), order(t.order), Part(t.of), &made);
    }
    int operator()(const datatype::Resized& t) { return Constructors::resized(Part(t.of), t.lb, t.extent, &made); }
  };

  static MPI_Datatype make(const datatype::Type& type) {
    Make visitor;
    const int code = std::visit(visitor, type.node().combiner);
    return code == MPI_SUCCESS ? visitor.made : MPI_DATATYPE_NULL;
  }

  MPI_Datatype type_;
};

using MpiType = MpiTypeBy<IntConstructors>;

// Commits at many places of the program. Marshal judges the types of a place by how those before them lived there: a
// program commits its types at places of their own, and so do its benchmarks.
using Commit = int(MPI_Datatype*);

inline constexpr std::size_t commit_places = 64;

namespace detail {

template <std::size_t place>
[[gnu::noinline]] int commit_at(MPI_Datatype* type) {
  const int code = MPI_Type_commit(type);
  volatile std::size_t none = place;
  static_cast<void>(none);  // no jump instead of the call
  return code;
}

template <std::size_t... place>
Commit* commit_of(std::size_t number, std::index_sequence<place...>) {
  static constexpr Commit* places[] = {commit_at<place>...};
  return places[number % sizeof...(place)];
}

}  // namespace detail

// For the type of this number.
inline Commit* commit_at_place(std::size_t number) {
  return detail::commit_of(number, std::make_index_sequence<commit_places>());
}

}  // namespace marshal::bench
