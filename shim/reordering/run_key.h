// The key by which a profile knows this run.
#pragma once

#include <string>

namespace marshal {

struct RunKey {
  std::string program;    // its name
  std::string build;      // its build-id, in hexadecimal digits; empty where it has none
  std::string arguments;  // a hash of the words behind the program's name
  std::string directory;  // a hash of the name of the directory that it runs in
  std::string command;    // those words, as far as they fit
};

// As it was at the first call, in MPI_Init: programs go to other directories.
const RunKey& run_key();

// The program's profile; empty: there is none (MARSHAL_PROFILE).
const std::string& profile_of_run();

}  // namespace marshal
