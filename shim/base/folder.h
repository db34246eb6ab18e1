// Folders that are made on the way to a file, in places where other users may write; and the folder of the user's
// caches.
#pragma once

#include <sys/types.h>

#include <string>

namespace marshal {

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
