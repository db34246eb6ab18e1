#include "messages/choice.h"

#include <limits>

#include "host/host_family.h"
#include "settings/settings_in_force.h"

namespace marshal::messages {
namespace {

// On Open MPI no trial is made for long blocks, where the host is as fast, nor for short blocks, where the engine was
// measured never to lose. On MPICH the engine was slower only where a message has several blocks of 8 KiB: the host
// copies as fast and has less other work. Messages of a single block took a fifth less up to 8 KiB.
constexpr std::int64_t always_below = 64, never_above = 512;  // bytes of a mean block
constexpr std::int64_t never_above_on_mpich = 4096, never_above_if_single = 8192;
// Where fragments are packed in place (datatype/fragments.h), the engine gains with longer blocks on Open MPI, too: two
// cores of an Intel Xeon took a fifth to a third less for messages of 4 to 16 KiB. A trial, which times a fragment,
// does not see that: the host waits for the lines later. So there a trial decides only on long messages and on
// transposes.
constexpr std::int64_t never_above_in_place = 4096;

std::int64_t longest_block(const SharedLayout& layout) {
  if (!is_open_mpi()) return layout.plan.instance_is_one_block() ? never_above_if_single : never_above_on_mpich;
  return layout.plan.stages_fragments() ? never_above : never_above_in_place;
}

// Messages of 4 KiB and more with short blocks. There the engine never lost on an EPYC. But some of them took an Intel
// Xeon up to 1.4 times the host's time, so a trial decides: long messages of several numbers a block, each from another
// line of memory, and transposes in less than 64 KiB. (Long messages of shorter blocks are not tried: the engine is 2
// to 5 times as fast with them.)
constexpr std::int64_t asked_from = 4096, long_message = 64 * 1024, several_numbers = 32;  // bytes
bool is_doubtful(const SharedLayout& layout, std::int64_t bytes) {
  if (bytes >= long_message) return layout.plan.mean_block() > several_numbers;
  const datatype::Program* const program = layout.plan.settled_program(bytes / layout.plan.size());
  return program != nullptr && program->transposes;
}

}  // namespace

bool always_moves() {
  return settings().messages == MessageEngine::on || settings().messages == MessageEngine::pipeline;
}

void begin_to_choose() {
  const bool always = always_moves() || !is_open_mpi();
  constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
  detail::engine_up_to = always ? any : always_below;
  detail::asked_from = always ? any : asked_from;
}

bool is_left_to_host(const SharedLayout& layout) {
  return !always_moves() && layout.plan.mean_block() > longest_block(layout);
}

Choice choose_by_trial(const SharedLayout& layout, MessageAccount& account, std::int64_t bytes) {
  if (is_left_to_host(layout)) return {true, false};
  const bool may_be_sure = layout.plan.mean_block() <= always_below || !layout.plan.stages_fragments();
  if (may_be_sure && !is_doubtful(layout, bytes)) return {false, false};
  const HostTrial::Turn turn = account.trial.turn(bytes, account.messages());
  return {turn.by_host, turn.timed};
}

}  // namespace marshal::messages
