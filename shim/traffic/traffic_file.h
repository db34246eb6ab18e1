// The file of a job's traffic, NAME.traffic. It begins with 16 bytes: the text "MARSHALT", the version (4 bytes,
// little-endian), and 4 bytes of 0. Then come blocks (block.h): one with the job, those with rows in any order, and one
// that says how many rows and peers there were. Without the last one the file is known to be cut off. Processes that
// sent nothing need no row.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/new_file.h"
#include "traffic/block.h"
#include "traffic/traffic.h"

namespace marshal::traffic {

// Writes blocks as they come; needs only their memory. The file gets its name when it is complete, and never replaces
// another one. One thread at a time.
class TrafficWriter {
 public:
  // STEM.traffic, or STEM-N.traffic, as base/new_file.h says.
  TrafficWriter(const std::string& stem, const Job& job, mode_t mode = NewFile::readable);
  // Appends blocks of a RowPacker, of any process. Throws Malformed if they are none.
  void append(std::string_view blocks);
  // Ends the file. Call once; without it no file stays.
  WrittenFile finish();

 private:
  NewFile file_;
  std::uint64_t rows_ = 0, peers_ = 0;
};

// One line for the user: "FILE: is no traffic file".
struct TrafficFileError : std::runtime_error {
  using runtime_error::runtime_error;
};

// Reads row by row; needs the memory of one block, 64 MiB at most, whatever the file says. One thread at a time.
class TrafficReader {
 public:
  // Throws TrafficFileError if the file cannot be read, is something else, or is damaged at its beginning.
  explicit TrafficReader(const std::string& path);
  const Job& job() const { return job_; }
  // False after the last row. The next call overwrites `row`. Throws TrafficFileError if the file is damaged,
  // cut off, or has more than one row of a process.
  bool next(Row& row);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string bytes(std::uint64_t count);
  Frame next_frame(std::string& payload);
  bool next_block();
  template <class Read>
  auto guarded(Read read);

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::uint64_t left_ = 0;  // bytes not yet read
  Job job_;
  RowReader rows_;
  std::uint64_t rows_seen_ = 0, peers_seen_ = 0;
  std::vector<bool> seen_;  // whether a process had its row
  bool at_end_ = false;
};

// Reads the whole file. Throws TrafficFileError as above, and if the pairs would take more than half of this machine's
// memory.
Matrix read_matrix(const std::string& path);

}  // namespace marshal::traffic
