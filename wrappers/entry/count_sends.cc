#include "wrappers/entry/count_sends.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/attempt.h"
#include "base/thread_records.h"

namespace marshal {
Word pass_send_apart(Slot& slot, CallPlace place, const SendPart& part, std::span<Word> words) {
  if (const std::optional<Word> passed = pass_on_others(slot, place.caller, words)) return *passed;
  MPI_Fint code = MPI_SUCCESS;
  provide_code(place.binding, words, code);
  const Word result = count_and_pass_on_words(slot, place, words);
  if (is_watching_messages()) note_send(part, place.binding, result, words.data());
  return result;
}

Word start(Slot& slot, CallPlace place, std::span<const Word> words) {
  const WordReader read{place.binding, words.data()};
  const bool is_one = place.call == Call::Start;
  const std::size_t requests = is_one ? 0 : 1;  // number of their word; null is an error, which the host finds
  const std::int64_t started = words[requests] == 0 ? 0 : is_one ? 1 : read.number(0, false);
  const auto request_count = static_cast<std::size_t>(std::max<std::int64_t>(started, 0));
  // Hosts may give a request that is started another handle.
  static thread_local constinit std::vector<MPI_Request>* own = nullptr;
  std::vector<MPI_Request>* const before = of_this_thread(own);
  const bool noted = before != nullptr && attempt([&] {
                       before->clear();
                       for (std::size_t i = 0; i < request_count; ++i)
                         before->push_back(read.request(static_cast<int>(requests), i));
                     });
  const Word result = count_and_pass_on_words(slot, place, words);
  if (!noted || !succeeded(place.binding, result, words.data(), words.size() - 1)) return result;
  for (std::size_t i = 0; i < request_count; ++i)
    count_started((*before)[i], read.request(static_cast<int>(requests), i));
  return result;
}

}  // namespace marshal
