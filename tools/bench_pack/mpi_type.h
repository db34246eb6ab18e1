// A tree of datatypes made into a datatype of the host, by the constructors that the tree names. Only for files
// compiled for one host. Blocks of odd sizes are bytes.
#ifndef MARSHAL_BENCH_MPI_TYPE_H
#define MARSHAL_BENCH_MPI_TYPE_H

#include <mpi.h>

#include <utility>
#include <vector>

#include "datatype/type_tree.h"

namespace marshal::bench {

class MpiType {
 public:
  explicit MpiType(const datatype::Type& type) : type_(make(type)) {
    if (made()) MPI_Type_commit(&type_);
  }
  ~MpiType() {
    if (made()) MPI_Type_free(&type_);
  }
  // False where a constructor of the host failed and its errors return: Open MPI makes no type of a type without
  // elements.
  bool made() const { return type_ != MPI_DATATYPE_NULL; }
  MpiType(const MpiType&) = delete;
  MpiType& operator=(const MpiType&) = delete;
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

  static std::vector<int> ints(const std::vector<std::int64_t>& v) { return std::vector<int>(v.begin(), v.end()); }
  static std::vector<MPI_Aint> addresses(const std::vector<std::int64_t>& v) {
    return std::vector<MPI_Aint>(v.begin(), v.end());
  }
  static int length(const std::vector<std::int64_t>& v) { return static_cast<int>(v.size()); }
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
      return MPI_Type_contiguous(static_cast<int>(t.count), Part(t.of), &made);
    }
    int operator()(const datatype::Vector& t) {
      return MPI_Type_vector(static_cast<int>(t.count), static_cast<int>(t.blocklength), static_cast<int>(t.stride),
                             Part(t.of), &made);
    }
    int operator()(const datatype::Hvector& t) {
      return MPI_Type_create_hvector(static_cast<int>(t.count), static_cast<int>(t.blocklength), t.stride, Part(t.of),
                                     &made);
    }
    int operator()(const datatype::Indexed& t) {
      return MPI_Type_indexed(length(t.blocklengths), ints(t.blocklengths).data(), ints(t.displacements).data(),
                              Part(t.of), &made);
    }
    int operator()(const datatype::Hindexed& t) {
      return MPI_Type_create_hindexed(length(t.blocklengths), ints(t.blocklengths).data(),
                                      addresses(t.displacements).data(), Part(t.of), &made);
    }
    int operator()(const datatype::IndexedBlock& t) {
      return MPI_Type_create_indexed_block(length(t.displacements), static_cast<int>(t.blocklength),
                                           ints(t.displacements).data(), Part(t.of), &made);
    }
    int operator()(const datatype::HindexedBlock& t) {
      return MPI_Type_create_hindexed_block(length(t.displacements), static_cast<int>(t.blocklength),
                                            addresses(t.displacements).data(), Part(t.of), &made);
    }
    int operator()(const datatype::Struct& t) {
      std::vector<Part> parts;
      for (const auto& of : t.of) parts.emplace_back(of);
      const std::vector<MPI_Datatype> types(parts.begin(), parts.end());
      return MPI_Type_create_struct(length(t.blocklengths), ints(t.blocklengths).data(),
                                    addresses(t.displacements).data(), types.data(), &made);
    }
    int operator()(const datatype::Subarray& t) {
      return MPI_Type_create_subarray(length(t.sizes), ints(t.sizes).data(), ints(t.subsizes).data(),
                                      ints(t.starts).data(), order(t.order), Part(t.of), &made);
    }
    int operator()(const datatype::Darray& t) {
      std::vector<int> distributions, arguments;
      for (const auto d : t.distributions)
        distributions.push_back(d == datatype::Distribution::none    ? MPI_DISTRIBUTE_NONE
                                : d == datatype::Distribution::block ? MPI_DISTRIBUTE_BLOCK
                                                                     : MPI_DISTRIBUTE_CYCLIC);
      for (const auto a : t.arguments)
        arguments.push_back(a == datatype::Darray::default_argument ? MPI_DISTRIBUTE_DFLT_DARG : static_cast<int>(a));
      return MPI_Type_create_darray(static_cast<int>(t.size), static_cast<int>(t.rank), length(t.gsizes),
                                    ints(t.gsizes).data(), distributions.data(), arguments.data(),
                                    ints(t.psizes).data(), order(t.order), Part(t.of), &made);
    }
    int operator()(const datatype::Resized& t) { return MPI_Type_create_resized(Part(t.of), t.lb, t.extent, &made); }
  };

  static MPI_Datatype make(const datatype::Type& type) {
    Make visitor;
    const int code = std::visit(visitor, type.node().combiner);
    return code == MPI_SUCCESS ? visitor.made : MPI_DATATYPE_NULL;
  }

  MPI_Datatype type_;
};

}  // namespace marshal::bench

#endif
