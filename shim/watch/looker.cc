#include "watch/looker.h"

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <utility>
#include <vector>

#include "base/message.h"
#include "base/printable_text.h"
#include "watch/core_looks.h"
#include "watch/quiet_thread.h"
#include "watch/running_file.h"

namespace marshal::watch {
namespace {

// A thread that has ended does not count.
enum class Stands { moves, outside, inside };

class Looker {
 public:
  Looker(const Job& job, std::span<const Chunk> chunks)
      : job_(job),
        chunks_(chunks),
        seen_(chunks.size()),
        cores_(chunks, job_.host),
        first_file_(std::min<std::uint64_t>(60, job.seconds)),
        between_files_(std::max<std::uint64_t>(1, job.seconds / 10)) {}

  bool start() {
    return thread_.start(
        "marshal-watch", [](void* looker) { static_cast<Looker*>(looker)->run(); }, this);
  }
  QuietThread& thread() { return thread_; }
  CoreLooks& cores() { return cores_; }

 private:
  void run();
  void look();
  Stands look_at(const Chunk& chunk, SeenProcess& seen);
  void say(std::uint64_t now, bool is_written);
  bool others_stand(std::uint64_t now) const;
  void say_what_was_left() const;
  void look_at_cores();

  const Job job_;
  const std::span<const Chunk> chunks_;
  std::vector<SeenProcess> seen_;
  CoreLooks cores_;
  const std::uint64_t first_file_, between_files_;  // seconds, which are looks
  const std::uint64_t process_names_ = namespace_of_processes();
  QuietThread thread_;
  std::uint64_t looked_ = 0, look_at_cores_ = 1;
  std::uint64_t still_ = 0, still_but_one_ = 0;  // for so long all stood inside MPI, or all but `outside_`
  std::uint64_t cpu_of_outside_ = 0;             // clock ticks, when that began
  const SeenProcess* outside_ = nullptr;         // the only one outside MPI
  bool is_someone_newly_gone_ = false, has_file_ = false, has_said_ = false, has_said_outside_ = false,
       shared_cores_ = false;
};

bool is_ending = false;
Looker* the_looker = nullptr;  // never freed: its thread may live as long as the process

void Looker::run() {
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    SeenProcess& seen = seen_[i];
    seen.can_be_asked = chunks_[i].process != 0 && chunks_[i].process_names == process_names_;
    if (seen.can_be_asked) seen.at_first = facts_of(chunks_[i].process);
    seen.can_be_asked = seen.at_first.state != 0;
  }
  cores_.begin(seen_);
  while (!thread_.is_asked_to_end_within_a_second()) {
    look();
    if (looked_ == look_at_cores_) look_at_cores();
    const bool is_due = looked_ == first_file_ || looked_ % between_files_ == 0 || is_someone_newly_gone_;
    // No process could end whose thread waits for a server that does not answer.
    if (looked_ < first_file_ || !is_due || is_in_user_space(job_)) continue;
    if (looked_ == first_file_ && job_.node == 0 && !job_.is_of_array) say_what_was_left();
    const auto now = static_cast<std::uint64_t>(std::time(nullptr));
    const bool is_written = write_running_file(job_, {chunks_, seen_, now, looked_, still_});
    has_file_ |= is_written;
    say(now, is_written);
  }
  if (has_file_) remove_running_file(job_);
}

Stands Looker::look_at(const Chunk& chunk, SeenProcess& seen) {
  bool has_moved = false, is_inside = false, is_outside = false;
  for (std::size_t i = 0; i < chunk.slots.size(); ++i) {
    const Slot& slot = chunk.slots[i];
    SeenThread& thread = seen.threads[i];
    const std::uint32_t number = slot.thread.load(std::memory_order_acquire);
    if (number == 0) {
      thread.is_there = false;
      continue;
    }
    const std::uint64_t moves = slot.moves.load(std::memory_order_acquire);
    const std::uint32_t polls = slot.polls.load(std::memory_order_relaxed);
    const bool moved = !thread.is_there || moves != thread.moves;
    thread.looks = moved ? 0 : thread.looks + 1;
    if (moved) thread.polled = 0;
    if (!moved && polls != thread.polls) thread.polled = thread.looks;
    constexpr std::uint32_t looks_between_polls = 15;  // of programs that sleep between them
    thread.is_polling = thread.polled != 0 && thread.looks < thread.polled + looks_between_polls;
    thread.moves = moves, thread.polls = polls, thread.is_there = true;
    has_moved |= moved;
    if (moves % 2 != 0 || thread.is_polling)
      is_inside = true;
    else if (!moved && (!seen.can_be_asked || has_thread(chunk.process, number)))
      is_outside = true;
  }
  if (chunk.left.load(std::memory_order_relaxed) == Left::finished) return Stands::inside;
  if (!has_moved && seen.can_be_asked && !seen.is_gone) {
    seen.now = facts_of(chunk.process);
    seen.is_gone = seen.now.is_gone || (seen.now.state != 0 && seen.now.began != seen.at_first.began);
    is_someone_newly_gone_ |= seen.is_gone;
  }
  const bool are_all_seen = chunk.threads.load(std::memory_order_relaxed) <= chunk.slots.size();
  if (seen.is_gone) return Stands::outside;
  // A thread that works beside one that waits is none of these.
  if (has_moved || !seen.can_be_asked || !are_all_seen || (is_inside && is_outside)) return Stands::moves;
  return is_inside ? Stands::inside : Stands::outside;
}

void Looker::look() {
  ++looked_;
  is_someone_newly_gone_ = false;
  std::size_t moving = 0, outside = 0;
  const SeenProcess* last_outside = nullptr;
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    const Stands stands = look_at(chunks_[i], seen_[i]);
    moving += stands == Stands::moves;
    outside += stands == Stands::outside;
    if (stands == Stands::outside) last_outside = &seen_[i];
  }
  still_ = moving + outside == 0 ? still_ + 1 : 0;
  const bool goes_on = outside_ == last_outside && still_but_one_ != 0;
  still_but_one_ = moving != 0 || outside != 1 ? 0 : goes_on ? still_but_one_ + 1 : 1;
  if (still_but_one_ == 1) cpu_of_outside_ = last_outside->now.cpu;
  outside_ = still_but_one_ != 0 ? last_outside : nullptr;
}

// All other nodes have stood for as long, as their files of late say. Clocks of nodes may differ a little.
bool Looker::others_stand(std::uint64_t now) const {
  Head head;
  constexpr std::uint64_t clocks_differ = 2;
  const std::uint64_t earliest = now - 2 * between_files_ - 5;
  for (int node = 0; node < job_.nodes; ++node)
    if (node != job_.node &&
        (!read_head(running_path(job_.stem, "", node).data(), head) || head.run != job_.run || head.still == 0 ||
         head.written < earliest || head.written - head.still > now - job_.seconds + clocks_differ))
      return false;
  return true;
}

void Looker::say(std::uint64_t now, bool is_written) {
  const bool all_stand = job_.node == 0 && still_ >= job_.seconds;
  const bool all_but_one = !has_said_outside_ && still_but_one_ >= 2 * job_.seconds && job_.processes > 1;
  if (has_said_ || !(all_stand || all_but_one) || !others_stand(now)) return;
  std::array<char, 2048> line;
  std::size_t length = 0;
  if (all_stand) {
    has_said_ = true;
    length = format_into(line,
                         "no process of job {} has moved in MPI for {} s; all {} wait in MPI calls, ask in tests and "
                         "probes, or have left MPI_Finalize",
                         job_.id, job_.seconds, job_.processes);
  } else {
    has_said_outside_ = true;
    const Chunk& chunk = chunks_[static_cast<std::size_t>(outside_ - seen_.data())];
    length = format_into(line, "rank {} of job {} (process {} on {}) ", chunk.rank, job_.id, chunk.process, job_.host);
    const double cpu =
        static_cast<double>(outside_->now.cpu - cpu_of_outside_) / static_cast<double>(sysconf(_SC_CLK_TCK));
    const std::span rest = std::span(line).subspan(length);
    length += outside_->is_gone ? format_into(rest, "is gone; the other {} stand in MPI", job_.processes - 1)
                                : format_into(rest,
                                              "has been outside MPI for {} s, in state {}, with {:.0f} % of a core; "
                                              "the other {} stand in MPI",
                                              still_but_one_, outside_->now.state,
                                              100 * cpu / static_cast<double>(still_but_one_), job_.processes - 1);
  }
  if (is_written)
    length += format_into(std::span(line).subspan(length), ". Where each stands: marshal report {}.node*.running",
                          job_.quoted_stem);
  say_line(Level::warning, {line.data(), length});
}

void Looker::say_what_was_left() const {
  Head file;
  static std::array<char, 4096> stem;
  if (!take_left_file(job_.stem, job_.program, job_.host, job_.run, static_cast<std::uint64_t>(std::time(nullptr)),
                      file, stem))
    return;
  std::array<char, 2048> line;
  say_line(
      Level::warning,
      {line.data(), format_into(line,
                                "the last run (job {}) left its file of {} s after its begin, and its first process is "
                                "gone. Where each process stood: marshal report {}-over.node*.running",
                                file.job.data(), file.age, shell_word(stem.data()))});
}

// After 1, 10, 20, 40 … seconds. Programs bind themselves anew in their first seconds: so it is said where it is so
// after one and after ten.
void Looker::look_at_cores() {
  look_at_cores_ = looked_ < 10 ? 10 : 2 * looked_;
  const report::CoreUse use = cores_.look(true).shared;
  const bool were_shared = std::exchange(shared_cores_, use.nodes != 0);
  if (looked_ != 10 || !were_shared || !shared_cores_ || job_.node != 0) return;
  std::array<char, 1024> line;
  say_line(Level::warning,
           {line.data(),
            format_into(line,
                        "{} processes of job {} share {} core{} of {}, while {} of its cores {} free: bound "
                        "by {}, {}",
                        use.example.processes, job_.id, use.example.cores, use.example.cores == 1 ? "" : "s", job_.host,
                        use.example.free, use.example.free == 1 ? "is" : "are", cores_.mend_of(use.example),
                        use.example.has_core_for_each() ? "each has a core of its own" : "they use those, too")});
}

}  // namespace

std::string begin_looking(const Job& job, std::span<const Chunk> chunks) {
  if (the_looker != nullptr) return {};
  auto* const looker = new Looker(job, chunks);
  if (!looker->start()) {
    delete looker;
    return "no thread could be started";
  }
  the_looker = looker;
  return {};
}

report::CoreUses core_uses() noexcept {
  return the_looker != nullptr ? the_looker->cores().look_at_end() : report::CoreUses{};
}

namespace {

// Null in a child, too.
Chunk* chunk_of_this_process() {
  Chunk* const own = own_chunk.load();
  return own != nullptr && own->process == getpid() ? own : nullptr;
}

}  // namespace

void end_looking() noexcept {
  Chunk* const own = chunk_of_this_process();
  if (own == nullptr) return;
  own->left.store(Left::finished, std::memory_order_relaxed);
  if (the_looker == nullptr || std::exchange(is_ending, true)) return;
  the_looker->thread().ask_to_end();
  the_looker->thread().join_within(100);
}

void leave_looking() noexcept {
  Chunk* const own = chunk_of_this_process();
  if (own == nullptr) return;
  if (own->left.load() == Left::no) own->left.store(Left::ended, std::memory_order_relaxed);
  if (the_looker != nullptr && is_ending) the_looker->thread().join_within(1000);
}

}  // namespace marshal::watch
