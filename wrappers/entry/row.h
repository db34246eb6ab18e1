// The rows of the call table, as descriptors for the entry points.
//
// Every entry point takes machine words, since all arguments of MPI are integers, handles or addresses of at most 64
// bits. So a call that Marshal passes on reaches the host bit for bit as the program made it. This holds for handles
// of another size than Marshal was built for, and for calls that no mpi.h knows.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "wrappers/entry/host_call.h"

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

enum class HandleType : unsigned char { none, comm, group, type, win, file, request, info, session, op };

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

struct CallRow {
  Call call;
  std::span<const Kind> kinds;
  int (*action)(HostCall& host, const Word* arguments);
};

}  // namespace marshal
