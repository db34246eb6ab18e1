// How many of the host's communicators this process has in use. When three quarters of the host's limit are in use, a
// line names the place of the program that made most of them. When the host has none left, the call that makes one
// more fails. Under MPI_ERRORS_ARE_FATAL, the default, that ends the job, and no report is written.
//
// Thread safe.
#pragma once

#include <cstdint>

#include "communicators/creation_site.h"
#include "host/communicator_limit.h"

namespace marshal {

// In MPI_Init: the limit, and this process's rank in the job.
void note_communicator_limit(const CommunicatorLimit& limit, int own_rank);

// The program made a communicator, a window or a file at `site`; not with the site's mutex. `speaker`: the rank in the
// job of the process that speaks if it has too many then. All that make it know that without asking.
void count_in_use(const CreationSite& site, int speaker) noexcept;

// False from three quarters of the host's limit on. Then Marshal makes none of its own from the program's: a call that
// finds none left calls the program's error handler.
bool may_make_communicators() noexcept;
inline constexpr const char* why_no_communicators_are_made = "few of the MPI library's communicators are left";

struct CommunicatorsInUse {
  std::uint64_t limit;  // 0: not known
  std::uint64_t most;   // at once so far; the host's own included, where they are known
};
CommunicatorsInUse communicators_in_use() noexcept;

}  // namespace marshal
