// An object that is never destroyed: a program's own static objects may still call MPI after main() has returned.
#pragma once

#include <new>
#include <utility>

namespace marshal {

// For static objects: `static Immortal<Sites> sites;`.
template <class T>
class Immortal {
 public:
  template <class... Arguments>
  explicit Immortal(Arguments&&... arguments) {
    ::new (static_cast<void*>(place_)) T(std::forward<Arguments>(arguments)...);
  }
  Immortal(const Immortal&) = delete;
  Immortal& operator=(const Immortal&) = delete;

  T& operator*() { return *std::launder(reinterpret_cast<T*>(place_)); }
  const T& operator*() const { return *std::launder(reinterpret_cast<const T*>(place_)); }
  T* operator->() { return &**this; }

 private:
  alignas(T) unsigned char place_[sizeof(T)];
};

}  // namespace marshal
