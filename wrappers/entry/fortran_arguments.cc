#include "wrappers/entry/fortran_arguments.h"

#include <ISO_Fortran_binding.h>

#include "host/handles.h"

namespace marshal {
namespace {

static_assert(sizeof(MPI_Fint) == sizeof(int), "arrays of INTEGER are read as arrays of int");

// Null if only the host can read it: a section with gaps, or no C descriptor of this compiler.
// The mpi_f08 of Open MPI 6 gets the Fortran compiler's own descriptors. There gfortran has the length of an element
// where C has the version, and a zero where C has the type.
void* address_of(const CFI_cdesc_t& descriptor) {
  if (descriptor.version != CFI_VERSION || descriptor.type == 0) return nullptr;
  CFI_index_t contiguous = static_cast<CFI_index_t>(descriptor.elem_len);
  for (int i = 0; i < descriptor.rank; ++i) {
    const CFI_dim_t& dim = descriptor.dim[i];
    if (dim.extent != 1 && dim.sm != contiguous) return nullptr;
    contiguous = dim.extent < 0 ? 0 : contiguous * dim.extent;  // the last extent of an assumed-size array is -1
  }
  return descriptor.base_addr;
}

}  // namespace

template <class Convert>
void FortranArguments::visit(HandleType type, Handle& handle, Convert convert) {
  switch (type) {
    case HandleType::comm:
      return convert(handle.comm);
    case HandleType::group:
      return convert(handle.group);
    case HandleType::type:
      return convert(handle.type);
    case HandleType::win:
      return convert(handle.win);
    case HandleType::file:
      return convert(handle.file);
    case HandleType::request:
      return convert(handle.request);
    case HandleType::info:
      return convert(handle.info);
    case HandleType::session:
      return convert(handle.session);
    case HandleType::op:
      return convert(handle.op);
    case HandleType::none:
      break;
  }
}

void FortranArguments::read(std::size_t i, HandleType type) {
  visit(type, handles_[i], [number = *numbers_[i]](auto& handle) { from_fortran(number, handle); });
}

FortranArguments::FortranArguments(std::span<const Kind> kinds, Binding binding, const Word* words) : kinds_(kinds) {
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const Kind kind = kinds[i];
    const Word word = kind.form == Kind::Form::only_c ? 0 : *words++;
    switch (kind.form) {
      case Kind::Form::handle:
        numbers_[i] = from_word<MPI_Fint*>(word);
        handles_[i].word = 0;
        if (kind.in) read(i, kind.handle);
        if (kind.out)
          in_c_[i] = to_word(&handles_[i]);
        else
          visit(kind.handle, handles_[i], [this, i](auto handle) { in_c_[i] = to_word(handle); });
        break;
      case Kind::Form::int_number:
        in_c_[i] = to_word(*from_word<const int*>(word));
        break;
      case Kind::Form::aint_number:
        in_c_[i] = to_word(*from_word<const MPI_Aint*>(word));
        break;
      case Kind::Form::count_number:
        in_c_[i] = to_word(*from_word<const MPI_Count*>(word));
        break;
      case Kind::Form::buffer:
        in_c_[i] = binding == Binding::f08ts ? to_word(address_of(*from_word<const CFI_cdesc_t*>(word))) : word;
        break;
      case Kind::Form::address:
        in_c_[i] = word;
        break;
      case Kind::Form::hidden:
      case Kind::Form::only_c:
        in_c_[i] = 0;
        break;
    }
  }
}

void FortranArguments::host_answered() {
  for (std::size_t i = 0; i < kinds_.size(); ++i)
    if (kinds_[i].out) read(i, kinds_[i].handle);
}

void FortranArguments::marshal_answered() {
  for (std::size_t i = 0; i < kinds_.size(); ++i)
    if (kinds_[i].out)
      visit(kinds_[i].handle, handles_[i], [number = numbers_[i]](auto handle) { *number = to_fortran(handle); });
}

}  // namespace marshal
