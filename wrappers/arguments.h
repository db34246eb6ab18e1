// The arguments of an MPI call, as an action sees them (in C), whatever language the program called from.
//
// Every entry point takes machine words, since all arguments of MPI are integers, handles or addresses of at most 64
// bits: so a call that Marshal passes on reaches the host bit for bit as the program made it, even where handles are of
// another size than Marshal was built for. Fortran passes everything by reference, characters with their length behind
// the last argument, and gets results converted back only when the action answered in the host's place.
#pragma once

#include <ISO_Fortran_binding.h>
#include <mpi.h>

#include <cstdint>

#include "host/communicators.h"
#include "host/datatypes.h"
#include "host/groups.h"
#include "host/handles.h"
#include "host/internal_communicators.h"
#include "wrappers/thread_state.h"

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

namespace kind {

// What an argument is: its type in C, and what is to be done with it in Fortran.
template <class T>
struct HandleIn {
  using type = T;
  using handle = T;
  static constexpr bool out = false, io = false;
};
template <class T>
struct HandleOut {
  using type = T*;
  using handle = T;
  static constexpr bool out = true, io = false;
};
template <class T>
struct HandleIo {
  using type = T*;
  using handle = T;
  static constexpr bool out = true, io = true;
};
template <class T>
struct Number {
  using type = T;
};  // by value in C, by reference in Fortran
template <class T>
struct Address {
  using type = T;
};  // an address in both languages
template <class T>
struct Unseen {
  using type = T;
};  // not shown to actions in Fortran: T{}
template <class T>
struct Buffer {
  using type = T;
};  // an address, or a descriptor in mpi_f08 (f08ts)
template <class T>
struct OnlyC {
  using type = T;
};  // absent in Fortran: T{}

struct Comm : HandleIn<MPI_Comm> {};
struct CommOut : HandleOut<MPI_Comm> {
  static void forget(MPI_Comm handle) { books::forget_communicator(handle); }
};
struct CommIo : HandleIo<MPI_Comm> {
  static void forget(MPI_Comm handle) { books::forget_communicator(handle); }
};
struct Group : HandleIn<MPI_Group> {};
struct GroupOut : HandleOut<MPI_Group> {
  static void forget(MPI_Group handle) { books::forget_group(handle); }
};
struct GroupIo : HandleIo<MPI_Group> {
  static void forget(MPI_Group handle) { books::forget_group(handle); }
};
struct Type : HandleIn<MPI_Datatype> {};
struct TypeOut : HandleOut<MPI_Datatype> {};
struct TypeIo : HandleIo<MPI_Datatype> {
  static void forget(MPI_Datatype handle) { books::forget_type(handle); }
};
struct Win : HandleIn<MPI_Win> {};
struct WinOut : HandleOut<MPI_Win> {
  static void forget(MPI_Win handle) { books::forget_window(handle); }
};
struct WinIo : HandleIo<MPI_Win> {
  static void forget(MPI_Win handle) { books::forget_window(handle); }
};
struct File : HandleIn<MPI_File> {};
struct FileOut : HandleOut<MPI_File> {
  static void forget(MPI_File handle) { books::forget_file(handle); }
};
struct FileIo : HandleIo<MPI_File> {
  static void forget(MPI_File handle) { books::forget_file(handle); }
};
struct RequestOut : HandleOut<MPI_Request> {};
struct Info : HandleIn<MPI_Info> {};
struct Errhandler : Unseen<MPI_Errhandler> {};
#if MPI_VERSION >= 4
struct Session : HandleIn<MPI_Session> {};
struct SessionOut : HandleOut<MPI_Session> {};
struct SessionIo : HandleIo<MPI_Session> {};
#endif
struct Types : Unseen<const MPI_Datatype*> {};
struct Int : Number<int> {};
struct Logical : Number<int> {};  // any non-zero number is true
struct Aint : Number<MPI_Aint> {};
struct Count : Number<MPI_Count> {};
struct IntOut : Address<int*> {};
struct IntIo : Address<int*> {};
struct Ints : Address<const int*> {};
struct IntsOut : Address<int*> {};
struct Logicals : Address<const int*> {};
struct LogicalsOut : Address<int*> {};
struct CountOut : Address<MPI_Count*> {};
struct CountIo : Address<MPI_Count*> {};
struct Ptr : Address<void*> {};
struct Cptr : Address<void*> {};
struct Buf : Buffer<void*> {};
struct Str : Unseen<const char*> {};
struct Argc : OnlyC<int*> {};
struct Argv : OnlyC<char***> {};

template <class... Kinds>
struct List {};

template <class Kind>
concept Handle = requires {
  typename Kind::handle;
};
template <class Kind>
concept Booked = Handle<Kind> && requires(typename Kind::handle handle) {
  Kind::forget(handle);
};
template <class Kind>
concept InC = std::is_base_of_v<OnlyC<typename Kind::type>, Kind>;
template <class Kind>
concept Numeric = std::is_base_of_v<Number<typename Kind::type>, Kind>;
template <class Kind>
concept Hidden = std::is_base_of_v<Unseen<typename Kind::type>, Kind>;
template <class Kind>
concept Choice = std::is_base_of_v<Buffer<typename Kind::type>, Kind>;

}  // namespace kind

static_assert(sizeof(MPI_Fint) == sizeof(int), "arrays of INTEGER are read as arrays of int");

// An argument as it came in C: nothing to convert.
template <class Kind, Binding binding>
class Argument {
 public:
  explicit Argument(Word word) : word_(word) {}
  typename Kind::type view() { return from_word<typename Kind::type>(word_); }
  void host_answered() {}
  void marshal_answered() {}

 private:
  Word word_;
};

// As it came in Fortran.
template <class Kind, Binding binding>
requires(binding != Binding::c && kind::Numeric<Kind>) class Argument<Kind, binding> {
 public:
  explicit Argument(Word word) : value_(*from_word<const typename Kind::type*>(word)) {}
  typename Kind::type view() { return value_; }
  void host_answered() {}
  void marshal_answered() {}

 private:
  typename Kind::type value_;
};

template <class Kind, Binding binding>
requires(binding != Binding::c && (kind::Hidden<Kind> || kind::InC<Kind>)) class Argument<Kind, binding> {
 public:
  explicit Argument(Word) {}
  typename Kind::type view() { return {}; }
  void host_answered() {}
  void marshal_answered() {}
};

template <class Kind, Binding binding>
requires(binding != Binding::c && kind::Handle<Kind>) class Argument<Kind, binding> {
 public:
  explicit Argument(Word word) : number_(from_word<MPI_Fint*>(word)) {
    if constexpr (!Kind::out || Kind::io) from_fortran(*number_, handle_);
  }
  typename Kind::type view() {
    if constexpr (Kind::out)
      return &handle_;
    else
      return handle_;
  }
  void host_answered() {
    if constexpr (Kind::out) from_fortran(*number_, handle_);
  }
  void marshal_answered() {
    if constexpr (Kind::out) *number_ = to_fortran(handle_);
  }

 private:
  MPI_Fint* number_;
  typename Kind::handle handle_{};
};

template <class Kind, Binding binding>
requires(binding == Binding::f08ts && kind::Choice<Kind>) class Argument<Kind, binding> {
 public:
  explicit Argument(Word word) : descriptor_(from_word<const CFI_cdesc_t*>(word)) {}
  // Null for a section with gaps, which only the host knows how to read.
  void* view() {
    CFI_index_t contiguous = static_cast<CFI_index_t>(descriptor_->elem_len);
    for (int i = 0; i < descriptor_->rank; ++i) {
      const CFI_dim_t& dim = descriptor_->dim[i];
      if (dim.extent != 1 && dim.sm != contiguous) return nullptr;
      contiguous = dim.extent < 0 ? 0 : contiguous * dim.extent;  // the last extent of an assumed-size array is -1
    }
    return descriptor_->base_addr;
  }
  void host_answered() {}
  void marshal_answered() {}

 private:
  const CFI_cdesc_t* descriptor_;
};

}  // namespace marshal
