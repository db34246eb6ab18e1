// Rows of the traffic as blocks of bytes. A block can be made anywhere, sent, and put into a file, in any order. Each
// is compressed on its own, so the memory of one block suffices.
//
// A block is a frame of 32 bytes and its payload. The frame's fields, with their bytes (numbers are little-endian):
// * kind (1): 'J' the job, 'R' rows, 'E' the end;
// * codec (1): 0 stored, 1 zstd;
// * 0 (2);
// * length of the payload, unpacked (4) and as stored (4);
// * rows in the payload (4), and peers in these rows (8);
// * XXH3's hash of the stored payload, seeded with the hash of the 24 bytes before this field (8).
// The payload of rows is columns: processes, numbers of peers, peers as differences, messages, bytes.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "traffic/traffic.h"

namespace marshal::traffic {

// Numbers and texts as bytes, the same on every machine: fixed numbers are little-endian; others take seven bits a
// byte, least significant first, the eighth says that more follow (LEB128). The reader checks everything: it throws
// Malformed if the bytes end early or make no sense.
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

inline constexpr std::size_t frame_bytes = 32;
inline constexpr std::uint32_t most_payload = 64U << 20;

enum class BlockKind : std::uint8_t { job = 'J', rows = 'R', end = 'E' };

struct Frame {
  BlockKind kind = BlockKind::rows;
  std::uint8_t codec = 0;
  std::uint32_t unpacked = 0, stored = 0, rows = 0;
  std::uint64_t peers = 0, hash = 0;
};

// The whole block. Throws std::length_error for a payload above most_payload.
std::string make_block(BlockKind kind, std::string_view payload, std::uint32_t rows, std::uint64_t peers);
// Throws Malformed if the bytes are no frame.
Frame read_frame(std::string_view bytes);
// The payload, unpacked. Throws Malformed if it is damaged, std::runtime_error if libzstd is missing.
std::string unpack(const Frame& frame, std::string_view frame_as_stored, std::string_view stored);

std::string job_payload(const Job& job);
Job read_job(std::string_view payload);

// Collects rows, and hands them out as blocks. One thread at a time.
class RowPacker {
 public:
  // Throws std::invalid_argument where peers do not ascend or processes do not exist, and std::length_error for a row
  // of more than two million peers.
  void add(const Row& row);
  // All blocks so far, to be sent and given to TrafficWriter::append; empty if there were no rows.
  std::string take();

 private:
  void flush();

  static constexpr std::size_t columns = 5;
  std::array<ByteWriter, columns> columns_;
  std::uint32_t rows_ = 0;
  std::uint64_t peers_ = 0;
  std::string blocks_;
};

// The rows of one payload, one after the other.
class RowReader {
 public:
  RowReader() = default;
  RowReader(const RowReader&) = delete;  // the columns point into the payload
  RowReader& operator=(const RowReader&) = delete;
  // Throws Malformed.
  void start(std::string payload, std::uint32_t rows, std::uint32_t processes, std::uint32_t nodes);
  // False at the end. The next call overwrites `row`. Throws Malformed.
  bool next(Row& row);

 private:
  void read_peers(std::vector<Sent>& list, std::uint32_t limit);

  std::string payload_;
  std::array<ByteReader, 5> columns_;
  std::uint32_t rows_left_ = 0, processes_ = 0, nodes_ = 0;
  std::vector<Sent> to_processes_, to_nodes_;
};

}  // namespace marshal::traffic
