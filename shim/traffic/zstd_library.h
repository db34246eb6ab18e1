// Zstandard (Collet, Kucherawy, "Zstandard Compression and the 'application/zstd' Media Type", RFC 8878), loaded when
// it is first needed: Marshal's library does not depend on it.
#pragma once

#include <zstd.h>

namespace marshal::traffic {

// The functions that are used, under their own names without the prefix.
struct ZstdLibrary {
  decltype(&::ZSTD_compressBound) compressBound;
  decltype(&::ZSTD_compress) compress;
  decltype(&::ZSTD_decompress) decompress;
  decltype(&::ZSTD_isError) isError;
};

// Null if libzstd.so.1 cannot be loaded. Thread safe; loaded once.
const ZstdLibrary* zstd_library();

}  // namespace marshal::traffic
