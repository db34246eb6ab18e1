#include "base/thread_records.h"

#include <pthread.h>

#include <utility>

namespace marshal {
namespace {

thread_local constinit AtThreadEnd* latest [[gnu::tls_model("initial-exec")]] = nullptr;

void give_all_back(void*) {
  while (latest != nullptr) {
    AtThreadEnd& thing = *std::exchange(latest, latest->earlier);
    thing.give_back(thing);
  }
}

struct Key {
  pthread_key_t number{};
  bool is_made = pthread_key_create(&number, give_all_back) == 0;
};

}  // namespace

void at_thread_end(AtThreadEnd& thing) noexcept {
  static const Key key;
  thing.earlier = std::exchange(latest, &thing);
  // The destructor runs for values that are not null, and again if another key's destructor notes something.
  if (thing.earlier == nullptr && key.is_made) pthread_setspecific(key.number, &thing);
}

}  // namespace marshal
