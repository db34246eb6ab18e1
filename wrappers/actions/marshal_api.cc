// The functions of marshal.h: lookups in the books.
#define MARSHAL_API __attribute__((visibility("default")))
#include <mutex>
#include <set>
#include <string>

#include "base/immortal.h"
#include "communicators/communicators.h"
#include "communicators/sent_messages.h"
#include "host/node_map.h"
#include "host/presence.h"
#include "wrappers/actions/marshal.h"

namespace {

const marshal::RankMap* map_of(MPI_Comm comm) {
  if (!marshal::is_here()) return nullptr;
  const marshal::Communicator* communicator = marshal::books::find(comm);
  return communicator != nullptr && communicator->addressed().tracked() ? &communicator->addressed() : nullptr;
}

// Model names are few; each gets a terminating zero and stays.
const char* lasting(std::string_view name) {
  static std::mutex mutex;
  static marshal::Immortal<std::set<std::string, std::less<>>> names;
  const std::lock_guard lock(mutex);
  auto found = names->find(name);
  if (found == names->end()) found = names->emplace(name).first;
  return found->c_str();
}

}  // namespace

extern "C" {

int marshal_comm_process(MPI_Comm comm, int rank, int* group, int* lpid) {
  const marshal::RankMap* map = map_of(comm);
  if (map == nullptr) return MARSHAL_UNKNOWN_COMM;
  if (rank < 0 || rank >= map->size()) return MARSHAL_NO_RANK;
  const marshal::Process process = map->process(rank);
  *group = process.group;
  *lpid = process.lpid;
  return MARSHAL_SUCCESS;
}

int marshal_comm_rank(MPI_Comm comm, int group, int lpid, int* rank) {
  const marshal::RankMap* map = map_of(comm);
  if (map == nullptr) return MARSHAL_UNKNOWN_COMM;
  const int found = map->rank_of({group, lpid});
  if (found < 0) return MARSHAL_NO_MEMBER;
  *rank = found;
  return MARSHAL_SUCCESS;
}

int marshal_comm_size(MPI_Comm comm, int* size) {
  const marshal::RankMap* map = map_of(comm);
  if (map == nullptr) return MARSHAL_UNKNOWN_COMM;
  *size = map->size();
  return MARSHAL_SUCCESS;
}

int marshal_comm_map(MPI_Comm comm, size_t* bytes, const char** model) {
  const marshal::RankMap* map = map_of(comm);
  if (map == nullptr) return MARSHAL_UNKNOWN_COMM;
  *bytes = map->bytes();
  *model = lasting(map->model());
  return MARSHAL_SUCCESS;
}

int marshal_node(int lpid) {
  if (!marshal::is_here() || lpid < 0 || lpid >= marshal::node_map().processes()) return -1;
  return marshal::node_map().node_of(lpid);
}

int marshal_sent(int lpid, unsigned long long* messages, unsigned long long* bytes) {
  if (!marshal::is_here() || !marshal::is_watching_messages()) return MARSHAL_NOT_COUNTED;
  const marshal::SentTo sent = marshal::sent_to(lpid < 0 ? marshal::foreign_peer : lpid);
  *messages = sent.messages;
  *bytes = sent.bytes;
  return MARSHAL_SUCCESS;
}

}  // extern "C"
