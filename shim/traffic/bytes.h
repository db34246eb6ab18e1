// Numbers and texts as bytes, the same on every machine: fixed numbers are little-endian; others take seven bits a
// byte, least significant first, the eighth says that more follow (LEB128). The reader checks everything: it throws
// Malformed if the bytes end early or make no sense.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace marshal::traffic {

struct Malformed : std::runtime_error {
  using runtime_error::runtime_error;
};

class ByteWriter {
 public:
  void fixed(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) bytes_.push_back(static_cast<char>(value >> (8 * i)));
  }
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
    bytes_.push_back(static_cast<char>(value));
  }
  void text(std::string_view text) {
    number(text.size());
    bytes_ += text;
  }
  void raw(std::string_view bytes) { bytes_ += bytes; }
  const std::string& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  ByteReader() = default;
  explicit ByteReader(std::string_view bytes) : left_(bytes) {}

  std::uint64_t fixed(int bytes) {
    const std::string_view taken = raw(static_cast<std::uint64_t>(bytes));
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i)
      value |= std::uint64_t{static_cast<unsigned char>(taken[static_cast<std::size_t>(i)])} << (8 * i);
    return value;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(raw(1)[0]);
      if (shift == 63 && byte > 1) break;
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    throw Malformed("a number of more than 64 bits");
  }
  // Below `limit`.
  std::uint64_t number_below(std::uint64_t limit, const char* what) {
    const std::uint64_t value = number();
    if (value >= limit) throw Malformed(what);
    return value;
  }
  std::string text() { return std::string(raw(number())); }
  std::string_view raw(std::uint64_t bytes) {
    if (bytes > left_.size()) throw Malformed("it ends early");
    const std::string_view taken = left_.substr(0, bytes);
    left_.remove_prefix(bytes);
    return taken;
  }
  bool at_end() const { return left_.empty(); }

 private:
  std::string_view left_;
};

}  // namespace marshal::traffic
