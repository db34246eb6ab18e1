// A function of a library loaded at run time, found into a pointer of its own type.
#pragma once

#include <dlfcn.h>

namespace marshal {

// Points `function` to `name` in `library` (a handle of dlopen, or RTLD_DEFAULT); null, and false, without such a
// symbol.
template <class Function>
bool find_symbol(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace marshal
