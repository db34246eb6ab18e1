// The name of the user whom this process belongs to, for reports over many runs.
//
// getpwuid() is not asked: it loads modules into the program, and these may wait for a directory server at the end of
// each job. /etc/passwd is read instead, which has the system's own accounts and, on many clusters, all. A user who is
// not in it is called by USER or LOGNAME, unless that name belongs to somebody else there, as after su(1). So a user
// may choose the name: it is for statistics, not for accounting.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace marshal {

// Never empty: the user's number if nothing has a name for it. Reads a file; thread safe as getenv() is.
std::string user_name();
// The same of a given user, text of /etc/passwd and `get` in place of getenv (null when unset).
std::string user_name(std::uint64_t user, std::string_view accounts, const char* (*get)(const char*));

}  // namespace marshal
