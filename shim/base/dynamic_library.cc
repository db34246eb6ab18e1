#include "base/dynamic_library.h"

#include <dlfcn.h>

namespace marshal {

DynamicLibrary::DynamicLibrary(std::span<const char* const> file_names, Symbols symbols) {
  for (const char* name : file_names) {
    handle_ = dlopen(name, RTLD_NOW | (symbols == Symbols::for_all ? RTLD_GLOBAL : RTLD_LOCAL));
    if (handle_ != nullptr) {
      file_ = name;
      return;
    }
    if (const char* error = dlerror(); problem_.empty() && error != nullptr) problem_ = error;
  }
}

DynamicLibrary DynamicLibrary::program() {
  DynamicLibrary program;
  program.handle_ = dlopen(nullptr, RTLD_NOW);
  return program;
}

DynamicLibrary::Symbol DynamicLibrary::operator[](const char* name) {
  void* found = handle_ == nullptr ? nullptr : dlsym(handle_, name);
  if (found == nullptr && missing_ == nullptr) missing_ = name;
  return {found};
}

void DynamicLibrary::unload() {
  if (handle_ != nullptr) dlclose(handle_);
  handle_ = nullptr;
}

bool program_has(const char* symbol) { return dlsym(RTLD_DEFAULT, symbol) != nullptr; }

}  // namespace marshal
