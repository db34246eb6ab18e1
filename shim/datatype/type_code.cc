#include "datatype/type_tree.h"

namespace marshal::datatype {
namespace {

// Every list begins with its length, so that no two trees run into each other.
class Encoder {
 public:
  explicit Encoder(std::vector<std::int64_t>& code) : code_(code) {}

  void put(const Type& type) {
    put(static_cast<std::int64_t>(type.node().combiner.index()));
    std::visit(*this, type.node().combiner);
  }

  void operator()(const Named& t) { put_all(t.fields, t.extent, t.alignment); }
  void operator()(const Dup& t) { put(t.of); }
  void operator()(const Contiguous& t) { put_all(t.count, t.of); }
  void operator()(const Vector& t) { put_all(t.count, t.blocklength, t.stride, t.of); }
  void operator()(const Hvector& t) { put_all(t.count, t.blocklength, t.stride, t.of); }
  void operator()(const Indexed& t) { put_all(t.blocklengths, t.displacements, t.of); }
  void operator()(const Hindexed& t) { put_all(t.blocklengths, t.displacements, t.of); }
  void operator()(const IndexedBlock& t) { put_all(t.blocklength, t.displacements, t.of); }
  void operator()(const HindexedBlock& t) { put_all(t.blocklength, t.displacements, t.of); }
  void operator()(const Struct& t) { put_all(t.blocklengths, t.displacements, t.of); }
  void operator()(const Subarray& t) { put_all(t.sizes, t.subsizes, t.starts, t.order, t.of); }
  void operator()(const Darray& t) {
    put_all(t.size, t.rank, t.gsizes, t.distributions, t.arguments, t.psizes, t.order, t.of);
  }
  void operator()(const Resized& t) { put_all(t.lb, t.extent, t.of); }

 private:
  template <class... Parts>
  void put_all(const Parts&... parts) {
    (put(parts), ...);
  }
  void put(std::int64_t number) { code_.push_back(number); }
  void put(Order order) { put(static_cast<std::int64_t>(order)); }
  void put(Distribution distribution) { put(static_cast<std::int64_t>(distribution)); }
  void put(const Field& field) { put_all(field.disp, field.length); }
  void put(const std::vector<std::int64_t>& numbers) {
    put(static_cast<std::int64_t>(numbers.size()));
    code_.insert(code_.end(), numbers.begin(), numbers.end());
  }
  template <class Part>
  void put(const std::vector<Part>& list) {
    put(static_cast<std::int64_t>(list.size()));
    for (const Part& part : list) put(part);
  }

  std::vector<std::int64_t>& code_;
};

}  // namespace

std::vector<std::int64_t> encoded(const Type& type) {
  std::vector<std::int64_t> code;
  code.reserve(16);  // as many as most types need
  Encoder(code).put(type);
  return code;
}

}  // namespace marshal::datatype
