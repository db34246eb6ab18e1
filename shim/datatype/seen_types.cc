#include "datatype/seen_types.h"

namespace marshal::datatype {

std::shared_ptr<const SharedLayout> SeenTypes::find(const Code& code) const {
  const auto seen = layouts_.find(code);
  return seen == layouts_.end() ? nullptr : seen->second.lock();
}

void SeenTypes::remember(Code code, const std::shared_ptr<const SharedLayout>& layout) {
  if (code.size() > most_numbers_) return;
  if (numbers_ + code.size() > most_numbers_) {
    layouts_.clear();
    numbers_ = 0;
  }
  const std::size_t numbers = code.size();
  if (layouts_.insert_or_assign(std::move(code), layout).second) numbers_ += numbers;
}

}  // namespace marshal::datatype
