#include "job/watch_meeting.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/message.h"
#include "base/printable_text.h"
#include "base/process_facts.h"
#include "host/node_map.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/process_groups.h"
#include "job/job.h"
#include "job/own_record.h"
#include "pages/pages.h"
#include "settings/settings_in_force.h"
#include "watch/looker.h"

namespace marshal::job {
namespace {

// The first process of a node tells the others where they find its memory.
struct Offer {
  std::int32_t process = 0, file = -1;
  std::uint64_t inode = 0, run = 0, chunks = 0;
};

int memory_file = -1;                   // of the first process, until all have it
std::span<const watch::Chunk> of_node;  // in the first process

// The memory has a fixed size, and all its pages from the beginning: no access to it can fail.
Offer make_memory(std::size_t chunks) {
  const auto bytes = static_cast<off_t>(chunks * sizeof(watch::Chunk));
  // A file beyond that would end the process by a signal.
  rlimit most{};
  if (getrlimit(RLIMIT_FSIZE, &most) != 0 || most.rlim_cur < static_cast<rlim_t>(bytes)) return {};
  const int low = memfd_create("marshal-watch", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  // Programs count on the lowest numbers being theirs.
  constexpr int high_numbers = 200;
  memory_file = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, high_numbers);
  close(low);
  struct stat facts {};
  if (memory_file < 0 || ftruncate(memory_file, bytes) != 0 || fallocate(memory_file, 0, 0, bytes) != 0 ||
      fcntl(memory_file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0 ||
      fstat(memory_file, &facts) != 0)
    return {};
  return {getpid(), memory_file, facts.st_ino, run().number, chunks};
}

watch::Chunk* map_memory(const Offer& offer) {
  if (offer.file < 0) return nullptr;
  const auto path = watch::text_in_array<64>("/proc/{}/fd/{}", offer.process, offer.file);
  struct stat facts {};
  void* memory = MAP_FAILED;
  const std::size_t bytes = offer.chunks * sizeof(watch::Chunk);
  // In another namespace of processes the path is another's, and on another machine its inode may be alike.
  if (stat(path.data(), &facts) != 0 || facts.st_ino != offer.inode || !S_ISREG(facts.st_mode) ||
      static_cast<std::size_t>(facts.st_size) != bytes)
    return nullptr;
  const int file = open(path.data(), O_RDWR | O_CLOEXEC);
  if (file >= 0) memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (file >= 0) close(file);
  if (memory == MAP_FAILED) return nullptr;
  auto* const chunks = static_cast<watch::Chunk*>(memory);
  if (chunks->run == offer.run) return chunks;
  munmap(memory, bytes);
  return nullptr;
}

void take_chunk(watch::Chunk& chunk) {
  chunk.base = reinterpret_cast<std::uintptr_t>(&chunk);
  chunk.process_names = watch::namespace_of_processes();
  int level = 0;
  chunk.thread_level =
      pmpi().Query_thread(&level) != MPI_SUCCESS
          ? -1
          : (level >= MPI_THREAD_FUNNELED) + (level >= MPI_THREAD_SERIALIZED) + (level >= MPI_THREAD_MULTIPLE);
  chunk.process = getpid();
  watch::own_chunk.store(&chunk, std::memory_order_release);
}

}  // namespace

std::string stem_of_run() {
  report::Job job = run().facts.job;
  job.program = program_facts().name;
  job.host = host_name();
  job.user = user_name();
  job.ranks = static_cast<std::uint64_t>(process_groups().world_size());
  std::string stem = report::expand_pattern(settings().text(Option::report_file), job);
  std::array<char, PATH_MAX> folder{};
  if (stem.starts_with('/') || getcwd(folder.data(), folder.size()) == nullptr) return stem;
  return std::string(folder.data()) + '/' + stem;
}

void share_slots(JointWork& all) {  // AGREEMENT: who shares the memory of a node
  if (settings().watch_seconds == 0 || node_map().nodes() == 0) return;
  const std::int32_t self = process_groups().world_rank(), node = node_map().node_of(self);
  std::vector<std::int32_t> members;
  for (std::int32_t lpid = 0; lpid < node_map().processes(); ++lpid)
    if (node_map().node_of(lpid) == node) members.push_back(lpid);
  const bool is_first = members.front() == self;
  Offer offer;
  watch::Chunk* chunks = nullptr;
  if (is_first) {
    offer = make_memory(members.size());
    void* const memory = offer.file < 0 ? MAP_FAILED
                                        : mmap(nullptr, offer.chunks * sizeof(watch::Chunk), PROT_READ | PROT_WRITE,
                                               MAP_SHARED, memory_file, 0);
    if (memory == MAP_FAILED) offer = {};
    // Zeros are a chunk that nobody has taken yet.
    if (offer.chunks != 0) chunks = static_cast<watch::Chunk*>(memory);
    for (std::size_t i = 0; i < offer.chunks; ++i) chunks[i].run = offer.run, chunks[i].rank = members[i];
    of_node = {chunks, offer.chunks};
  }
  all.all_ready();
  // From here on nobody gives up: who has no memory sends an empty offer.
  constexpr int bytes = sizeof offer;
  if (is_first) {
    for (std::size_t i = 1; i < members.size(); ++i)
      pmpi().Send(&offer, bytes, predefined().type_byte, members[i], 0, all.communicator());
  } else {
    if (pmpi().Recv(&offer, bytes, predefined().type_byte, members.front(), 0, all.communicator(), MPI_STATUS_IGNORE) !=
        MPI_SUCCESS)
      offer = {};
    chunks = map_memory(offer);
  }
  const auto own = static_cast<std::size_t>(std::ranges::find(members, self) - members.begin());
  if (chunks != nullptr) take_chunk(chunks[own]);
}

void begin_watching(const watch::Calls& calls) {
  if (memory_file >= 0) close(memory_file);
  memory_file = -1;
  if (of_node.empty() || !watch::is_on()) return;
  watch::Job watched;
  watched.program = program_facts().name;
  watched.id = run().facts.job.job_id;
  watched.host = host_name();
  watched.stem = run().stem;
  watched.quoted_stem = shell_word(run().stem);
  watched.run = of_node.front().run;
  watched.node = node_map().node_of(process_groups().world_rank());
  watched.nodes = node_map().nodes();
  watched.processes = process_groups().world_size();
  watched.seconds = static_cast<std::uint64_t>(settings().watch_seconds);
  watched.calls = calls;
  watched.is_of_array = std::getenv("SLURM_ARRAY_JOB_ID") != nullptr;
  watched.any_source = MPI_ANY_SOURCE;
  watched.no_peer = MPI_PROC_NULL;
  watched.any_tag = MPI_ANY_TAG;
  if (const std::string why = watch::begin_looking(watched, of_node); !why.empty())
    say(Level::info, "MARSHAL_WATCH: nobody watches node {}: {}", watched.node, why);
}

}  // namespace marshal::job
