// A table of objects by a key that each holds, linked through the objects: to enter and to take out needs no memory.
// For one thread at a time. The objects are not the table's own.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/fixed_table.h"

namespace marshal {

template <class T, std::uint64_t T::*key, T* T::*next>
class LinkedTable {
 public:
  // Throws std::bad_alloc, and is unchanged then. An object may be in it once; one of the same key as another is found
  // before that.
  void insert(T& object) {
    if (size_ == heads_.size()) grow();
    T*& head = head_of(object.*key);
    object.*next = head;
    head = &object;
    ++size_;
  }

  // Takes it out; null where there is none.
  T* extract(std::uint64_t wanted) {
    if (size_ == 0) return nullptr;
    for (T** at = &head_of(wanted); *at != nullptr; at = &((*at)->*next))
      if ((*at)->*key == wanted) {
        T* const found = *at;
        *at = found->*next;
        --size_;
        return found;
      }
    return nullptr;
  }

  // Null where there is none.
  T* find(std::uint64_t wanted) {
    if (size_ == 0) return nullptr;
    T* object = head_of(wanted);
    while (object != nullptr && object->*key != wanted) object = object->*next;
    return object;
  }

  std::size_t size() const { return size_; }

 private:
  T*& head_of(std::uint64_t wanted) { return heads_[spread(wanted, bits_)]; }

  void grow() {
    std::vector<T*> old(heads_.empty() ? least : 2 * heads_.size());
    old.swap(heads_);
    bits_ = std::countr_zero(heads_.size());
    for (T* object : old)
      while (object != nullptr) {
        T* const after = object->*next;
        T*& head = head_of(object->*key);
        object->*next = head;
        head = object;
        object = after;
      }
  }

  static constexpr std::size_t least = 64;
  std::vector<T*> heads_;
  std::size_t size_ = 0;
  int bits_ = 0;  // of a place among the heads
};

}  // namespace marshal
