#include "wrappers/door/narrowed_call.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "wrappers/door/large_operations.h"

namespace marshal {
namespace {

bool is_array(char letter) { return std::strchr("pqidk", letter) != nullptr && letter != '\0'; }
constexpr bool fits(std::int64_t number) { return number >= INT_MIN && number <= INT_MAX; }

}  // namespace

NarrowedCall::NarrowedCall(const MissingCall& call, const Word* given) : call_(call), given_(given) {
  std::copy_n(given, call.words(), words_);
  for (std::size_t i = 0; i < call.arguments() && !is_refused(); ++i) narrow_number(i);
  if (!is_refused()) narrow_arrays();
}

NarrowedCall::~NarrowedCall() { std::free(block_); }

NarrowedCall::Word NarrowedCall::refuse() {
  if (operation_ >= 0) give_back_large_operation(std::exchange(operation_, -1));
  const ErrorPlace place = error_place();
  return handler_knows_ ? answer_missing_call(place, given_, code_) : fail_missing_call(place, given_, code_);
}

ErrorPlace NarrowedCall::error_place() const {
  ErrorPlace place{call_.language, '.', -1, is_by_reference() ? static_cast<int>(call_.arguments()) : -1};
  for (const char kind : {'f', 'w', 'c'})
    if (place.object < 0 && (place.object = call_.find(kind)) >= 0) place.kind = kind;
  return place;
}

NarrowedCall::Word NarrowedCall::end(Word result) {
  if (!has_succeeded(result)) {
    if (operation_ >= 0) give_back_large_operation(std::exchange(operation_, -1));
    return result;
  }
  for (std::size_t i = 0; i < call_.arguments(); ++i)
    if (letter(i) == 'o' || letter(i) == 'u')
      if (Count* const large = reinterpret_cast<Count*>(given_[i])) *large = numbers_[i];
  if (operation_ >= 0) missing_call_side().note_operation(call_.language, given_[call_.find('O')], operation_);
  if (const int request = call_.find('t'); request >= 0 && block_ != nullptr)
    missing_call_side().keep_block(call_.language, given_[request], std::exchange(block_, nullptr));
  return result;
}

bool NarrowedCall::has_succeeded(Word result) const {
  if (!is_by_reference()) return static_cast<int>(result) == 0;
  const int* const ierror = reinterpret_cast<const int*>(words_[call_.arguments()]);
  return ierror == nullptr || *ierror == 0;
}

NarrowedCall::Count NarrowedCall::large(std::size_t i) const {
  return is_by_reference() ? *reinterpret_cast<const Count*>(given_[i]) : static_cast<Count>(given_[i]);
}
int NarrowedCall::small(std::size_t i) const {
  return is_by_reference() ? *reinterpret_cast<const int*>(given_[i]) : static_cast<int>(given_[i]);
}

bool NarrowedCall::host_refuses(int code) {
  if (code == 0) return false;
  handler_knows_ = true;
  refuse_by(code);
  return true;
}

void NarrowedCall::narrow_number(std::size_t i) {
  switch (letter(i)) {
    case 'n':
    case 'l': {
      const Count number = large(i);
      if (fits(number))
        numbers_[i] = static_cast<int>(number);
      else if (is_significant(side_of(i)) && !is_refused())
        return refuse_by(constants().err_count);
      words_[i] = is_by_reference() ? reinterpret_cast<Word>(&numbers_[i]) : static_cast<Word>(numbers_[i]);
      return;
    }
    case 'u':
    case 'o': {
      const Count* const place = reinterpret_cast<const Count*>(given_[i]);
      if (place == nullptr) return;  // the host says what is wrong
      if (letter(i) == 'u' && !fits(*place)) return refuse_by(constants().err_count);
      if (letter(i) == 'u') numbers_[i] = static_cast<int>(*place);
      words_[i] = reinterpret_cast<Word>(&numbers_[i]);
      return;
    }
    case 'x':
      return put_operation(i);
    default:
      return;
  }
}

void NarrowedCall::put_operation(std::size_t i) {
  if (given_[i] == 0) return;
  operation_ = lend_large_operation(reinterpret_cast<void*>(given_[i]));
  if (operation_ < 0) return refuse_by(constants().err_unsupported_operation);
  words_[i] = reinterpret_cast<Word>(function_of_large_operation(operation_));
}

void NarrowedCall::narrow_arrays() {
  Count lengths[MissingCall::most_arguments] = {}, total = 0;
  for (std::size_t i = 0; i < call_.arguments() && !is_refused(); ++i) {
    if (!is_array(letter(i)) || given_[i] == 0 || !is_significant(side_of(i)) || is_refused()) continue;
    lengths[i] = std::max<Count>(length_of(letter(i)), 0);
    total += lengths[i] + 1;  // an array without elements has a place, too
  }
  if (is_refused() || total == 0) return;
  block_ = std::malloc(static_cast<std::size_t>(total) * sizeof(int));
  if (block_ == nullptr) return refuse_by(constants().err_no_mem);
  int* to = static_cast<int*>(block_);
  for (std::size_t i = 0; i < call_.arguments() && !is_refused(); ++i) {
    if (!is_array(letter(i)) || given_[i] == 0 || !is_significant(side_of(i))) continue;
    narrow_array(i, lengths[i], to);
    to += lengths[i] + 1;
  }
}

void NarrowedCall::narrow_array(std::size_t i, Count length, int* to) {
  const Count* const from = reinterpret_cast<const Count*>(given_[i]);
  for (Count k = 0; k < length; ++k) {
    if (!fits(from[k])) return refuse_by(constants().err_count);
    to[k] = static_cast<int>(from[k]);
  }
  words_[i] = reinterpret_cast<Word>(to);
}

// Arguments between the two buffers are those of the first one. Where nothing stands there, all are of both.
NarrowedCall::Side NarrowedCall::side_of(std::size_t i) const {
  const int send = call_.find('b'), receive = call_.find('B'), at = static_cast<int>(i);
  if (send < 0 || receive <= send + 1) return Side::both;
  return at < receive ? Side::send : Side::receive;
}

bool NarrowedCall::is_significant(Side side) {
  if (!std::exchange(sides_are_known_, true)) learn_sides();
  return side == Side::both ? sends_ || receives_ : side == Side::send ? sends_ : receives_;
}

bool NarrowedCall::is_in_place(char buffer) const {
  return missing_call_side().is_in_place(call_.language, given_[call_.find(buffer)]);
}

void NarrowedCall::learn_sides() {
  const int comm = call_.find('c');
  if (comm < 0) return;
  if (is_by_reference() && !missing_call_side().knows_fortran) return refuse_by(constants().err_unsupported_operation);
  comm_ = missing_call_side().communicator(call_.language, given_[comm]);
  // Without a communicator nothing is significant: what else is wrong, the host may say first.
  if (constants().comm_null != 0 && static_cast<int>(comm_) == constants().comm_null) {
    sends_ = receives_ = false;
    return;
  }
  is_inter_ = -1;
  if (host_refuses(ask_host("PMPI_Comm_test_inter", comm_, &is_inter_))) return;
  // The program's handler made a success of the error, as hosts other than Open MPI 4 let it.
  if (is_inter_ < 0) {
    handler_knows_ = true;
    return;
  }
  const int root = std::max(call_.find('r'), call_.find('R'));
  if (root >= 0) return learn_sides_by_root(static_cast<std::size_t>(root));
  if (call_.find('b') >= 0 && side_of(0) != Side::both) sends_ = !is_in_place('b');
}

void NarrowedCall::learn_sides_by_root(std::size_t root) {
  const int number = small(root);
  if (is_inter_ != 0 && number == constants().proc_null) {
    sends_ = receives_ = false;
    return;
  }
  if (call_.find('b') < 0 || side_of(0) == Side::both) return;
  int rank = 0;
  if (is_inter_ == 0 && host_refuses(ask_host("PMPI_Comm_rank", comm_, &rank))) return;
  const bool is_root = number == (is_inter_ != 0 ? constants().root : rank), is_scatter = letter(root) == 'R';
  (is_scatter ? sends_ : receives_) = is_root;
  (is_scatter ? receives_ : sends_) = !is_root || (is_inter_ == 0 && !is_in_place(is_scatter ? 'B' : 'b'));
}

NarrowedCall::Count NarrowedCall::length_of(char array) {
  switch (array) {
    case 'k':
      if (const int length = call_.find('m'); length >= 0) return small(static_cast<std::size_t>(length));
      return large(static_cast<std::size_t>(call_.find('l')));
    case 'p':
    case 'q':
      return peers(array);
    default:
      return neighbours(array);
  }
}

NarrowedCall::Count NarrowedCall::peers(char array) {
  int size = 0;
  const bool of_other_group = array == 'p' && is_inter_ != 0;
  return host_refuses(ask_host(of_other_group ? "PMPI_Comm_remote_size" : "PMPI_Comm_size", comm_, &size)) ? 0 : size;
}

// A communicator without neighbours is the host's to refuse.
NarrowedCall::Count NarrowedCall::neighbours(char array) {
  int topology = 0, in = 0, out = 0, is_weighted = 0, rank = 0, code = ask_host("PMPI_Topo_test", comm_, &topology);
  if (code == 0 && topology == constants().cart) {
    code = ask_host("PMPI_Cartdim_get", comm_, &in);
    out = in *= 2;
  } else if (code == 0 && topology == constants().graph) {
    code = ask_host("PMPI_Comm_rank", comm_, &rank);
    if (code == 0) code = ask_host("PMPI_Graph_neighbors_count", comm_, rank, &in);
    out = in;
  } else if (code == 0 && topology == constants().dist_graph) {
    code = ask_host("PMPI_Dist_graph_neighbors_count", comm_, &in, &out, &is_weighted);
  }
  return host_refuses(code) ? 0 : array == 'i' ? in : out;
}

}  // namespace marshal
