// The arguments of an MPI call from Fortran, converted to C for actions.
//
// Fortran passes everything by reference, and the lengths of characters behind the last argument. Results are converted
// back only if the action answered in the host's place. Sentinels (MPI_IN_PLACE, MPI_BOTTOM, …) are never converted:
// the host gets the program's own words.
#pragma once

#include <mpi.h>

#include <array>

#include "host/pmpi.h"
#include "wrappers/entry/row.h"

namespace marshal {

class FortranArguments {
 public:
  static constexpr std::size_t most = 13;

  // `words` are those of the call, without ierror.
  FortranArguments(std::span<const Kind> kinds, Binding binding, const Word* words);
  FortranArguments(const FortranArguments&) = delete;
  FortranArguments& operator=(const FortranArguments&) = delete;

  const Word* in_c() const { return in_c_.data(); }
  void host_answered();     // handles that the host wrote
  void marshal_answered();  // handles that the action wrote

 private:
  union Handle {
    Word word;
    MPI_Comm comm;
    MPI_Group group;
    MPI_Datatype type;
    MPI_Win win;
    MPI_File file;
    MPI_Request request;
    MPI_Info info;
    MPI_Session session;
    MPI_Op op;
  };
  template <class Convert>
  static void visit(HandleType type, Handle& handle, Convert convert);
  void read(std::size_t i, HandleType type);

  std::span<const Kind> kinds_;
  std::array<Word, most> in_c_;
  std::array<MPI_Fint*, most> numbers_;  // of handles, as Fortran has them
  std::array<Handle, most> handles_;
};

}  // namespace marshal
