// Files in a directory that others may write to. Only regular files of this user's are read, not reached by a symbolic
// link; a file is written beside its place and renamed, so that it appears whole or not at all.
#pragma once

#include <sys/types.h>

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

struct OpenedFile {
  Descriptor file;
  int error = 0;          // an errno: ENOENT where there is no such file
  std::string why_not{};  // "it is a symbolic link": it must not be used; empty: it may
  off_t bytes = 0;
};
OpenedFile open_own_file(const std::string& path, off_t most_bytes);

// Makes the directory if it is missing, with those above; only the user may enter what is made. Nothing, with one line
// in `problem`, where it cannot be made or belongs to another user.
Descriptor open_own_directory(const std::string& directory, std::string& problem);

// Writes the file into the directory that is open, in the place of an earlier one. 0 or an errno.
int put_file(const Descriptor& directory, const std::string& name, std::string_view contents);

// "profile PATH cannot be read: Permission denied (MARSHAL_PROFILE names another directory, or off)"
std::string because(const std::string& path, std::string_view what, int error);

struct ListedFile {
  std::string path;
  std::uint64_t bytes = 0;
  std::time_t written = 0;
};
// The files in a directory whose names `is_wanted` takes, newest first. Nothing where it cannot be read.
std::vector<ListedFile> files_in(const std::string& directory, const std::function<bool(std::string_view)>& is_wanted);

std::string directory_of(const std::string& path);
std::string name_in(const std::string& path);
// The beginning of the names of a program's files: "NAME-BUILDID", of letters, digits and "-_." only.
std::string stem_of_program(std::string_view program, std::string_view build);

}  // namespace marshal::profile
