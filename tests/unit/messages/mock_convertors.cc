#include "mock_convertors.h"

#include <algorithm>
#include <string>

#include "host/next_symbol.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "messages/openmpi/convertors.h"

namespace marshal {
namespace mock {

std::byte* place(const Convertor& c, std::size_t packed_byte) {
  const std::size_t instance = packed_byte / shape.size(), within = packed_byte % shape.size();
  return c.user + instance * shape.extent() + within / shape.length * shape.stride + within % shape.length;
}

template <bool unpack>
std::int32_t advance(Convertor* c, iovec* iovecs, std::uint32_t* iovec_count, std::size_t* moved) {
  ++moved_by_host;
  *moved = 0;
  std::uint32_t i = 0;
  for (; i < *iovec_count && c->converted < c->local_size; ++i) {
    const std::size_t bytes = std::min(iovecs[i].iov_len, c->local_size - c->converted);
    auto* const packed = static_cast<std::byte*>(iovecs[i].iov_base);
    for (std::size_t k = 0; packed != nullptr && k < bytes; ++k) {
      std::byte& user = *place(*c, c->host_at + k);
      (unpack ? user : packed[k]) = unpack ? packed[k] : user;
    }
    if (packed == nullptr) iovecs[i].iov_base = place(*c, c->host_at);
    iovecs[i].iov_len = bytes;
    c->host_at += static_cast<std::uint32_t>(bytes);
    c->converted += bytes;
    *moved += bytes;
  }
  *iovec_count = i;
  if (c->converted < c->local_size) return 0;
  c->flags |= completed;
  return 1;
}
template std::int32_t advance<false>(Convertor*, iovec*, std::uint32_t*, std::size_t*);
template std::int32_t advance<true>(Convertor*, iovec*, std::uint32_t*, std::size_t*);

int set_position(void* convertor, std::size_t* position) {
  ++positions_set;
  auto& c = *static_cast<Convertor*>(convertor);
  if ((*position == 0 || *position < c.converted) && !faults.does_not_rewind) c.host_at = 0, c.converted = 0;
  c.host_at += static_cast<std::uint32_t>(*position - c.converted);
  c.converted = *position;
  return 0;
}

std::int32_t raw(void* convertor, void* places, std::uint32_t* place_count, std::size_t* length) {
  auto& c = *static_cast<Convertor*>(convertor);
  auto* const iovecs = static_cast<iovec*>(places);
  std::uint32_t i = 0;
  for (*length = 0; i < *place_count && c.converted < c.local_size; ++i) {
    const std::size_t bytes = shape.length - c.host_at % shape.length;
    iovecs[i] = {place(c, c.host_at) + (faults.tells_other_places ? 1 : 0), bytes};
    c.host_at += static_cast<std::uint32_t>(bytes);
    c.converted += bytes;
    *length += bytes;
  }
  *place_count = i;
  return c.converted == c.local_size;
}

template <bool unpack>
int prepare(void* convertor, const void* type, std::size_t count, const void* user) {
  auto& c = *static_cast<Convertor*>(convertor);
  c = {};
  c.flags = homogeneous | (unpack ? for_receive : for_send) | (faults.has_checksums ? 0x200000U : 0U);
  if (faults.has_other_flags) c.flags = 0x1000000U | (unpack ? 0x400000U : 0x800000U);  // as Open MPI 6.0's
  c.local_size = c.remote_size = count * shape.size();
  c.type = type;
  c.count = count;
  c.user = static_cast<std::byte*>(const_cast<void*>(user));
  c.advance = advance<unpack>;
  return 0;
}
template int prepare<false>(void*, const void*, std::size_t, const void*);
template int prepare<true>(void*, const void*, std::size_t, const void*);

namespace {

template <bool unpack>
int pack_or_unpack(void* user, int count, MPI_Datatype type, void* packed, int room, int* position) {
  Convertor c;
  convertors::prepare_to_try<unpack>(prepare<unpack>, &c, type, static_cast<std::size_t>(count), user);
  iovec iovecs{static_cast<std::byte*>(packed) + *position, static_cast<std::size_t>(room - *position)};
  std::uint32_t iovec_count = 1;
  std::size_t moved = 0;
  if (c.advance(&c, &iovecs, &iovec_count, &moved) != 1) return MPI_ERR_OTHER;
  *position += static_cast<int>(moved);
  return MPI_SUCCESS;
}
int pack(const void* user, int count, MPI_Datatype type, void* packed, int room, int* position, MPI_Comm) {
  return pack_or_unpack<false>(const_cast<void*>(user), count, type, packed, room, position);
}
int unpack(const void* packed, int room, int* position, void* user, int count, MPI_Datatype type, MPI_Comm) {
  return pack_or_unpack<true>(user, count, type, const_cast<void*>(packed), room, position);
}
int type_vector(int, int, int, MPI_Datatype, MPI_Datatype* made) {
  *made = committed;
  return MPI_SUCCESS;
}
int type_commit(MPI_Datatype*) { return MPI_SUCCESS; }
int type_free(MPI_Datatype*) { return MPI_SUCCESS; }

// For those who move a convertor inside the host.
std::int32_t move(Convertor* c, iovec* iovecs, std::uint32_t* iovec_count, std::size_t* moved) {
  return c->advance(c, iovecs, iovec_count, moved);
}
int clone(const Convertor* source, Convertor* made, std::int32_t) {
  *made = *source;
  if (faults.forgets_count_in_clones) made->count = 1;
  return 0;
}

void* host_symbol(const char* symbol) {
  if (faults.has_no_convertors) return nullptr;
  if (symbol == std::string("opal_convertor_pack") || symbol == std::string("opal_convertor_unpack"))
    return reinterpret_cast<void*>(move);
  if (symbol == std::string("opal_convertor_clone")) return reinterpret_cast<void*>(clone);
  if (symbol == std::string("opal_convertor_raw")) return reinterpret_cast<void*>(raw);
  if (symbol == std::string("opal_convertor_prepare_for_send")) return reinterpret_cast<void*>(prepare<false>);
  if (symbol == std::string("opal_convertor_set_position_nocheck") && !faults.has_no_positions)
    return reinterpret_cast<void*>(set_position);
  return nullptr;
}

}  // namespace

void start() { set_symbol_finder({nullptr, nullptr, host_symbol, nullptr}); }

}  // namespace mock

// In the place of pmpi.cc and predefined.cc, which look for a host.
const Pmpi& pmpi() {
  static const Pmpi table = [] {
    Pmpi functions;
    functions.Pack = mock::pack;
    functions.Unpack = mock::unpack;
    functions.Type_vector = mock::type_vector;
    functions.Type_commit = mock::type_commit;
    functions.Type_free = mock::type_free;
    return functions;
  }();
  return table;
}

}  // namespace marshal
