#include "wrappers/door/large_operations.h"

#include <atomic>
#include <cstddef>
#include <utility>

namespace marshal {
namespace {

using OfHost = void (*)(void* in, void* inout, int* length, void* type);
using OfProgram = void (*)(void* in, void* inout, std::int64_t* length, void* type);

constexpr std::uint64_t no_operation = ~std::uint64_t{0};
struct Lent {
  std::atomic<OfProgram> of_program{nullptr};
  std::atomic<std::uint64_t> operation{no_operation};
  std::atomic<std::uint64_t> given_back{0};  // the number of the return, from 1 on; `taken`: it is lent
};
constexpr std::uint64_t taken = ~std::uint64_t{0};
constinit Lent lent[most_large_operations];  // HANDLES: large operations
constinit std::atomic<std::uint64_t> returns{0};

template <std::size_t which>
void call_program(void* in, void* inout, int* length, void* type) {
  std::int64_t large = *length;
  lent[which].of_program.load(std::memory_order_acquire)(in, inout, &large, type);
}

template <std::size_t... which>
OfHost function_at(int at, std::index_sequence<which...>) {
  static constexpr OfHost functions[] = {call_program<which>...};
  return functions[at];
}

}  // namespace

int lend_large_operation(void* of_program) {
  for (;;) {
    int oldest = -1;
    std::uint64_t at = taken;
    for (int i = 0; i < most_large_operations; ++i) {
      const std::uint64_t given_back = lent[i].given_back.load(std::memory_order_relaxed);
      if (given_back < at) oldest = i, at = given_back;
    }
    if (oldest < 0) return -1;
    if (!lent[oldest].given_back.compare_exchange_strong(at, taken, std::memory_order_acquire)) continue;
    lent[oldest].of_program.store(reinterpret_cast<OfProgram>(of_program), std::memory_order_release);
    return oldest;
  }
}

void* function_of_large_operation(int which) {
  return reinterpret_cast<void*>(function_at(which, std::make_index_sequence<most_large_operations>()));
}

void note_large_operation(int which, std::uint64_t operation) {
  forget_large_operation(operation);
  lent[which].operation.store(operation, std::memory_order_relaxed);
}

void forget_large_operation(std::uint64_t operation) {
  for (int i = 0; i < most_large_operations; ++i) {
    std::uint64_t expected = operation;
    if (lent[i].operation.compare_exchange_strong(expected, no_operation)) return give_back_large_operation(i);
  }
}

void give_back_large_operation(int which) {
  lent[which].given_back.store(returns.fetch_add(1, std::memory_order_relaxed) + 1, std::memory_order_release);
}

}  // namespace marshal
