#include "datatype/element_size.h"

#include <variant>

namespace marshal::datatype {
namespace {

struct Size {
  std::int64_t operator()(const Named& named) const {
    std::int64_t size = 0;
    for (const Field& field : named.fields) size += field.length;
    return size;
  }
  std::int64_t operator()(const Struct& s) const {
    std::int64_t common = 0;
    for (const Type& type : s.of) {
      const std::int64_t size = element_size(type);
      if (size == 0 || (common != 0 && size != common)) return 0;
      common = size;
    }
    return common;
  }
  template <class Combiner>
  std::int64_t operator()(const Combiner& combiner) const {
    return element_size(combiner.of);
  }
};

}  // namespace

std::int64_t element_size(const Type& type) { return std::visit(Size(), type.node().combiner); }

}  // namespace marshal::datatype
