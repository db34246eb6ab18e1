#include "traffic/zstd_library.h"

#include <optional>

#include "base/dynamic_library.h"

namespace marshal::traffic {
namespace {

std::optional<ZstdLibrary> load() {
  DynamicLibrary library{"libzstd.so.1"};
  ZstdLibrary found{};
  library.find("ZSTD_compressBound", found.compressBound);
  library.find("ZSTD_compress", found.compress);
  library.find("ZSTD_decompress", found.decompress);
  library.find("ZSTD_isError", found.isError);
  return library.missing() == nullptr ? std::optional(found) : std::nullopt;
}

}  // namespace

const ZstdLibrary* zstd_library() {
  static const std::optional<ZstdLibrary> the = load();
  return the ? &*the : nullptr;
}

}  // namespace marshal::traffic
