// Lets allocations of Marshal's own fail, once or from one on. For one file of a program.
#pragma once

#include <dlfcn.h>
#include <link.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

// The text of Marshal's library: only its own allocations fail.
static std::uintptr_t text_begin, text_end;
static bool armed, fails_for_good;
static long seen, first_to_fail;

static int find_marshal(dl_phdr_info* object, std::size_t, void*) {
  if (std::strstr(object->dlpi_name, "libmarshal") == nullptr) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
    text_begin = object->dlpi_addr + segment.p_vaddr;
    text_end = text_begin + segment.p_memsz;
  }
  return 0;
}

static bool fails(const void* caller) {
  const auto from = reinterpret_cast<std::uintptr_t>(caller);
  if (!armed || from < text_begin || from >= text_end) return false;
  ++seen;
  return fails_for_good ? seen >= first_to_fail : seen == first_to_fail;
}

extern "C" void* malloc(std::size_t bytes) {
  static void* (*const next)(std::size_t) = reinterpret_cast<void* (*)(std::size_t)>(dlsym(RTLD_NEXT, "malloc"));
  if (fails(__builtin_return_address(0))) {
    errno = ENOMEM;
    return nullptr;
  }
  return next(bytes);
}
