// Threads give back what they own when they end, after all that the program runs at their end.
//
// A thread_local object with a destructor goes too early: on the main thread before the program's atexit handlers and
// static objects, on other threads before the destructors of keys (pthread_key_create). All of these may call MPI. So
// Marshal has no such object (tests/source/destructors). A key's destructor gives back what is noted here. The main
// thread gives nothing back when the process ends.
#pragma once

#include <new>

namespace marshal {

// The base of what is given back.
struct AtThreadEnd {
  void (*give_back)(AtThreadEnd&) noexcept = nullptr;
  AtThreadEnd* earlier = nullptr;  // of the same thread
};

// Calls thing.give_back(thing) when the calling thread ends. If that thread is in its last round of keys' destructors
// already, the thing stays for good.
void at_thread_end(AtThreadEnd& thing) noexcept;

// The calling thread's object of a kind. `own`, a constinit thread_local pointer, points to it from its first use until
// the thread ends. On the heap: a library that is loaded late has little room for thread-local objects. Null without
// memory.
template <class T>
T* of_this_thread(T*& own) noexcept {
  if (own != nullptr) return own;
  struct Owned : AtThreadEnd {
    T object;
    T** own;
  };
  auto* const owned = new (std::nothrow) Owned;
  if (owned == nullptr) return nullptr;
  owned->own = &own;
  owned->give_back = [](AtThreadEnd& thing) noexcept {
    auto* const ended = static_cast<Owned*>(&thing);
    *ended->own = nullptr;
    delete ended;
  };
  own = &owned->object;
  at_thread_end(*owned);
  return own;
}

}  // namespace marshal
