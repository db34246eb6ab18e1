#include "wrappers/entry/enter.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "callsites/python_place.h"
#include "communicators/communicators.h"
#include "communicators/groups.h"
#include "communicators/internal_communicators.h"
#include "files/open_files.h"
#include "host/handles.h"
#include "host/next_symbol.h"
#include "host/presence.h"
#include "types/type_book.h"
#include "watch/looker.h"
#include "wrappers/door/missing_calls.h"
#include "wrappers/entry/fortran_arguments.h"

namespace marshal {
namespace {

// The words of an entry point: the arguments in C, ierror, and the lengths of characters.
constexpr std::size_t most_words = FortranArguments::most + 4;

template <std::size_t>
using WordAt = Word;

template <std::size_t... I>
Word call_with(void* function, const Word* words, std::index_sequence<I...>) {
  return reinterpret_cast<Word (*)(WordAt<I>...)>(function)(words[I]...);
}

template <std::size_t count>
Word call_with_words(void* function, const Word* words) {
  return call_with(function, words, std::make_index_sequence<count>());
}

template <std::size_t... counts>
constexpr auto callers_with(std::index_sequence<counts...>) {
  return std::array{&call_with_words<counts>...};
}

}  // namespace

Word call_host(void* function, const Word* words, std::size_t count) {
  static constexpr auto callers = callers_with(std::make_index_sequence<most_words + 1>());
  return callers[count](function, words);
}

namespace {

struct Entered {
  const CallRow& row;
  void* next;
  Binding binding;
  const void* caller;  // its place
  const Word* words;
  std::size_t count;
};

class CCall final : public HostCall {
 public:
  explicit CCall(const Entered& entered) : HostCall(entered.row.call, Binding::c, entered.caller), entered_(entered) {}
  const Word* arguments() const { return entered_.words; }
  void marshal_answered() {}
  Word answer(int code) { return static_cast<Word>(static_cast<unsigned>(code)); }
  int run_with(MPI_Comm comm, std::size_t which, int value) override {
    std::array<Word, most_words> words;
    std::copy_n(entered_.words, entered_.count, words.begin());
    words[0] = to_word(comm);
    words[which] = to_word(value);
    return static_cast<int>(call_host(entered_.next, words.data(), entered_.count));
  }
  int run_with(std::initializer_list<OtherWord> others) override {
    std::array<Word, most_words> words;
    std::copy_n(entered_.words, entered_.count, words.begin());
    for (const OtherWord& other : others) words[other.which] = other.word;
    return static_cast<int>(call_host(entered_.next, words.data(), entered_.count));
  }

 private:
  int run() override { return static_cast<int>(call_host(entered_.next, entered_.words, entered_.count)); }

  const Entered& entered_;
};

class FortranCall final : public HostCall {
 public:
  explicit FortranCall(const Entered& entered)
      : HostCall(entered.row.call, entered.binding, entered.caller),
        entered_(entered),
        ierror_(place_of_ierror(entered.row)),
        arguments_(entered.row.kinds, entered.binding, entered.words) {}
  const Word* arguments() const { return arguments_.in_c(); }
  void marshal_answered() { arguments_.marshal_answered(); }
  Word answer(int code) {
    if (entered_.words[ierror_] != 0) *from_word<MPI_Fint*>(entered_.words[ierror_]) = code;
    return static_cast<Word>(static_cast<unsigned>(code));
  }
  int run_with(MPI_Comm comm, std::size_t which, int value) override {
    std::array<Word, most_words> words;
    std::copy_n(entered_.words, entered_.count, words.begin());
    MPI_Fint handle = to_fortran(comm), number = value;
    words[0] = to_word(&handle);
    words[which] = to_word(&number);
    return run_on(words);
  }
  int run_with(std::initializer_list<OtherWord> others) override {
    std::array<Word, most_words> words;
    std::copy_n(entered_.words, entered_.count, words.begin());
    for (const OtherWord& other : others) words[other.which] = other.word;
    return run_on(words);
  }

 private:
  static std::size_t place_of_ierror(const CallRow& row) {
    return static_cast<std::size_t>(
        std::count_if(row.kinds.begin(), row.kinds.end(), [](Kind kind) { return kind.form != Kind::Form::only_c; }));
  }

  int run() override {
    std::array<Word, most_words> words;
    std::copy_n(entered_.words, entered_.count, words.begin());
    return run_on(words);
  }

  int run_on(std::array<Word, most_words>& words) {
    MPI_Fint own_ierror = MPI_SUCCESS;  // it may be absent in mpi_f08, but the action needs it
    if (words[ierror_] == 0) words[ierror_] = to_word(&own_ierror);
    call_host(entered_.next, words.data(), entered_.count);
    const int code = *from_word<const MPI_Fint*>(words[ierror_]);
    if (code == MPI_SUCCESS) arguments_.host_answered();
    return code;
  }

  const Entered& entered_;
  const std::size_t ierror_;
  FortranArguments arguments_;
};

void forget(HandleType type, Word address, bool freed) {
  if (address == 0) return;
  switch (type) {
    case HandleType::comm:
      return books::forget_communicator(*from_word<MPI_Comm*>(address));
    case HandleType::group:
      return freed ? books::release_group_unseen(*from_word<MPI_Group*>(address))
                   : books::forget_group(*from_word<MPI_Group*>(address));
    case HandleType::type:
      if (freed) books::forget_type(*from_word<MPI_Datatype*>(address));
      return;
    case HandleType::win:
      books::forget_window_or_file(*from_word<MPI_Win*>(address));
      return;
    case HandleType::file:
      files::forget(*from_word<MPI_File*>(address));
      books::forget_window_or_file(*from_word<MPI_File*>(address));
      return;
    default:
      return;
  }
}

// Operations and keyvals are only counted. A callback of the program may free one that it made before.
bool ends_what_is_counted(Call call) {
  constexpr std::array ends{Call::Op_free, Call::Comm_free_keyval, Call::Type_free_keyval, Call::Win_free_keyval,
                            Call::Keyval_free};
  return std::ranges::find(ends, call) != ends.end();
}

// All processes count the exchanges of a communicator alike, wherever they make them: one may be in an error handler.
bool is_exchange(Call call) {
  constexpr std::array all{Call::Alltoall,   Call::Alltoallv,   Call::Alltoallw,
                           Call::Alltoall_c, Call::Alltoallv_c, Call::Alltoallw_c};
  return std::ranges::find(all, call) != all.end();
}

// Within another call, the host or a callback of the program may make or free objects that have an entry: remove it.
// (MPI_Type_commit changes its handle in name only; MPICH's Fortran layer calls it so for the program.)
template <class EnteredCall>
Word pass_nested(const CallRow& row, EnteredCall& call) {
  const Word* arguments = call.arguments();
  if (ends_what_is_counted(row.call) || is_exchange(row.call)) return call.answer(row.action(call, arguments));
  for (std::size_t i = 0; i < row.kinds.size(); ++i)
    if (row.kinds[i].out && row.kinds[i].in && row.call != Call::Type_commit)
      forget(row.kinds[i].handle, arguments[i], true);
  const int code = call();
  for (std::size_t i = 0; code == MPI_SUCCESS && i < row.kinds.size(); ++i)
    if (row.kinds[i].out && !row.kinds[i].in) forget(row.kinds[i].handle, arguments[i], false);
  // A thread that left a call by longjmp is taken to be in it yet, in its MPI_Finalize too.
  if (row.call == Call::Finalize && code == MPI_SUCCESS) watch::end_looking();
  return call.answer(code);
}

// The number of the argument that is a communicator, or -1. One that the call frees has none.
int communicator_of(const CallRow& row) {
  for (std::size_t i = 0; i < row.kinds.size(); ++i)
    if (row.kinds[i].handle == HandleType::comm && !row.kinds[i].out) return static_cast<int>(i);
  return -1;
}

template <class Run>
Word run_by_kind(CallCounts& counts, CallPlace place, std::span<const Word> words, Run run) {
  if (is_timed(place.call)) return run_timed<true>(counts, place, words, run);
  Sampling::Alike& alike = alike_calls(counts, place, words);
  return alike.pass() ? run() : run_sampled(counts, alike, place, words, run);
}

// No catch here: exceptions of the program's callbacks pass through; an action's own never leave it (HostCall).
template <class EnteredCall>
Word act_on(const CallRow& row, EnteredCall&& call) {
  ThreadState& thread = this_thread();
  const bool nested = is_nested(thread);
  const Inside inside;
  if (nested) return pass_nested(row, call);
  CallCounts& counts = count_call(thread, row.call, call.binding);
  // An action has the arguments of C.
  const CallPlace place{row.call, Binding::c, call.caller, communicator_of(row)};
  const std::span arguments(call.arguments(), row.kinds.size());
  return run_by_kind(counts, place, arguments, [&] {
    const int code = row.action(call, call.arguments());
    if (!call.done()) call.marshal_answered();
    if (makes_request(row.call)) {
      const Word request = call.arguments()[row.kinds.size() - 1];
      if (code == MPI_SUCCESS && request != 0)
        handles_of_requests.add(request_at(Binding::c, request));
      else
        count(Tally::requests_not_made);
    }
    return call.answer(code);
  });
}

}  // namespace

Word act(const CallRow& row, Slot& slot, Binding binding, const void* caller, const Word* words, std::size_t count) {
  void* const next = slot.next(caller);
  if (!is_here()) [[unlikely]]
    return call_host(next, words, count);
  const Entered entered{row, next, binding, place_of_call(caller), words, count};
  return binding == Binding::c ? act_on(row, CCall(entered)) : act_on(row, FortranCall(entered));
}

Word count_and_pass_on_words(Slot& slot, CallPlace place, std::span<const Word> words) {
  CallCounts& counts = count_call(this_thread(), place.call, place.binding);
  void* const next = slot.next(place.caller);
  const Inside inside;
  const Word result = run_by_kind(counts, place, words, [&] { return call_host(next, words.data(), words.size()); });
  if (makes_request(place.call)) note_made_request(counts, place.binding, result, words.data(), words.size());
  return result;
}

std::optional<Word> pass_on_others(Slot& slot, const void* caller, std::span<const Word> words) {
  void* const next = slot.next(caller);  // the first call of all lets Marshal be there
  if (is_here() && !is_nested(this_thread())) return std::nullopt;
  return call_host(next, words.data(), words.size());
}

void* Slot::resolve(const void* caller) noexcept {
  void* found = nullptr;
  for (const char* name = spellings_; found == nullptr && *name != '\0'; name += std::strlen(name) + 1)
    found = find_next_symbol(name, caller);
  if (found == nullptr) found = find_missing_call(spellings_, caller);
  meet_host();
  next_.store(found, std::memory_order_release);
  return found;
}

}  // namespace marshal
