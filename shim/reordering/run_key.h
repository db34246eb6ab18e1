// The key by which a profile knows this run.
#pragma once

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

}  // namespace marshal
