// The book's entry of a datatype that is read, has a first program, or is left to the host.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "callsites/call_frames.h"
#include "datatype/first_program.h"
#include "types/layouts.h"
#include "types/site_history.h"

namespace marshal {

// The kind of a type, at little cost: its contents are not read.
struct TypeKind {
  std::string combiner;  // of the outermost constructor, as MPI names it
  std::int64_t size, extent;
};

struct Datatype {
  std::shared_ptr<const SharedLayout> layout;           // if it is read
  std::unique_ptr<const datatype::FirstProgram> first;  // if it has a first program, for packs alone
  mutable Relaxed<std::int64_t> left_to_first;          // bytes; then it is read
  mutable const Datatype* left_before = nullptr;        // of those that left the book (EntriesInUse)
  const char* why_not = nullptr;                        // why the host packs it
  datatype::Span touched{};                             // by one instance
  std::optional<TypeKind> kind;                         // of what is left to the host
  CommitSite committed_at = 0;
  std::int64_t element = 0;                   // bytes of each predefined element; 0 where they differ
  std::uint64_t element_key = 0;              // of its only predefined type, which has no gap; 0: there is none such
  std::shared_ptr<MessageLife> message_life;  // if it was read for its messages
  SiteHistory* history = nullptr;             // if it was handed over at a pack
  std::int64_t bytes_before = 0;              // packed by the host, less those of other types with its layout
  bool is_watched = false;                    // the second pack by its first program is timed
  mutable PackCalls without_layout[2];        // to pack, to unpack, by the first program or by the host

  // The packs of its layout, or of its first program, in one direction.
  const PackCalls& by_engine(bool unpack) const {
    return layout != nullptr ? layout->account(unpack).by_engine : without_layout[unpack ? 1 : 0];
  }
  // In all.
  std::int64_t bytes_packed() const {
    const std::uint64_t now =
        layout != nullptr ? layout->bytes_packed() : without_layout[0].bytes + without_layout[1].bytes;
    return bytes_before + static_cast<std::int64_t>(now);
  }
};

}  // namespace marshal
