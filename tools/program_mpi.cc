#include "tools/program_mpi.h"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <set>
#include <sstream>

#include "base/process_facts.h"

namespace marshal::tools {
namespace {

using Kind = ProgramMpi::Kind;

bool is_mpi_library(const std::string& name) {
  return name.starts_with("libmpi.so") || name.starts_with("libmpich.so");
}

// Two families use the name libmpi.so: the symbols tell them apart, and the version when the file is not at hand.
MpiFamily family_of_library(const std::string& name, const std::string& path) {
  ElfFile::Problem problem{};
  if (const auto elf = path.empty() ? std::nullopt : ElfFile::open(path, problem)) {
    if (elf->defines("ompi_mpi_comm_world")) return MpiFamily::kOpenMpi;
    if (elf->defines("MPI_Init")) return MpiFamily::kMpich;
  }
  if (name.starts_with("libmpich.so") || name == "libmpi.so.12") return MpiFamily::kMpich;
  return MpiFamily::kOpenMpi;
}

// Breadth first over the needed libraries, as the loader does. A library that cannot be found is no reason to stop.
void find_mpi_among_needed(const ElfFile& program, ProgramMpi& found, const LibrarySearch& search) {
  struct Waiting {
    ElfFile elf;
    LibrarySearch::Object object;
  };
  std::deque<Waiting> objects;  // a deque keeps addresses while it grows: `loader` points into it
  std::set<std::string> seen;
  const auto visit = [&](const ElfFile& elf, const LibrarySearch::Object& object) {
    for (const std::string& name : elf.needed()) {
      if (!seen.insert(name).second) continue;
      const std::string path = search.find(name, object);
      if (is_mpi_library(name)) {
        found.kind = Kind::kFound;
        found.library = path.empty() ? name : path;
        found.family = family_of_library(name, path);
        return true;
      }
      ElfFile::Problem problem{};
      if (auto library = path.empty() ? std::nullopt : ElfFile::open(path, problem)) {
        LibrarySearch::Object next{path, library->rpath(), library->runpath(), &object};
        objects.push_back({std::move(*library), std::move(next)});
      }
    }
    return false;
  };
  const LibrarySearch::Object root{found.path, program.rpath(), program.runpath(), nullptr};
  if (visit(program, root)) return;
  for (std::size_t i = 0; i < objects.size(); ++i)
    if (visit(objects[i].elf, objects[i].object)) return;
}

// "#!/usr/bin/env -S python3 -u" -> /usr/bin/python3; empty: no script.
std::string interpreter_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  std::getline(file, line);
  if (!line.starts_with("#!")) return {};
  std::istringstream words(line.substr(2));
  std::string word;
  if (!(words >> word)) return {};
  if (!word.ends_with("/env")) return word;
  while (words >> word)
    if (!word.starts_with('-') && word.find('=') == std::string::npos) return find_program(word);
  return {};
}

bool executable_file(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

bool is_privileged(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return false;
  const bool other_user = (status.st_mode & S_ISUID) != 0 && status.st_uid != getuid();
  const bool other_group = (status.st_mode & S_ISGID) != 0 && status.st_gid != getgid();
  const bool capable = getuid() != 0 && getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
  return other_user || other_group || capable;
}

// As examine() for what is no script: a script comes back as kDamaged, so that interpreters do not chain.
ProgramMpi examine_elf(const std::string& path, const LibrarySearch& search) {
  ProgramMpi found;
  found.path = path;
  ElfFile::Problem problem{};
  const auto elf = ElfFile::open(path, problem);
  switch (problem) {
    case ElfFile::Problem::kNone:
      break;
    case ElfFile::Problem::kOtherMachine:
      found.kind = Kind::kOtherMachine;
      return found;
    case ElfFile::Problem::kUnreadable:
      found.kind = Kind::kNotExecutable;
      return found;
    case ElfFile::Problem::kDamaged:
      found.kind = Kind::kDamaged;
      return found;
    case ElfFile::Problem::kNotElf:
      found.kind = Kind::kDamaged;
      return found;
  }
  if (!elf->has_interpreter()) {
    found.kind = Kind::kStatic;
    return found;
  }
  found.kind = Kind::kNoMpi;
  find_mpi_among_needed(*elf, found, search);
  if (found.kind == Kind::kNoMpi && is_interpreter(path.substr(path.find_last_of('/') + 1))) {
    found.kind = Kind::kInterpreter;
    found.interpreter = path;
  }
  return found;
}

ProgramMpi examine_script(const std::string& path, const LibrarySearch& search) {
  ProgramMpi found;
  found.path = path;
  found.interpreter = interpreter_of(path);
  // A script without its #! line is run by the shell, as execvp does.
  if (found.interpreter.empty()) found.interpreter = "/bin/sh";
  found.kind = executable_file(found.interpreter) ? Kind::kInterpreter : Kind::kDamaged;
  if (found.kind == Kind::kInterpreter) {
    // An interpreter that is linked to MPI itself answers for its scripts.
    const ProgramMpi behind = examine_elf(found.interpreter, search);
    if (behind.kind == Kind::kFound || behind.kind == Kind::kOtherMachine) {
      found.kind = behind.kind;
      found.family = behind.family;
      found.library = behind.library;
    }
  }
  return found;
}

bool is_elf(const std::string& path) {
  ElfFile::Problem problem{};
  ElfFile::open(path, problem);
  return problem != ElfFile::Problem::kNotElf;
}

}  // namespace

const char* family_name(MpiFamily family) {
  switch (family) {
    case MpiFamily::kOpenMpi:
      return "Open MPI";
    case MpiFamily::kMpich:
      return "MPICH";
    case MpiFamily::kNone:
      break;
  }
  return "none";
}

const char* family_tag(MpiFamily family) {
  switch (family) {
    case MpiFamily::kOpenMpi:
      return "openmpi";
    case MpiFamily::kMpich:
      return "mpich";
    case MpiFamily::kNone:
      break;
  }
  return "";
}

MpiFamily family_of_tag(const std::string& tag) {
  for (const MpiFamily family : {MpiFamily::kOpenMpi, MpiFamily::kMpich})
    if (tag == family_tag(family)) return family;
  return MpiFamily::kNone;
}

std::string find_program(const std::string& name) {
  if (name.empty()) return {};
  if (name.find('/') != std::string::npos) return access(name.c_str(), F_OK) == 0 ? name : std::string();
  const char* variable = std::getenv("PATH");
  const std::string directories = variable != nullptr ? variable : "/bin:/usr/bin";
  std::string present;  // found but not executable: execvp goes on, and reports it in the end
  for (std::size_t start = 0; start <= directories.size();) {
    const std::size_t end = std::min(directories.find(':', start), directories.size());
    const std::string directory = directories.substr(start, end - start);
    start = end + 1;
    const std::string candidate = (directory.empty() ? "." : directory) + "/" + name;
    if (executable_file(candidate)) return candidate;
    if (present.empty() && access(candidate.c_str(), F_OK) == 0) present = candidate;
  }
  return present;
}

ProgramMpi find_program_mpi(const std::string& name, const LibrarySearch& search) {
  ProgramMpi found;
  found.path = find_program(name);
  if (found.path.empty()) return found;
  found.kind = Kind::kNotExecutable;
  if (!executable_file(found.path)) return found;
  found = is_elf(found.path) ? examine_elf(found.path, search) : examine_script(found.path, search);
  found.privileged = is_privileged(found.path);
  return found;
}

MpiFamily launcher_family(const char* (*get)(const char*)) {
  const auto set = [&](const char* name) { return get(name) != nullptr; };
  if (set("OMPI_COMM_WORLD_SIZE")) return MpiFamily::kOpenMpi;
  // Hydra sets both; a bare PMI_RANK may be any batch system's, whose programs then mostly are MPICH's kin.
  if (set("MPI_LOCALNRANKS") || set("HYDI_CONTROL_FD") || set("PMI_RANK")) return MpiFamily::kMpich;
  return MpiFamily::kNone;
}

bool started_by_other_mpi(MpiFamily family, const char* (*get)(const char*)) {
  const auto several = [&](const char* variable) {
    const char* processes = get(variable);
    return processes != nullptr && std::atoi(processes) > 1;
  };
  const bool by_open_mpi = several("OMPI_COMM_WORLD_SIZE");
  const bool by_hydra = get("HYDI_CONTROL_FD") != nullptr && several("PMI_SIZE");
  return family == MpiFamily::kMpich ? by_open_mpi && !by_hydra : by_hydra && !by_open_mpi;
}

}  // namespace marshal::tools
