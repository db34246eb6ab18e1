// The layouts of types that were built the same way before: programs make the same types again and again, and to bring
// a long list into its canonical form takes far longer than to compare it with one that was.
//
// Not thread safe.
#ifndef MARSHAL_DATATYPE_SEEN_TYPES_H
#define MARSHAL_DATATYPE_SEEN_TYPES_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "datatype/layout_cache.h"

namespace marshal::datatype {

class SeenTypes {
 public:
  using Code = std::vector<std::int64_t>;  // of a type (type_code.h)

  // All are forgotten when their codes have more numbers than these together.
  explicit SeenTypes(std::size_t most_numbers = 64 * 1024) : most_numbers_(most_numbers) {}

  // Null if no such type was seen, or if its layout has left the cache since.
  std::shared_ptr<const SharedLayout> find(const Code& code) const;

  void remember(Code code, const std::shared_ptr<const SharedLayout>& layout);

 private:
  std::size_t most_numbers_, numbers_ = 0;
  std::unordered_map<Code, std::weak_ptr<const SharedLayout>, HashOfNumbers> layouts_;
};

}  // namespace marshal::datatype

#endif
