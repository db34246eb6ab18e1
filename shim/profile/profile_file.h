// The files of profiles: where they are, and their reading and writing with the care that a directory needs that others
// may write to. Local; one process of a job does it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile_text.h"

namespace marshal::profile {

// The directory that MARSHAL_PROFILE means; empty for `off`, and for `auto` where the user has no caches
// (base/new_file.h). Anything else is a directory. The path is absolute, since programs change their directory.
std::string profile_directory(std::string_view setting);
// The file of one program.
std::string profile_path(const std::string& directory, std::string_view program, std::string_view build);
// All profiles in a directory, sorted.
std::vector<std::string> profiles_in(const std::string& directory);

struct Profile : Contents {
  std::string problem;    // one line for the user; empty: all is well, also where there is no file yet
  bool may_write = true;  // a file that is not ours, or not a profile, is left alone
};

// Reads the file, if it is a regular file of this user's, not reached by a symbolic link, and of at most 4 MiB.
Profile read_profile(const std::string& path);

// Changes the file: reads it again, writes a new one beside it, and renames that. `change` says whether there is
// anything to write. Where the file system has locks, jobs that do so at once lose nothing of each other's. If there
// are too many entries, the oldest go. Directories are made. Returns why it failed, as one line; empty: done.
std::string change_profile(const std::string& path, const std::function<bool(Contents&)>& change);

// Why change_profile() would fail, as far as can be told without writing; empty: nothing is known. Makes nothing.
std::string why_not_changed(const std::string& path);

// Puts in what a run taught; see add_taught().
std::string add_to_profile(const std::string& path, const std::vector<LearnedGrid>& news);
// Notes that this run moved ranks, in the place of an earlier one that is alike.
std::string add_moved_run(const std::string& path, const MovedRun& run);
// Takes back what the run's own process noted, if no other run has taken its place.
std::string remove_moved_run(const std::string& path, const MovedRun& run);

}  // namespace marshal::profile
