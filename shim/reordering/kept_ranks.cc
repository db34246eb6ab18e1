#include "reordering/kept_ranks.h"

#include <fmt/format.h>

#include "base/immortal.h"
#include "base/message.h"
#include "base/printable_text.h"
#include "host/node_map.h"
#include "reordering/learned_grids.h"
#include "settings/settings_in_force.h"

namespace marshal {
namespace {

// Written in MPI_Init, before any grid.
constinit bool any_gpus = false;
Immortal<std::string> not_noted;  // why; empty: the run can be noted

bool may_be_kept() { return settings().cart_move == CartMove::automatic; }
// Without a word for grids nobody asked for moves: MARSHAL_CART=graphs:off is less than the default.
bool is_built_in(Option option) {
  const std::string_view text = settings().text(option);
  return settings().source(option) == Source::built_in || text == "graphs:off" || text == "graphs:report";
}

bool keeps_for_gpus() { return any_gpus && is_built_in(Option::cart) && may_be_kept(); }
bool keeps_without_note() { return !not_noted->empty() && is_built_in(Option::cart) && is_built_in(Option::cart_move); }

std::string of_moved_run(const profile::MovedRun& run) {
  return fmt::format("run of {} with these arguments (job {}, {}) moved ranks, and it died or still runs", run.program,
                     run.job, run.moved);
}

}  // namespace

void note_gpus(bool any) { any_gpus = any; }

void adopt_why_moves_are_not_noted(const std::string& why) { *not_noted = why; }

bool keeps_by_default() { return keeps_for_gpus() || keeps_without_note(); }

bool must_keep_ranks(const Communicator& from) {
  return keeps_by_default() || (may_be_kept() && (from.reordered || found_moved_run() != nullptr));
}

std::string why_ranks_are_kept() {
  if (keeps_for_gpus())
    return "a process of the job could open a GPU, and programs choose their GPU by their rank (MARSHAL_CART=best or "
           "MARSHAL_CART_MOVE=ranks moves them all the same)";
  if (keeps_without_note())
    return fmt::format(
        "if this program died of other ranks, no note could tell its next run: {} (MARSHAL_CART=best moves them all "
        "the same)",
        *not_noted);
  if (const profile::MovedRun* run = found_moved_run())
    return fmt::format("a {} (`marshal profile forget {}` or MARSHAL_CART_MOVE=ranks moves them again)",
                       of_moved_run(*run), shell_word(run->program));
  return "the ranks that it is made from may be in an order of Marshal's already, and programs were seen to use ranks "
         "of the one in the other (MARSHAL_CART_MOVE=ranks moves them again)";
}

void say_whether_ranks_are_kept() {
  const profile::MovedRun* const run = found_moved_run();
  const bool any_would_move = settings().cart == CartUse::reorder || settings().graph == CartUse::reorder;
  if (run == nullptr || !may_be_kept() || !any_would_move || node_map().nodes() < 2) return;
  say(Level::warning,
      "a {}: grids and graphs keep their ranks; `marshal profile forget {}` or MARSHAL_CART_MOVE=ranks moves them "
      "again",
      of_moved_run(*run), shell_word(run->program));
}

}  // namespace marshal
