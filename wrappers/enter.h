// What every entry point does: count, keep out of the host's own nested calls, run the action, and never let anything
// escape.
#pragma once

#include <array>
#include <tuple>
#include <utility>

#include "host/moved_cells.h"
#include "host/next_symbol.h"
#include "host/presence.h"
#include "wrappers/arguments.h"
#include "wrappers/host_call.h"

#define MARSHAL_ENTRY [[gnu::visibility("default")]]

namespace marshal {

template <class Row, Binding language, class Kinds, class... Words>
class EnteredCall;

// Binds the words of one call to the kinds of its row.
template <class Row, Binding language, class... Kinds, class... Words>
class EnteredCall<Row, language, kind::List<Kinds...>, Words...> final : public HostCall {
 public:
  using Next = Word (*)(Words...);

  EnteredCall(Next next, const void* where, Words... words)
      : EnteredCall(next, where, std::array<Word, sizeof...(Words)>{words...}, std::index_sequence_for<Kinds...>{}) {}

  // The action, and the host's own answer whatever becomes of it.
  Word act() {
    int code;
    try {
      code = std::apply([this](auto&... argument) { return Row::action(*this, argument.view()...); }, arguments_);
    } catch (...) {
      code = (*this)();  // out of memory inside Marshal: the answer stands, or the host gives it
    }
    if (!done()) std::apply([](auto&... argument) { (argument.marshal_answered(), ...); }, arguments_);
    return answer(code);
  }

  // Within another call, a library of the host or a callback of the program may make or free what the books know: they
  // forget it.
  Word pass_nested() {
    std::apply([](auto&... argument) { (forget_before<Kinds>(argument), ...); }, arguments_);
    const int code = (*this)();
    if (code == MPI_SUCCESS) std::apply([](auto&... argument) { (forget_after<Kinds>(argument), ...); }, arguments_);
    return answer(code);
  }

 private:
  static constexpr bool fortran = language != Binding::c;
  static constexpr std::size_t shown = (0 + ... + (fortran && kind::InC<Kinds> ? 0u : 1u));  // position of ierror

  // Which word the argument number `i` is in: arguments that only C has take none in Fortran.
  template <std::size_t... I>
  static constexpr std::size_t word_of(std::size_t i, std::index_sequence<I...>) {
    return (0 + ... + (I < i && !(fortran && kind::InC<Kinds>) ? 1u : 0u));
  }

  template <std::size_t... I>
  EnteredCall(Next next, const void* where, const std::array<Word, sizeof...(Words)>& words,
              [[maybe_unused]] std::index_sequence<I...> all)
      : HostCall(Row::call, language, where),
        next_(next),
        words_(words),
        arguments_(Argument<Kinds, language>(fortran && kind::InC<Kinds> ? Word{} : words[word_of(I, all)])...) {}

  int run() override {
    std::array<Word, sizeof...(Words)> words = words_;
    if constexpr (fortran)
      if (words[shown] == 0)
        words[shown] = reinterpret_cast<Word>(&own_ierror_);  // absent in mpi_f08: the books need to know all the same
    const Word returned = std::apply(next_, words);
    int code = static_cast<int>(returned);
    if constexpr (fortran) code = *from_word<const MPI_Fint*>(words[shown]);
    if (code == MPI_SUCCESS) std::apply([](auto&... argument) { (argument.host_answered(), ...); }, arguments_);
    return code;
  }

  Word answer(int code) {
    if constexpr (fortran)
      if (words_[shown] != 0) *from_word<MPI_Fint*>(words_[shown]) = code;
    return static_cast<Word>(static_cast<unsigned>(code));
  }

  template <class Kind, class A>
  static void forget_before(A& argument) {
    if constexpr (kind::Booked<Kind>)
      if constexpr (Kind::io)
        if (argument.view() != nullptr) Kind::forget(*argument.view());
  }
  template <class Kind, class A>
  static void forget_after(A& argument) {
    if constexpr (kind::Booked<Kind>)
      if constexpr (!Kind::io)
        if (argument.view() != nullptr) Kind::forget(*argument.view());
  }

  Next next_;
  std::array<Word, sizeof...(Words)> words_;
  std::tuple<Argument<Kinds, language>...> arguments_;
  MPI_Fint own_ierror_ = MPI_SUCCESS;
};

// The row's quick action, without what the ordinary way needs.
template <class Row, Binding binding, class... Kinds, class... Words>
Quickly act_quickly(kind::List<Kinds...>, Words... words) {
  return Row::quick(Argument<Kinds, binding>(words).view()...);
}

template <class Row, Binding binding, class... Words>
Word pass_on(Word (*next)(Words...), ThreadState& thread, Words... words) {
  count_call(thread, Row::call, binding);
  const Inside inside(thread);
  return next(words...);
}

// By the row's action.
template <class Row, Binding binding, class... Words>
Word act(Word (*next)(Words...), ThreadState& thread, const void* caller, Words... words) {
  const bool nested = thread.depth != 0;
  EnteredCall<Row, binding, typename Row::Kinds, Words...> call(next, caller, words...);
  const Inside inside(thread);
  if (nested) return call.pass_nested();
  count_call(thread, Row::call, binding);
  return call.act();
}

// What that needs of the stack shall not be set up for calls that are answered quickly.
template <class Row, Binding binding, class... Words>
[[gnu::noinline]] Word act_apart(Word (*next)(Words...), ThreadState& thread, const void* caller, Words... words) {
  return act<Row, binding>(next, thread, caller, words...);
}

template <class Row, Binding binding, class... Words>
Word enter(Slot& slot, const void* caller, Words... words) {
  const auto next = reinterpret_cast<Word (*)(Words...)>(slot.next(caller));
  if (!is_here()) [[unlikely]]
    return next(words...);
  ThreadState& thread = this_thread();
  if constexpr (std::is_null_pointer_v<std::remove_const_t<decltype(Row::action)>>) {
    if (thread.depth != 0) return next(words...);
    return pass_on<Row, binding>(next, thread, words...);
  } else if constexpr (binding == Binding::c && requires { Row::quick; }) {
    if (thread.depth == 0) {
      const Quickly quickly = act_quickly<Row, binding>(typename Row::Kinds{}, words...);
      if (quickly == Quickly::answered) {
        count_call(thread, Row::call, binding);
        return MPI_SUCCESS;
      }
      if (quickly == Quickly::passed_on) return pass_on<Row, binding>(next, thread, words...);
    }
    return act_apart<Row, binding>(next, thread, caller, words...);
  } else {
    return act<Row, binding>(next, thread, caller, words...);
  }
}

template <class... Kinds>
constexpr std::size_t word_of_comm(kind::List<Kinds...>) {
  static_assert((0 + ... + (std::is_same_v<Kinds, kind::Comm> ? 1 : 0)) == 1, "which communicator?");
  static_assert(!(... || kind::InC<Kinds>), "words are counted as arguments");
  std::size_t place = 0, word = 0;
  ((std::is_same_v<Kinds, kind::Comm> ? void(place = word) : void(), ++word), ...);
  return place;
}

// For what the host does with the topology of a communicator by itself: where a grid's cells were moved, the
// communicator that has them in the host's order takes its place.
template <class Row, Binding binding, class... Words>
Word enter_on_cells(Slot& slot, const void* caller, Words... words) {
  const auto next = reinterpret_cast<Word (*)(Words...)>(slot.next(caller));
  if (!is_here()) [[unlikely]]
    return next(words...);
  ThreadState& thread = this_thread();
  if (thread.depth != 0) return next(words...);
  if (!any_cells_moved()) return pass_on<Row, binding>(next, thread, words...);

  count_call(thread, Row::call, binding);
  const Inside inside(thread);
  std::array<Word, sizeof...(Words)> changed{words...};
  Word& word = changed[word_of_comm(typename Row::Kinds{})];
  Argument<kind::Comm, binding> comm(word);
  [[maybe_unused]] MPI_Fint number;
  if (const MovedCells* cells = moved_cells(comm.view())) {
    const MPI_Comm in_cell_order = cells->in_cell_order();
    if constexpr (binding == Binding::c) {
      word = to_word(in_cell_order);
    } else {
      number = to_fortran(in_cell_order);
      word = to_word(&number);
    }
  }
  return std::apply(next, changed);
}

}  // namespace marshal
