// A call with large numbers, as the older call with ints has it.
//
// Arguments that the standard does not make significant in this process are neither read nor looked at: those of the
// other side of a gather or a scatter, and what MPI_IN_PLACE stands for.
#pragma once

#include <cstddef>
#include <cstdint>

#include "wrappers/door/missing_call.h"

namespace marshal {

class NarrowedCall {
 public:
  using Word = std::uintptr_t;

  NarrowedCall(const MissingCall& call, const Word* given);
  ~NarrowedCall();
  NarrowedCall(const NarrowedCall&) = delete;
  NarrowedCall& operator=(const NarrowedCall&) = delete;

  // True if a number does not fit, or if the host refused a question about the communicator.
  bool is_refused() const { return code_ != 0 || handler_knows_; }
  Word refuse();
  // An argument of the older call.
  Word word(std::size_t i) const { return words_[i]; }
  // The older call has returned `result`. Its results become large numbers.
  Word end(Word result);

 private:
  using Count = std::int64_t;               // MPI_Count and MPI_Aint of every host
  enum class Side { both, send, receive };  // that an argument belongs to

  char letter(std::size_t i) const { return call_.letters[i]; }
  bool is_by_reference() const { return call_.language != Language::c; }
  const FamilyConstants& constants() const { return missing_call_side().constants; }
  Side side_of(std::size_t i) const;
  Count large(std::size_t i) const;
  int small(std::size_t i) const;
  bool has_succeeded(Word result) const;
  bool is_in_place(char buffer) const;
  ErrorPlace error_place() const;

  void refuse_by(int code) { code_ = code; }
  bool host_refuses(int code);

  void narrow_number(std::size_t i);
  void narrow_arrays();
  void narrow_array(std::size_t i, Count length, int* to);
  void put_operation(std::size_t i);
  bool is_significant(Side side);
  void learn_sides();
  void learn_sides_by_root(std::size_t root);
  Count length_of(char array);
  Count peers(char array);
  Count neighbours(char array);

  const MissingCall& call_;
  const Word* const given_;
  Word words_[MissingCall::most_arguments + 1];
  int numbers_[MissingCall::most_arguments] = {};
  void* block_ = nullptr;  // of all arrays
  Word comm_ = 0;
  int is_inter_ = 0, code_ = 0, operation_ = -1;
  bool sides_are_known_ = false, sends_ = true, receives_ = true, handler_knows_ = false;
};

}  // namespace marshal
