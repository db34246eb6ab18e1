#include "wrappers/door/missing_calls.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <utility>

#include "host/next_symbol.h"
#include "wrappers/door/narrowed_call.h"

namespace marshal {
namespace {

using Word = std::uintptr_t;
template <std::size_t>
using WordAt = Word;

struct MissingFunction {
  const char* spellings;  // each with a zero behind it, and one behind the last
  MissingCall call;
  void* unsupported;
  const char* older = nullptr;  // the function with smaller numbers, if there is one
  void* with_older = nullptr;
};
extern const MissingFunction missing_functions[];

constexpr std::size_t function_count = 0
#define MARSHAL_MISSING(spellings, language, letters, words, kind, object) +1
#define MARSHAL_OLDER(number, older, spellings, language, letters, words, kind, object) +1
#include "wrappers/door/missing_calls.inc"
#undef MARSHAL_MISSING
#undef MARSHAL_OLDER
    ;
constinit std::atomic<void*> older_functions[function_count] = {};  // of those that were looked for

// One for all calls whose object and ierror stand at the same places.
template <Language language, char kind, int object, class Sequence>
struct Unsupported;
template <Language language, char kind, int object, std::size_t... i>
struct Unsupported<language, kind, object, std::index_sequence<i...>> {
  static Word run(WordAt<i>... words) {
    const Word given[] = {words..., 0};
    const ErrorPlace place{language, kind, object, language == Language::c ? -1 : static_cast<int>(sizeof...(i)) - 1};
    return fail_missing_call(place, given, missing_call_side().constants.err_unsupported_operation);
  }
};

template <std::size_t number, class Sequence>
struct OlderCall;
template <std::size_t number, std::size_t... i>
struct OlderCall<number, std::index_sequence<i...>> {
  static Word run(WordAt<i>... words) {
    const Word given[] = {words...};
    NarrowedCall call(missing_functions[number].call, given);
    if (call.is_refused()) return call.refuse();
    const auto older = reinterpret_cast<Word (*)(WordAt<i>...)>(older_functions[number].load());
    return call.end(older(call.word(i)...));
  }
};

const MissingFunction missing_functions[] = {
#define MARSHAL_UNSUPPORTED(language, words, kind, object) \
  reinterpret_cast<void*>(Unsupported<Language::language, kind, object, std::make_index_sequence<words>>::run)
#define MARSHAL_MISSING(spellings, language, letters, words, kind, object) \
  {spellings, {Language::language, letters}, MARSHAL_UNSUPPORTED(language, words, kind, object)},
#define MARSHAL_OLDER(number, older, spellings, language, letters, words, kind, object) \
  {spellings,                                                                           \
   {Language::language, letters},                                                       \
   MARSHAL_UNSUPPORTED(language, words, kind, object),                                  \
   older,                                                                               \
   reinterpret_cast<void*>(OlderCall<number, std::make_index_sequence<words>>::run)},
#include "wrappers/door/missing_calls.inc"
#undef MARSHAL_MISSING
#undef MARSHAL_OLDER
#undef MARSHAL_UNSUPPORTED
};

bool has_spelling(const MissingFunction& function, const char* symbol) {
  for (const char* name = function.spellings; *name != '\0'; name += std::strlen(name) + 1)
    if (std::strcmp(name, symbol) == 0) return true;
  return false;
}

}  // namespace

void* find_missing_call(const char* symbol, const void* caller) {
  for (std::size_t i = 0; i < function_count; ++i) {
    const MissingFunction& function = missing_functions[i];
    if (!has_spelling(function, symbol)) continue;
    void* const older = function.older != nullptr ? find_next_symbol(function.older, caller) : nullptr;
    if (older == nullptr) return function.unsupported;
    older_functions[i].store(older);
    return function.with_older;
  }
  return nullptr;
}

void end_without_function(const char* symbol) {
  dprintf(STDERR_FILENO, "marshal: symbol lookup error: undefined symbol: %s (no MPI library behind Marshal has it)\n",
          symbol);
  _exit(127);
}

}  // namespace marshal
