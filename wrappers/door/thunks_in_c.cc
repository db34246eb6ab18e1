// The entry points of libmarshal.so on machines for which thunks.S has none: functions that pass on as many words as
// the longest call has. They lose the program's return address, so all call sites are in this library.
#if !defined(__x86_64__) && !defined(__aarch64__)
#include "wrappers/door/slots.h"

namespace marshal {
namespace {

using Word = unsigned long;
using EntryFunction = Word (*)(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word,
                               Word);

}  // namespace

extern "C" {
void* marshal_slots[slot_count] = {};

#define MARSHAL_DOOR(index, symbol)                                                                                  \
  __attribute__((visibility("default")))                                                                             \
  Word marshal_thunk_##index(Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i, Word j, Word k, \
                             Word l, Word m, Word n, Word o, Word p) __asm__(#symbol);                               \
  Word marshal_thunk_##index(Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i, Word j, Word k, \
                             Word l, Word m, Word n, Word o, Word p) {                                               \
    void* to = __atomic_load_n(&marshal_slots[index], __ATOMIC_ACQUIRE);                                             \
    if (to == nullptr) to = marshal_resolve(index, __builtin_return_address(0));                                     \
    return reinterpret_cast<EntryFunction>(to)(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);                      \
  }
#include "wrappers/door/door_entries.inc"
#undef MARSHAL_DOOR
}
}  // namespace marshal
#endif
