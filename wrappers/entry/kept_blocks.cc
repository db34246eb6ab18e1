#include "wrappers/entry/kept_blocks.h"

#include <cstdlib>
#include <utility>

#include "base/attempt.h"
#include "base/immortal.h"
#include "base/registry.h"
#include "host/handles.h"
#include "wrappers/entry/call_words.h"
#include "wrappers/entry/program_requests.h"

namespace marshal {

struct KeptBlock {
  explicit KeptBlock(void* at) : memory(at) {}
  void* memory;
};

namespace {

Registry<KeptBlock>& blocks() {  // HANDLES: memory that is kept
  static Immortal<Registry<KeptBlock>> alive;
  return *alive;
}

void free_memory(std::unique_ptr<KeptBlock> block) {
  if (block != nullptr) std::free(block->memory);
}

// Where there is no memory for an entry, the block stays for good.
void put(MPI_Request request, std::unique_ptr<KeptBlock> block) noexcept {
  attempt([&] { free_memory(blocks().insert(key_of(request), std::move(block))); });
}

}  // namespace

void keep_block(MPI_Request request, void* block) noexcept {
  attempt([&] { put(request, std::make_unique<KeptBlock>(block)); });
  any_kept_blocks = true;
}

void free_block_of(MPI_Request request) noexcept {
  attempt([&] { free_memory(blocks().extract(key_of(request))); });
}

EndingBlocks::EndingBlocks(Binding binding, Word array, std::int64_t length) noexcept
    : binding_(binding), array_(array) {
  if (!any_kept_blocks || array == 0) return;
  attempt([&] {
    for (std::int64_t i = 0; i < length; ++i) {
      const MPI_Request request = WordReader{binding, &array_}.request(0, static_cast<std::size_t>(i));
      if (request == null_request() || blocks().find(key_of(request)) == nullptr) continue;
      taken_.push_back({i, request, nullptr});
      taken_.back().block = blocks().extract(key_of(request));
    }
  });
}

EndingBlocks::~EndingBlocks() {
  for (Taken& taken : taken_) {
    const MPI_Request now = WordReader{binding_, &array_}.request(0, static_cast<std::size_t>(taken.at));
    if (now != null_request())
      put(taken.request, std::move(taken.block));
    else
      free_memory(std::move(taken.block));
  }
}

}  // namespace marshal
