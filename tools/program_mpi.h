// Which MPI a program uses, found from its files alone: nothing of it is executed.
#pragma once

#include <string>

#include "tools/library_search.h"

namespace marshal::tools {

enum class MpiFamily : unsigned char { kNone, kOpenMpi, kMpich };
// "Open MPI" and "MPICH"; the libraries of MPICH's kin (Intel MPI, MVAPICH) speak MPICH's ABI and count as it.
const char* family_name(MpiFamily family);
// The family in the name of Marshal's library: "openmpi", "mpich".
const char* family_tag(MpiFamily family);
MpiFamily family_of_tag(const std::string& tag);  // kNone: no such

struct ProgramMpi {
  enum class Kind : unsigned char {
    kFound,          // family is set
    kNotFound,       // no such program
    kNotExecutable,  // there, but no permission, a directory, …
    kOtherMachine,
    kDamaged,
    kStatic,       // no dynamic loader: nothing can be preloaded
    kNoMpi,        // dynamic, and no MPI among its libraries
    kInterpreter,  // a script or an interpreter: MPI may be loaded later
  };
  Kind kind = Kind::kNotFound;
  MpiFamily family = MpiFamily::kNone;
  std::string path;         // of the program
  std::string interpreter;  // kInterpreter: what runs it
  std::string library;      // the MPI library, or its name when its file was not found
  bool privileged = false;  // set-user-ID or with capabilities: the loader ignores LD_PRELOAD
};

// As execvp would find it.
std::string find_program(const std::string& name);
ProgramMpi find_program_mpi(const std::string& name, const LibrarySearch& search);

// The MPI of the launcher that started this process, from the variables it sets.
MpiFamily launcher_family(const char* (*get)(const char*));

// Whether another MPI's launcher than `family`'s started this process with others: they would not find each other, and
// each be a job of its own. Batch systems' launchers serve both families.
bool started_by_other_mpi(MpiFamily family, const char* (*get)(const char*));

}  // namespace marshal::tools
