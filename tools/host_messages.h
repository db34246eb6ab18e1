// Whether Marshal's engine moves datatypes in messages on a host: a program of one process is started there, and its
// report tells.
#pragma once

#include <string>

#include "tools/mpi_program.h"

namespace marshal::tools {

struct HostMessages {
  std::string mpi;         // the library's name and version; empty where it could not be tried
  bool by_engine = false;  // else `why_not` has the reason
  std::string why_not;
};

// In the environment of this process, with `library` in front of the program. Takes as long as the host's launcher, at
// most 20 s. Never throws.
HostMessages messages_on(const ConfiguredHost& host, const std::string& library);

}  // namespace marshal::tools
