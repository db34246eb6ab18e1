// The grids of the program as earlier runs taught them (MARSHAL_PROFILE). Rank 0 reads them at init, and all ranks have
// the same. At the end rank 0 writes what this run taught.
#pragma once

#include <string>
#include <vector>

#include "callsites/call_frames.h"
#include "mapping/grid.h"
#include "mapping/stencil.h"
#include "profile/profile_text.h"
#include "record/record.h"

namespace marshal {

// On rank 0: what the profile knows of this program with these arguments and this number of processes, as text for
// adopt_profile(). It has the note of a run that moved ranks, too. Says in one line what is wrong with the profile.
// Empty with MARSHAL_PROFILE=off.
std::string profile_of_program();
void adopt_profile(const std::string& text);

// A run of this program with these arguments that moved ranks and is not known to have ended in order; null: there is
// none. The same on all processes.
const profile::MovedRun* found_moved_run();

// True if there is anything to find. The same on all processes.
bool has_learned_grids();
// The number of what is known of a grid made at this place; -1: nothing. Processes may call from different places.
int find_learned_grid(const CallFrames& frames, const mapping::Grid& grid);
// The same wherever it is made; -1 also where several places make such grids.
int find_learned_grid(const mapping::Grid& grid);

struct LearnedStencil {
  mapping::Stencil stencil;
  std::vector<mapping::Stencil> earlier;  // other ones that the grid had in runs before
  std::string text;
  std::string run;  // that taught it: "job 4711, 2026-11-22T18:16:27+00:00"
  bool keep_order;  // orders of Marshal's sent more than the order given
};
LearnedStencil learned_stencil(int number);

// True if MARSHAL_PROFILE and MARSHAL_TRAFFIC let this run teach the next one. The same on all processes.
bool learns_grids();

// On rank 0, with the record of all: keeps what this run taught. Returns the path of the profile, empty if nothing was
// kept; then one line says why, if something failed.
std::string keep_learned_grids(const report::Record& record);

}  // namespace marshal
