// The rows of the call table, as descriptors for the entry points.
//
// Every entry point takes machine words, since all arguments of MPI are integers, handles or addresses of at most 64
// bits. So a call that Marshal passes on reaches the host bit for bit as the program made it. This holds for handles
// of another size than Marshal was built for, and for calls that no mpi.h knows.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "wrappers/host_call.h"

namespace marshal {

using Word = std::uintptr_t;

template <class T>
T from_word(Word word) {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<T>(word);
  else
    return static_cast<T>(word);
}

template <class T>
Word to_word(T value) {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<Word>(value);
  else
    return static_cast<Word>(value);
}

enum class HandleType : unsigned char { none, comm, group, type, win, file, request, info, session };

// The kind of an argument, which decides how C and Fortran pass it.
struct Kind {
  enum class Form : unsigned char {
    handle,      // by value in C, where it is `in` only; the address of a number in Fortran
    int_number,  // by value in C, by reference in Fortran; so are the next two
    aint_number,
    count_number,
    address,  // an address in both
    buffer,   // an address, or a descriptor in mpi_f08 (f08ts)
    hidden,   // not shown to actions where it comes from Fortran
    only_c,   // absent in Fortran
  };
  Form form;
  HandleType handle = HandleType::none;
  bool out = false, in = true;  // of a handle: the call writes it, reads it
};

namespace kind {
constexpr Kind read(HandleType handle) { return {Kind::Form::handle, handle, false, true}; }
constexpr Kind written(HandleType handle) { return {Kind::Form::handle, handle, true, false}; }
constexpr Kind changed(HandleType handle) { return {Kind::Form::handle, handle, true, true}; }
inline constexpr Kind comm = read(HandleType::comm), comm_out = written(HandleType::comm),
                      comm_io = changed(HandleType::comm);
inline constexpr Kind group = read(HandleType::group), group_out = written(HandleType::group),
                      group_io = changed(HandleType::group);
inline constexpr Kind type = read(HandleType::type), type_out = written(HandleType::type),
                      type_io = changed(HandleType::type);
inline constexpr Kind win = read(HandleType::win), win_out = written(HandleType::win),
                      win_io = changed(HandleType::win);
inline constexpr Kind file = read(HandleType::file), file_out = written(HandleType::file),
                      file_io = changed(HandleType::file);
inline constexpr Kind session = read(HandleType::session), session_out = written(HandleType::session),
                      session_io = changed(HandleType::session);
inline constexpr Kind request_out = written(HandleType::request), request_io = changed(HandleType::request),
                      info = read(HandleType::info);
inline constexpr Kind number{Kind::Form::int_number}, logical{Kind::Form::int_number}, aint{Kind::Form::aint_number},
    count{Kind::Form::count_number};
inline constexpr Kind int_out{Kind::Form::address}, int_io{Kind::Form::address}, ints{Kind::Form::address},
    ints_out{Kind::Form::address}, logicals{Kind::Form::address}, logicals_out{Kind::Form::address},
    count_out{Kind::Form::address}, count_io{Kind::Form::address}, ptr{Kind::Form::address}, cptr{Kind::Form::address};
inline constexpr Kind buf{Kind::Form::buffer};
inline constexpr Kind errhandler{Kind::Form::hidden}, types{Kind::Form::hidden}, str{Kind::Form::hidden};
inline constexpr Kind argc{Kind::Form::only_c}, argv{Kind::Form::only_c};
}  // namespace kind

struct Row {
  Call call;
  std::span<const Kind> kinds;
  int (*action)(HostCall& host, const Word* arguments);  // null: the call is counted and passed on
};

// An action on the words of its arguments.
template <auto action>
struct Invocation;
template <class... Parameters, int (*action)(HostCall&, Parameters...)>
struct Invocation<action> {
  static int on(HostCall& host, const Word* words) { return on(host, words, std::index_sequence_for<Parameters...>()); }

 private:
  template <std::size_t... I>
  static int on(HostCall& host, [[maybe_unused]] const Word* words, std::index_sequence<I...>) {
    return action(host, from_word<Parameters>(words[I])...);
  }
};

}  // namespace marshal
