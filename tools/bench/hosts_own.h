/* The host's own function behind a name: a call of it is seen by nobody in front of the host. */
#ifndef TOOLS_HOSTS_OWN_H
#define TOOLS_HOSTS_OWN_H
#include <dlfcn.h>
#include <stddef.h>

static void* hosts_own(const char* name) {
  const char* const names[] = {"libmpi.so.40", "libmpich.so.12", "libmpi.so.12", "libmpi_abi.so.0"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    void* const library = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);
    void* const found = library ? dlsym(library, name) : NULL;
    if (found) return found;
  }
  return dlsym(RTLD_DEFAULT, name);
}

#endif
