// Messages whose layout is packed far faster in long ranges than in short ones, as transposes are: a short range has a
// few bytes in each of many cache lines. So more is packed than the host asks for, and what arrives is unpacked once
// enough of it is there. A program leaves its buffers alone while a message is under way, so nobody sees that.
//
// One for each message; the host lets one thread at a time have it. No call of MPI.
#pragma once

#include <cstddef>
#include <cstdint>

#include "messages/message_fragments.h"

namespace marshal {

class FragmentBuffer {
 public:
  // True if a buffer makes this message faster.
  static bool serves(const MessagePart& message);

  // As move_fragment(), in any order of ranges.
  void pack(const MessagePart& message, std::byte* packed, datatype::PackedRange range);
  void unpack(const MessagePart& message, const std::byte* packed, datatype::PackedRange range);

  // The message ends: unpacks what is still to be, and gives the memory back.
  void end(const MessagePart& message);

  // Packed bytes at a time.
  static constexpr std::int64_t room = 64 * 1024;

 private:
  bool has_memory();
  void unpack_all(const MessagePart& message);

  std::byte* bytes_ = nullptr;
  datatype::PackedRange held_{0, 0};  // what of the message is in them
  bool to_unpack_ = false;
};

}  // namespace marshal
