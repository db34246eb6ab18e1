// The book's entry of a datatype that is read, has a first program, or is left to the host.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "callsites/commit_sites.h"
#include "datatype/first_program.h"
#include "types/committed_kinds.h"
#include "types/layouts.h"
#include "types/message_life.h"
#include "types/type_lives.h"

namespace marshal {

struct Datatype {
  std::shared_ptr<const SharedLayout> layout;           // if it is read
  std::unique_ptr<const datatype::FirstProgram> first;  // if it has a first program, for packs alone
  mutable std::atomic<std::int64_t> left_to_first{0};   // bytes; then it is read
  std::unique_ptr<const Datatype> before;               // it was read: other threads may still use this one
  const char* why_not = nullptr;                        // why the host packs it
  datatype::Span touched{};                             // by one instance
  std::optional<TypeKind> kind;                         // of what is left to the host
  CommitSite committed_at = 0;
  std::int64_t element = 0;                   // bytes of each predefined element; 0 where they differ
  std::shared_ptr<MessageLife> message_life;  // if it was read for its messages
  TypeLives* lives = nullptr;                 // of types like it, where it was read for its packs
  bool was_read_at_once = false;              // at its first pack
  mutable FastestPack by_engine;              // of this type alone
  std::uint64_t bytes_of_others = 0;          // that were packed of its layout before it
  mutable PackCalls without_layout[2];        // to pack, to unpack, by the first program or by the host

  // Since it was read, and of other types with its layout, too.
  std::int64_t bytes_packed() const {
    return static_cast<std::int64_t>(layout != nullptr ? layout->bytes_packed() - bytes_of_others
                                                       : without_layout[0].bytes + without_layout[1].bytes);
  }
};

}  // namespace marshal
