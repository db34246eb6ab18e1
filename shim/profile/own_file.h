// Files in a directory that others may write to. Only regular files of this user's are read, not reached by a symbolic
// link; a file is written beside its place and renamed, so that it appears whole or not at all.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace marshal::profile {

// Closes itself. -1: nothing.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  explicit operator bool() const { return number_ >= 0; }
  int operator*() const { return number_; }
  // Some file systems find out here that there is no room.
  bool closes();

 private:
  int number_;
};

// Puts the file into `text`. Returns why it must not be used, "it is a symbolic link", or cannot be; empty: it was
// read. Then, and where it must not be used, `error` is 0, else an errno: ENOENT where there is no such file.
std::string read_own_file(const std::string& path, std::size_t most_bytes, std::string& text, int& error);
// The same for somebody who reads it by its path.
std::string why_not_read(const std::string& path, std::size_t most_bytes);

// Makes the directory if it is missing, with those above; only the user may enter what is made. Nothing, with one line
// in `problem`, where it cannot be made or belongs to another user.
Descriptor open_own_directory(const std::string& directory, std::string& problem);

// Writes the file into the directory that is open, in the place of an earlier one. 0 or an errno.
int put_file(const Descriptor& directory, const std::string& name, std::string_view contents);

// "profile PATH cannot be read: Permission denied (MARSHAL_PROFILE names another directory, or off)"
std::string because(const std::string& path, std::string_view what, int error);

struct ListedFile {
  std::string path{};
  std::uint64_t bytes = 0;
  std::time_t written = 0;
};
// The files in a directory whose names `is_wanted` takes, or that end so and are whole; newest first. Nothing where it
// cannot be read.
std::vector<ListedFile> files_in(const std::string& directory, const std::function<bool(std::string_view)>& is_wanted);
std::vector<ListedFile> files_in(const std::string& directory, std::string_view ending);

std::string directory_of(const std::string& path);
std::string name_in(const std::string& path);
std::string stem_in(const std::string& path);  // the name without its ending
// The beginning of the names of a program's files: "NAME-BUILDID", of letters, digits and "-_." only.
std::string stem_of_program(std::string_view program, std::string_view build);

}  // namespace marshal::profile
