// A file that appears whole or not at all, and never replaces another file. It is written under a temporary name in the
// same directory. The temporary name has the host and the process id in it, because processes of several nodes may
// write there at once.
//
// Files and directories that are made here have the modes that the umask leaves them, and are never reached through a
// symbolic link: a name that is one is refused. Directories that are there already may be symbolic links. A
// file that could not be written in its place is for its user's eyes only, since it lies where all may look.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

namespace marshal {

struct WrittenFile {
  std::string path;   // empty: nothing could be written
  std::string error;  // one line, also if the file went to another place
};

// TMPDIR, or /tmp.
std::string spare_folder();

class NewFile {
 public:
  static constexpr mode_t readable = 0666, only_the_user = 0600;  // before the umask

  // STEM + ending ("." included), or STEM-N with a free number if that exists. Missing directories of the stem are
  // made. If no file can be made there, it goes to spare_folder().
  NewFile(std::string stem, std::string_view ending, mode_t mode = readable);
  ~NewFile();  // removes the file unless it was finished
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void append(std::string_view contents);  // finish() reports what failed
  WrittenFile finish();
  bool is_elsewhere() const { return !why_elsewhere_.empty(); }

 private:
  bool open_at(const std::string& stem);
  std::string why() const;  // what went wrong

  std::string stem_, ending_;
  mode_t mode_;
  int directory_ = -1;  // of the stem
  std::string temporary_;
  std::string why_elsewhere_;  // why it is not in its place
  int file_ = -1;
  int error_ = 0;       // an errno
  std::string reason_;  // where that says too little
};

// Writes it at once. If the disk is full, the file goes to spare_folder(), and `error` says so.
WrittenFile write_new_file(const std::string& stem, std::string_view ending, std::string_view contents);

// Folders that are made on the way to a file, in places where other users may write; and the folder of the user's
// caches.

// Opens the folder that a file is to stand in (O_PATH), with all above it that are missing, made with this mode. -1
// with an errno; `reason` is set where that says too little. Each is opened from the one before, so that none which was
// made here can be exchanged for a link. One that is there already may be a symbolic link.
//
// A stranger may have put something in the way: a folder or a link, in a folder where anybody may make one. So there
// each must belong to this user, to root, or to the owner of that folder. Others are refused.
int open_folder_of(const std::string& path, mode_t mode, std::string& reason);

bool is_symbolic_link(int folder, const std::string& name);

// XDG_CACHE_HOME, else HOME/.cache. Empty where neither is an absolute path. Empty, too, where it lies in a folder of
// another user's, as root has it behind `sudo -E`: what is made there would be in that user's way.
std::string cache_folder();

}  // namespace marshal
