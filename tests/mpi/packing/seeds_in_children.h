// Tries seeds in child processes of one that has called MPI_Init. The seed that kills a child is noted, and the next
// child goes on with the rest. A child of its own then tries that seed with the bare host's calls alone: if it
// dies, too, the fault is the host's; else the test fails.
//
// A seed can also leave the heap damaged for those after it. So where the one that died lives alone, all that this
// child had tried are tried once more by the bare host: if that dies, the host did the damage, and the seed counts as
// tried.
#pragma once

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <new>
#include <string>
#include <thread>
#include <vector>

namespace marshal::testing {

enum class Through { marshal, host };

class SeedsInChildren {
 public:
  using Seeds = std::vector<std::uint64_t>;
  // True if Marshal does the same as the host. Called on several threads at once.
  using Try = std::function<bool(std::uint64_t seed, Through through)>;

  static constexpr std::size_t most_seeds = 1000, most_threads = 16;

  SeedsInChildren(Try try_seed, int threads) : try_(std::move(try_seed)), threads_(threads) {
    void* shared = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    said_ = std::tmpfile();
    if (shared == MAP_FAILED || said_ == nullptr) throw std::bad_alloc();
    shared_ = new (shared) Shared;
  }
  ~SeedsInChildren() {
    munmap(shared_, sizeof(Shared));
    std::fclose(said_);
  }
  SeedsInChildren(const SeedsInChildren&) = delete;
  SeedsInChildren& operator=(const SeedsInChildren&) = delete;

  // At most most_seeds. False, after saying what happened, where not only the host fails.
  bool holds(Seeds seeds) {
    for (;;) {
      const Child child = tried(seeds, Through::marshal, threads_);
      if (child.lived) return true;
      Seeds left, before;
      for (std::size_t i = 0; i < seeds.size(); ++i) (shared_->done[i] ? before : left).push_back(seeds[i]);
      seeds = std::move(left);
      const std::string said = what_was_said();
      const auto drop = [&](std::uint64_t seed) { std::erase(seeds, seed); };

      bool host_dies = false;
      for (const std::uint64_t seed : child.in_flight) {
        if (tried({seed}, Through::host, 1).lived) continue;
        deaths.push_back(seed);
        drop(seed);
        host_dies = true;
      }
      if (host_dies) continue;

      for (const std::uint64_t seed : child.in_flight) {
        if (!tried({seed}, Through::marshal, 1).lived) return fails(seed, child, what_was_said());
        before.push_back(seed);
        drop(seed);
      }
      if (child.in_flight.empty() || tried(before, Through::host, threads_).lived)
        return fails(child.in_flight.empty() ? before.back() : child.in_flight.front(), child, said);
      ++damages;
    }
  }

  Seeds deaths;      // of the bare host
  long damages = 0;  // done by it to seeds that live alone

 private:
  struct Shared {
    std::atomic<std::size_t> next;
    std::atomic<bool> done[most_seeds];
    std::atomic<std::size_t> at[most_threads];
  };
  static constexpr std::size_t nothing = most_seeds;
  struct Child {
    bool lived;
    int status;
    Seeds in_flight;  // when it died
  };

  Child tried(const Seeds& seeds, Through through, int threads) {
    shared_->next = 0;
    for (auto& done : shared_->done) done = false;
    for (auto& at : shared_->at) at = nothing;
    std::rewind(said_);
    if (ftruncate(fileno(said_), 0) != 0) return {false, 0, {}};
    std::fflush(nullptr);
    // Marshal stands aside in a child of fork(), where its calls are the bare host's; of _Fork() it hears nothing.
    const pid_t child = through == Through::host ? fork() : _Fork();
    if (child == 0) {
      dup2(fileno(said_), STDERR_FILENO);
      std::vector<std::thread> others;
      for (int t = 1; t < threads; ++t) others.emplace_back([&, t] { try_all(seeds, through, t); });
      try_all(seeds, through, 0);
      for (auto& other : others) other.join();
      _exit(0);
    }
    Child result{false, -1, {}};
    if (child < 0 || waitpid(child, &result.status, 0) != child) return result;
    result.lived = WIFEXITED(result.status) && WEXITSTATUS(result.status) == 0;
    for (auto& at : shared_->at)
      if (at != nothing) result.in_flight.push_back(seeds[at]);
    return result;
  }

  void try_all(const Seeds& seeds, Through through, int thread) {
    for (std::size_t i; (i = shared_->next++) < seeds.size();) {
      shared_->at[thread] = i;
      alarm(60);
      if (!try_(seeds[i], through)) {
        // The seeds that other threads are at are not suspected.
        for (auto& at : shared_->at)
          if (&at != &shared_->at[thread]) at = nothing;
        _exit(1);
      }
      shared_->done[i] = true;
      shared_->at[thread] = nothing;
    }
  }

  std::string what_was_said() {
    std::string text;
    char part[4096];
    std::rewind(said_);
    for (std::size_t n; (n = std::fread(part, 1, sizeof part, said_)) > 0;) text.append(part, n);
    return text;
  }

  static bool fails(std::uint64_t seed, const Child& child, const std::string& said) {
    std::fprintf(stderr, "seed %llu: %s %d; the host by itself lives\n%s", static_cast<unsigned long long>(seed),
                 WIFSIGNALED(child.status) ? "killed by signal" : "exit status",
                 WIFSIGNALED(child.status) ? WTERMSIG(child.status) : WEXITSTATUS(child.status), said.c_str());
    return false;
  }

  Try try_;
  int threads_;
  Shared* shared_;
  std::FILE* said_;
};

}  // namespace marshal::testing
