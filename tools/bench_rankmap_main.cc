// The rank map benchmark as a program of its own: bench_rankmap rankmap [OPTIONS].
#include <string_view>

#include "tools/bench_rankmap.h"

int main(int count, char** arguments) {
  const std::size_t skipped = count > 1 && std::string_view(arguments[1]) == "rankmap" ? 2 : 1;
  return marshal::tools::bench_rankmap(
      std::span<char* const>(arguments, static_cast<std::size_t>(count)).subspan(skipped));
}
