// This run in the profile: the key by which the profile knows it, and the note that it moved ranks.
#pragma once

#include <mpi.h>

#include <atomic>
#include <chrono>
#include <string>

#include "profile/program_key.h"

namespace marshal {

// As it was at the first call, in MPI_Init: programs go to other directories.
const profile::ProgramKey& run_key();
// The directory that it was in then; empty if nobody knows.
const std::string& directory_of_run();

// The directory of profiles, and the program's profile there; empty: there is none (MARSHAL_PROFILE).
const std::string& profiles_of_run();
const std::string& profile_of_run();

// Says in one line what is wrong with the profiles, the first time: grids and traffic fail for the same reason. Nothing
// for an empty text.
void say_of_profiles(const std::string& problem);

// The note in the profile that this run moved ranks. Its process takes it back where the run ends in order: in
// MPI_Finalize, in exit(0), and ten minutes after the move, as jobs that run into their time limit end by a signal.
// A note that is left tells the next run that this one died, perhaps of the move. Without a profile nothing is noted,
// and nothing moves by default (kept_ranks.h).
namespace detail {
inline constinit std::atomic<bool> has_moved_run_note{false};
}

// On rank 0, in MPI_Init: why no note can be left, as far as is known before one is; empty: it can.
std::string why_moves_are_not_noted();

// True if this process is to leave the note for a communicator that moved. Rank 0 of `from` leaves it: mostly that is
// the process that reads the profile. If `moved` has fewer processes, rank 0 of `moved` leaves it, too: rank 0 of
// `from` may have no part in it.
bool notes_move(MPI_Comm from, MPI_Comm moved);
// The first call leaves the note.
void leave_moved_run_note() noexcept;

// The run ends in order.
void take_back_moved_run_note() noexcept;
// It does not: an exit() that follows changes nothing.
void keep_moved_run_note() noexcept;

// To be called where somebody reads a clock, and where calls of the program pass.
inline bool has_moved_run_note() { return detail::has_moved_run_note.load(std::memory_order_acquire); }
void look_at_moved_run_note(std::chrono::steady_clock::time_point now) noexcept;

}  // namespace marshal
