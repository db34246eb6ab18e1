// A file that appears whole or not at all, and never takes the place of another one. It is written under a temporary
// name beside its place; names carry host and process, as processes of several nodes may write to one directory at
// once.
#pragma once

#include <string>
#include <string_view>

namespace marshal {

struct WrittenFile {
  std::string path;   // empty: nothing could be written
  std::string error;  // one line, also when a fallback place took it
};

class NewFile {
 public:
  // STEM + ending ("." included), or STEM-2, STEM-3 … when that exists. Missing directories of the stem are made. Where
  // no file can be made there, it goes to TMPDIR or /tmp.
  NewFile(std::string stem, std::string_view ending);
  ~NewFile();  // leaves nothing unless finished
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void append(std::string_view contents);  // what fails shows in finish()
  WrittenFile finish();
  bool is_elsewhere() const { return !why_elsewhere_.empty(); }

 private:
  bool open_at(const std::string& stem);

  std::string stem_, ending_;
  std::string temporary_;
  std::string why_elsewhere_;  // why it is not where it should be
  int file_ = -1;
  int error_ = 0;  // an errno
};

// All of it at once. Where its place is full, too, the file goes to TMPDIR or /tmp and `error` says so.
WrittenFile write_new_file(const std::string& stem, std::string_view ending, std::string_view contents);

}  // namespace marshal
