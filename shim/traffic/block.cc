#include "traffic/block.h"

#include <xxhash.h>
#include <zstd.h>

#include <optional>
#include <utility>

#include "base/dynamic_library.h"

namespace marshal::traffic {
namespace {

enum Codec : std::uint8_t { stored = 0, zstd = 1 };
enum Column : std::size_t { processes, counts, peers, messages, bytes };

constexpr int hash_bytes = 8;
// Rows become a block at this size; one more row always fits into most_payload.
constexpr std::size_t flush_at = 4U << 20;
constexpr int zstd_level = 3;

std::uint64_t hash_of(std::string_view frame_without_hash, std::string_view payload) {
  return XXH3_64bits_withSeed(payload.data(), payload.size(),
                              XXH3_64bits(frame_without_hash.data(), frame_without_hash.size()));
}

// Zstandard (Collet, Kucherawy, "Zstandard Compression and the 'application/zstd' Media Type", RFC 8878), loaded when
// it is first needed: Marshal's library does not depend on it. The functions that are used, under their own names
// without the prefix.
struct ZstdLibrary {
  decltype(&::ZSTD_compressBound) compressBound;
  decltype(&::ZSTD_compress) compress;
  decltype(&::ZSTD_decompress) decompress;
  decltype(&::ZSTD_isError) isError;
};

// Null if libzstd.so.1 cannot be loaded. Thread safe.
const ZstdLibrary* zstd_library() {
  static const std::optional<ZstdLibrary> the = []() -> std::optional<ZstdLibrary> {
    DynamicLibrary library{"libzstd.so.1"};
    ZstdLibrary found{};
    library.find("ZSTD_compressBound", found.compressBound);
    library.find("ZSTD_compress", found.compress);
    library.find("ZSTD_decompress", found.decompress);
    library.find("ZSTD_isError", found.isError);
    return library.missing() == nullptr ? std::optional(found) : std::nullopt;
  }();
  return the ? &*the : nullptr;
}

std::string compressed(std::string_view payload) {
  const ZstdLibrary* library = zstd_library();
  if (library == nullptr) return {};
  std::string packed(library->compressBound(payload.size()), '\0');
  const std::size_t size = library->compress(packed.data(), packed.size(), payload.data(), payload.size(), zstd_level);
  if (library->isError(size) != 0 || size >= payload.size()) return {};
  packed.resize(size);
  return packed;
}

}  // namespace

std::string make_block(BlockKind kind, std::string_view payload, std::uint32_t rows, std::uint64_t peers) {
  if (payload.size() > most_payload) throw std::length_error("a block of traffic is too large");
  const std::string packed = compressed(payload);
  const std::string_view kept = packed.empty() ? payload : std::string_view(packed);
  ByteWriter block;
  block.fixed(static_cast<std::uint8_t>(kind), 1);
  block.fixed(packed.empty() ? Codec::stored : Codec::zstd, 1);
  block.fixed(0, 2);
  block.fixed(payload.size(), 4);
  block.fixed(kept.size(), 4);
  block.fixed(rows, 4);
  block.fixed(peers, 8);
  block.fixed(hash_of(block.bytes(), kept), hash_bytes);
  block.raw(kept);
  return block.bytes();
}

Frame read_frame(std::string_view bytes) {
  ByteReader reader(bytes);
  Frame frame;
  frame.kind = static_cast<BlockKind>(reader.fixed(1));
  frame.codec = static_cast<std::uint8_t>(reader.fixed(1));
  const std::uint64_t zero = reader.fixed(2);
  frame.unpacked = static_cast<std::uint32_t>(reader.fixed(4));
  frame.stored = static_cast<std::uint32_t>(reader.fixed(4));
  frame.rows = static_cast<std::uint32_t>(reader.fixed(4));
  frame.peers = reader.fixed(8);
  frame.hash = reader.fixed(hash_bytes);
  const bool kind_known = frame.kind == BlockKind::job || frame.kind == BlockKind::rows || frame.kind == BlockKind::end;
  if (!kind_known || frame.codec > Codec::zstd || zero != 0 || frame.unpacked > most_payload ||
      frame.stored > frame.unpacked || (frame.codec == Codec::stored && frame.stored != frame.unpacked))
    throw Malformed("what should be the beginning of a block is none");
  return frame;
}

std::string unpack(const Frame& frame, std::string_view frame_as_stored, std::string_view kept) {
  if (hash_of(frame_as_stored.substr(0, frame_bytes - hash_bytes), kept) != frame.hash)
    throw Malformed("a checksum is wrong");
  if (frame.codec == Codec::stored) return std::string(kept);
  const ZstdLibrary* library = zstd_library();
  if (library == nullptr) throw std::runtime_error("is compressed, and libzstd.so.1 (package libzstd1) is not here");
  std::string payload(frame.unpacked, '\0');
  if (library->decompress(payload.data(), payload.size(), kept.data(), kept.size()) != payload.size())
    throw Malformed("a block cannot be unpacked");
  return payload;
}

std::string job_payload(const Job& job) {
  ByteWriter writer;
  writer.number(job.facts.size());
  for (const auto& [name, value] : job.facts) {
    writer.text(name);
    writer.text(value);
  }
  writer.number(job.node_names.size());
  for (const std::string& name : job.node_names) writer.text(name);
  writer.number(job.node_of_process.size());
  for (std::size_t first = 0; first < job.node_of_process.size();) {
    std::size_t last = first + 1;
    while (last < job.node_of_process.size() && job.node_of_process[last] == job.node_of_process[first]) ++last;
    writer.number(job.node_of_process[first]);
    writer.number(last - first);
    first = last;
  }
  return writer.bytes();
}

Job read_job(std::string_view payload) {
  ByteReader reader(payload);
  Job job;
  for (std::uint64_t left = reader.number(); left > 0; --left) {
    std::string name = reader.text();
    job.facts[std::move(name)] = reader.text();
  }
  for (std::uint64_t left = reader.number_below(most_processes + 1ULL, "too many nodes"); left > 0; --left)
    job.node_names.push_back(reader.text());
  const std::uint64_t processes = reader.number_below(most_processes + 1ULL, "too many processes");
  while (job.node_of_process.size() < processes) {
    const std::uint64_t node = reader.number_below(job.node_names.size(), "a process on a node that does not exist");
    const std::uint64_t run =
        reader.number_below(processes - job.node_of_process.size() + 1, "more processes than there are");
    if (run == 0) throw Malformed("a node without processes");
    job.node_of_process.insert(job.node_of_process.end(), run, static_cast<std::uint32_t>(node));
  }
  if (!reader.at_end()) throw Malformed("more about the job than there should be");
  return job;
}

void RowPacker::add(const Row& row) {
  if (row.process >= most_processes) throw std::invalid_argument("traffic of a process that cannot exist");
  for (const std::span<const Sent> list : {row.to_processes, row.to_nodes})
    for (std::size_t i = 0; i < list.size(); ++i)
      if (list[i].peer >= most_processes || (i > 0 && list[i].peer <= list[i - 1].peer))
        throw std::invalid_argument("peers of a row of traffic must exist and ascend");
  columns_[Column::processes].number(row.process);
  for (const std::span<const Sent> list : {row.to_processes, row.to_nodes}) {
    columns_[Column::counts].number(list.size());
    std::uint32_t last = 0;
    for (const Sent& sent : list) {
      columns_[Column::peers].number(sent.peer - last);
      columns_[Column::messages].number(sent.messages);
      columns_[Column::bytes].number(sent.bytes);
      last = sent.peer;
    }
    peers_ += list.size();
  }
  columns_[Column::messages].number(row.foreign.messages);
  columns_[Column::bytes].number(row.foreign.bytes);
  ++rows_;
  std::size_t size = 0;
  for (const ByteWriter& column : columns_) size += column.bytes().size();
  if (size >= flush_at) flush();
}

void RowPacker::flush() {
  if (rows_ == 0) return;
  ByteWriter payload;
  for (const ByteWriter& column : columns_) payload.number(column.bytes().size());
  for (ByteWriter& column : columns_) {
    payload.raw(column.bytes());
    column.clear();
  }
  blocks_ += make_block(BlockKind::rows, payload.bytes(), std::exchange(rows_, 0), std::exchange(peers_, 0));
}

std::string RowPacker::take() {
  flush();
  return std::exchange(blocks_, {});
}

void RowReader::start(std::string payload, std::uint32_t rows, std::uint32_t processes, std::uint32_t nodes) {
  payload_ = std::move(payload);
  rows_left_ = rows;
  processes_ = processes;
  nodes_ = nodes;
  ByteReader reader(payload_);
  std::array<std::uint64_t, 5> sizes{};
  for (std::uint64_t& size : sizes) size = reader.number();
  for (std::size_t i = 0; i < sizes.size(); ++i) columns_[i] = ByteReader(reader.raw(sizes[i]));
  if (!reader.at_end()) throw Malformed("a block is longer than its rows");
}

void RowReader::read_peers(std::vector<Sent>& list, std::uint32_t limit) {
  list.clear();
  const std::uint64_t count = columns_[Column::counts].number_below(limit + 1ULL, "more peers than there are");
  std::uint64_t peer = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t step = columns_[Column::peers].number_below(limit - peer, "a peer that does not exist");
    if (i > 0 && step == 0) throw Malformed("a peer twice");
    peer += step;
    const std::uint64_t sent = columns_[Column::messages].number();
    list.push_back({static_cast<std::uint32_t>(peer), sent, columns_[Column::bytes].number()});
  }
}

bool RowReader::next(Row& row) {
  if (rows_left_ == 0) {
    for (const ByteReader& column : columns_)
      if (!column.at_end()) throw Malformed("a block is longer than its rows");
    return false;
  }
  --rows_left_;
  row.process = static_cast<std::uint32_t>(
      columns_[Column::processes].number_below(processes_, "traffic of a process that does not exist"));
  read_peers(to_processes_, processes_);
  read_peers(to_nodes_, nodes_);
  row.to_processes = to_processes_;
  row.to_nodes = to_nodes_;
  row.foreign.messages = columns_[Column::messages].number();
  row.foreign.bytes = columns_[Column::bytes].number();
  return true;
}

}  // namespace marshal::traffic
