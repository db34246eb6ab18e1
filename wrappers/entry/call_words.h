// Reads arguments of a call among its words, as C or Fortran passed them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "host/handles.h"
#include "wrappers/entry/row.h"
#include "wrappers/entry/thread_state.h"

namespace marshal {

// Numbers and handles among the words of a call.
struct WordReader {
  Binding binding;
  const Word* words;

  MPI_Comm communicator(int i) const {
    if (binding == Binding::c) return from_word<MPI_Comm>(words[i]);
    MPI_Comm handle{};
    from_fortran(*from_word<const MPI_Fint*>(words[i]), handle);
    return handle;
  }
  std::int64_t number(int i, bool large) const {
    if (binding == Binding::c) return large ? from_word<MPI_Count>(words[i]) : from_word<int>(words[i]);
    return element(i, 0, large);
  }
  std::int64_t element(int i, std::size_t k, bool large) const {
    return large ? from_word<const MPI_Count*>(words[i])[k] : from_word<const int*>(words[i])[k];
  }
  MPI_Datatype type(int i) const {
    return binding == Binding::c ? from_word<MPI_Datatype>(words[i]) : type_element(i, 0);
  }
  MPI_Op operation(int i) const {
    if (binding == Binding::c) return from_word<MPI_Op>(words[i]);
    MPI_Op handle{};
    from_fortran(*from_word<const MPI_Fint*>(words[i]), handle);
    return handle;
  }
  MPI_Request request(int i, std::size_t k = 0) const {
    if (binding == Binding::c) return from_word<const MPI_Request*>(words[i])[k];
    MPI_Request handle{};
    from_fortran(from_word<const MPI_Fint*>(words[i])[k], handle);
    return handle;
  }
  MPI_Datatype type_element(int i, std::size_t k) const {
    if (binding == Binding::c) return from_word<const MPI_Datatype*>(words[i])[k];
    MPI_Datatype handle{};
    from_fortran(from_word<const MPI_Fint*>(words[i])[k], handle);
    return handle;
  }
};

}  // namespace marshal
