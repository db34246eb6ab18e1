// Persistent requests: each sends to the next process, or receives from the one before.
#pragma once

#include <mpi.h>

#include <numeric>
#include <vector>

#include "tests/mpi/turns/turns.h"

namespace by_turns {

struct Channel {
  MPI_Request request;
  int bytes;  // that a start sends, as Marshal saw; 0 for one that receives, or that it did not see
  bool receives;
  std::vector<int> memory;
};
inline Kind<Channel*> channels{{}, 6};

inline Channel* make_channel() {
  auto* made = new Channel{MPI_REQUEST_NULL, 0, draw(2) == 0, std::vector<int>(static_cast<std::size_t>(1 + draw(8)))};
  const int count = static_cast<int>(made->memory.size());
  const bool unseen = !is_seen();
  if (made->receives)
    (unseen ? PMPI_Recv_init : MPI_Recv_init)(made->memory.data(), count, MPI_INT, (me + ranks - 1) % ranks, 5,
                                              MPI_COMM_WORLD, &made->request);
  else
    (unseen ? PMPI_Send_init : MPI_Send_init)(made->memory.data(), count, MPI_INT, (me + 1) % ranks, 6, MPI_COMM_WORLD,
                                              &made->request);
  if (!unseen && !made->receives) made->bytes = count * static_cast<int>(sizeof(int));
  return made;
}

inline void end_channel(Channel* gone) {
  BY_TURNS(Request_free, &gone->request);
  delete gone;
}

inline void use_channel() {
  Channel& channel = *channels.any();
  const int count = static_cast<int>(channel.memory.size());
  std::vector<int> other(channel.memory.size());
  std::iota(channel.receives ? other.begin() : channel.memory.begin(),
            channel.receives ? other.end() : channel.memory.end(), me);
  const Sent before = sent();
  MPI_Start(&channel.request);
  check_sent(before, channel.bytes != 0, channel.bytes);
  if (channel.receives)
    PMPI_Send(other.data(), count, MPI_INT, (me + 1) % ranks, 5, MPI_COMM_WORLD);
  else
    PMPI_Recv(other.data(), count, MPI_INT, (me + ranks - 1) % ranks, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  BY_TURNS(Wait, &channel.request, MPI_STATUS_IGNORE);
  CHECK((channel.receives ? channel.memory : other)[0] == (me + ranks - 1) % ranks);
}

}  // namespace by_turns
