// The files of profiles: where they are, and their reading and writing with the care that a directory needs that others
// may write to. Local; one process of a job does it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profile/learned_grid.h"

namespace marshal::profile {

// What MARSHAL_PROFILE means: empty for off, and where there is no home directory. `auto`: XDG_CACHE_HOME/marshal, else
// HOME/.cache/marshal. Anything else is a directory. Absolute, as programs go to other directories.
std::string profile_directory(std::string_view setting);
// The file of one program.
std::string profile_path(const std::string& directory, std::string_view program, std::string_view build);
// All profiles in a directory, sorted.
std::vector<std::string> profiles_in(const std::string& directory);

struct Profile {
  std::vector<LearnedGrid> grids;
  std::string problem;    // one line for the user; empty: all is well, also where there is no file yet
  bool may_write = true;  // a file that is not ours, or not a profile, is left alone
};

// Reads the file, if it is a regular file of this user's, not reached by a symbolic link, and of at most 4 MiB.
Profile read_profile(const std::string& path);

// Puts `news` into the file in the place of what it says of the same grids: reads it again, writes a new one beside it,
// and renames that. Of jobs that do so at once none loses what the other learned, where the file system has locks. The
// oldest go where there are too many. Directories are made. Why not, as one line; empty: done.
std::string add_to_profile(const std::string& path, const std::vector<LearnedGrid>& news);

}  // namespace marshal::profile
