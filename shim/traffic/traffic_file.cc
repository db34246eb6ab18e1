#include "traffic/traffic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>

namespace marshal::traffic {
namespace {

constexpr std::string_view magic = "MARSHALT";
constexpr std::uint32_t version = 1;
constexpr std::size_t beginning_bytes = 16;

std::string beginning() {
  ByteWriter writer;
  writer.raw(magic);
  writer.fixed(version, 4);
  writer.fixed(0, 4);
  return writer.bytes();
}

std::string end_payload(std::uint64_t rows, std::uint64_t peers) {
  ByteWriter writer;
  writer.number(rows);
  writer.number(peers);
  return writer.bytes();
}

}  // namespace

TrafficWriter::TrafficWriter(const std::string& stem, const Job& job, mode_t mode) : file_(stem, ".traffic", mode) {
  file_.append(beginning());
  file_.append(make_block(BlockKind::job, job_payload(job), 0, 0));
}

void TrafficWriter::append(std::string_view blocks) {
  for (std::string_view rest = blocks; !rest.empty();) {
    const Frame frame = read_frame(rest.substr(0, frame_bytes));
    if (frame.kind != BlockKind::rows || frame.stored > rest.size() - frame_bytes)
      throw Malformed("these are no blocks of rows");
    rows_ += frame.rows;
    peers_ += frame.peers;
    rest.remove_prefix(frame_bytes + frame.stored);
  }
  file_.append(blocks);
}

WrittenFile TrafficWriter::finish() {
  file_.append(make_block(BlockKind::end, end_payload(rows_, peers_), 0, 0));
  return file_.finish();
}

// Every error becomes one line that names the file.
template <class Read>
auto TrafficReader::guarded(Read read) {
  try {
    return read();
  } catch (const Malformed& problem) {
    throw TrafficFileError(fmt::format("{}: is damaged: {}", path_, problem.what()));
  } catch (const std::bad_alloc&) {
    throw TrafficFileError(fmt::format("{}: does not fit into memory", path_));
  } catch (const TrafficFileError&) {
    throw;
  } catch (const std::runtime_error& problem) {
    throw TrafficFileError(fmt::format("{}: {}", path_, problem.what()));
  }
}

TrafficReader::TrafficReader(const std::string& path) : path_(path) {
  guarded([&] {
    const int descriptor =
        open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);  // opening a pipe waits for its writer
    if (descriptor < 0) throw std::runtime_error(std::strerror(errno));
    file_.reset(fdopen(descriptor, "rb"));
    struct stat facts {};
    if (!file_ || fstat(descriptor, &facts) != 0) throw std::runtime_error(std::strerror(errno));
    if (S_ISFIFO(facts.st_mode))
      throw std::runtime_error("is a pipe; a traffic file must be a regular file, as its size must be known first");
    if (!S_ISREG(facts.st_mode)) throw std::runtime_error("is no regular file");
    left_ = static_cast<std::uint64_t>(facts.st_size);
    if (left_ < beginning_bytes) throw std::runtime_error("is no traffic file of Marshal");
    const std::string first = bytes(beginning_bytes);
    ByteReader reader(first);
    if (reader.raw(magic.size()) != magic) throw std::runtime_error("is no traffic file of Marshal");
    if (const std::uint64_t its = reader.fixed(4); its != version)
      throw std::runtime_error(
          fmt::format("is a traffic file of version {}; this Marshal reads version {}", its, version));
    std::string payload;
    if (next_frame(payload).kind != BlockKind::job) throw Malformed("it does not begin with the job");
    job_ = read_job(payload);
    seen_.resize(job_.processes());
  });
}

std::string TrafficReader::bytes(std::uint64_t count) {
  if (count > left_) throw std::runtime_error("ends in the middle: it was cut off");
  std::string read(count, '\0');
  if (std::fread(read.data(), 1, read.size(), file_.get()) != read.size())
    throw std::runtime_error(std::ferror(file_.get()) != 0 ? std::strerror(errno)
                                                           : "ends in the middle: it was cut off");
  left_ -= count;
  return read;
}

Frame TrafficReader::next_frame(std::string& payload) {
  const std::string as_stored = bytes(frame_bytes);
  const Frame frame = read_frame(as_stored);
  payload = unpack(frame, as_stored, bytes(frame.stored));
  return frame;
}

bool TrafficReader::next_block() {
  std::string payload;
  const Frame frame = next_frame(payload);
  if (frame.kind == BlockKind::rows) {
    rows_.start(std::move(payload), frame.rows, job_.processes(), job_.nodes());
    return true;
  }
  if (frame.kind != BlockKind::end) throw Malformed("the job is in it twice");
  if (payload != end_payload(rows_seen_, peers_seen_)) throw Malformed("rows are missing");
  if (left_ != 0) throw Malformed("there is more behind its end");
  at_end_ = true;
  return false;
}

bool TrafficReader::next(Row& row) {
  return guarded([&] {
    if (at_end_) return false;
    while (!rows_.next(row))
      if (!next_block()) return false;
    if (seen_[row.process]) throw Malformed(fmt::format("process {} is in it twice", row.process));
    seen_[row.process] = true;
    ++rows_seen_;
    peers_seen_ += row.to_processes.size() + row.to_nodes.size();
    return true;
  });
}

Matrix read_matrix(const std::string& path) {
  TrafficReader reader(path);
  Matrix matrix;
  matrix.job = reader.job();
  const std::uint64_t most = static_cast<std::uint64_t>(std::max(0L, sysconf(_SC_PHYS_PAGES))) *
                             static_cast<std::uint64_t>(std::max(0L, sysconf(_SC_PAGESIZE))) / 2 / sizeof(Sent);
  // Rows come in any order: `begin` holds where each was put until all are there.
  std::vector<std::uint64_t> size(matrix.job.processes()), where(matrix.job.processes());
  std::vector<Sent> as_read;
  bool ascending = true;
  std::uint32_t last = 0;
  try {
    for (Row row; reader.next(row);) {
      ascending = ascending && row.process >= last;
      last = row.process;
      if (as_read.size() + row.to_processes.size() > most)
        throw TrafficFileError(fmt::format("{}: has more pairs than fit into this machine's memory ({})", path, most));
      where[row.process] = as_read.size();
      size[row.process] = row.to_processes.size();
      as_read.insert(as_read.end(), row.to_processes.begin(), row.to_processes.end());
      for (const Sent& sent : row.to_nodes) {
        matrix.to_nodes.messages += sent.messages;
        matrix.to_nodes.bytes += sent.bytes;
      }
      matrix.foreign.messages += row.foreign.messages;
      matrix.foreign.bytes += row.foreign.bytes;
    }
    matrix.begin.resize(size.size() + 1);
    std::partial_sum(size.begin(), size.end(), matrix.begin.begin() + 1);
    if (ascending) {
      matrix.sent = std::move(as_read);
    } else {
      matrix.sent.reserve(as_read.size());
      for (std::size_t process = 0; process < size.size(); ++process) {
        const auto first = as_read.begin() + static_cast<std::ptrdiff_t>(where[process]);
        matrix.sent.insert(matrix.sent.end(), first, first + static_cast<std::ptrdiff_t>(size[process]));
      }
    }
  } catch (const std::bad_alloc&) {
    throw TrafficFileError(fmt::format("{}: does not fit into memory", path));
  }
  return matrix;
}

}  // namespace marshal::traffic
