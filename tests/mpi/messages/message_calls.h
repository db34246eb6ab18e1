// One message each way between two ranks, by every kind of call.
#pragma once

#include <mpi.h>

#include <algorithm>

#include "tests/mpi/messages/message_case.h"

namespace marshal::testing {

inline int me, other;  // ranks

// Open MPI cannot make and free windows for ever.
inline constexpr std::size_t window_size = 1 << 20;
inline MPI_Win window;
inline std::byte* in_window;

// One message each way between the ranks. The bytes that must have arrived in `to` are in `expected`.
struct Exchange {
  const Case& c;
  Variant& type;
  Memory &from, &to, &expected;
  const Bytes& packed_other;  // what the other rank sends, packed by the host
  int tag;

  void expect_all() { unpack_by_host(c, packed_other, expected, c.count); }
  void replace() {
    to.bytes = from.bytes;
    expected.bytes = from.bytes;
  }
  int bytes() const { return static_cast<int>(c.size); }
};

// The calls. Each is false if it got another count, or other bytes elsewhere.

inline bool sendrecv(Exchange& x) {
  const MPI_Datatype t = x.type.get();
  x.expect_all();
  MPI_Status status;
  MPI_Sendrecv(x.from.origin(), x.c.count, t, other, x.tag, x.to.origin(), x.c.count, t, other, x.tag, MPI_COMM_WORLD,
               &status);
  int received = -1;
  MPI_Get_count(&status, t, &received);
  return received == x.c.count;
}

inline bool isend(Exchange& x) {
  const MPI_Datatype t = x.type.get();
  x.expect_all();
  MPI_Request requests[2];
  MPI_Irecv(x.to.origin(), x.c.count, t, other, x.tag, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(x.from.origin(), x.c.count, t, other, x.tag, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  return true;
}

inline bool ssend(Exchange& x) {
  const MPI_Datatype t = x.type.get();
  x.expect_all();
  MPI_Status status;
  if (me == 0) MPI_Ssend(x.from.origin(), x.c.count, t, other, x.tag, MPI_COMM_WORLD);
  MPI_Recv(x.to.origin(), x.c.count, t, MPI_ANY_SOURCE, x.tag, MPI_COMM_WORLD, &status);
  if (me == 1) MPI_Ssend(x.from.origin(), x.c.count, t, other, x.tag, MPI_COMM_WORLD);
  int received = -1;
  MPI_Get_count(&status, t, &received);
  return received == x.c.count;
}

inline bool bsend(Exchange& x) {
  const MPI_Datatype t = x.type.get();
  x.expect_all();
  int room;
  MPI_Pack_size(x.c.count, t, MPI_COMM_WORLD, &room);
  Bytes buffer(static_cast<std::size_t>(room + MPI_BSEND_OVERHEAD));
  MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
  MPI_Bsend(x.from.origin(), x.c.count, t, other, x.tag, MPI_COMM_WORLD);
  MPI_Recv(x.to.origin(), x.c.count, t, other, x.tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  void* detached;
  MPI_Buffer_detach(&detached, &room);
  return true;
}

inline bool persistent(Exchange& x) {
  const MPI_Datatype t = x.type.get();
  x.expect_all();
  MPI_Request requests[2];
  MPI_Recv_init(x.to.origin(), x.c.count, t, other, x.tag, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(x.from.origin(), x.c.count, t, other, x.tag, MPI_COMM_WORLD, &requests[1]);
  for (int turn = 0; turn < 3; ++turn) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  return true;
}

inline bool mprobe(Exchange& x) {
  const MPI_Datatype t = x.type.get();
  x.expect_all();
  MPI_Request request;
  MPI_Isend(x.from.origin(), x.c.count, t, other, x.tag, MPI_COMM_WORLD, &request);
  MPI_Message message;
  MPI_Status status;
  MPI_Mprobe(other, x.tag, MPI_COMM_WORLD, &message, &status);
  int received = -1;
  MPI_Get_count(&status, t, &received);
  MPI_Mrecv(x.to.origin(), x.c.count, t, &message, &status);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return received == x.c.count;
}

inline bool shorter(Exchange& x) {
  const MPI_Datatype t = x.type.get();
  const int part = std::max(1, x.c.count / 2);
  unpack_by_host(x.c, Bytes(x.packed_other.begin(), x.packed_other.begin() + x.c.size / x.c.count * part), x.expected,
                 part);
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(x.to.origin(), x.c.count, t, other, x.tag, MPI_COMM_WORLD, &request);
  MPI_Send(x.from.origin(), part, t, other, x.tag, MPI_COMM_WORLD);
  MPI_Wait(&request, &status);
  int received = -1;
  MPI_Get_count(&status, t, &received);
  return received == part;
}

inline bool to_bytes(Exchange& x) {
  Bytes plain(static_cast<std::size_t>(x.bytes()));
  MPI_Request request;
  MPI_Irecv(plain.data(), x.bytes(), MPI_BYTE, other, x.tag, MPI_COMM_WORLD, &request);
  MPI_Send(x.from.origin(), x.c.count, x.type.get(), other, x.tag, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return plain == x.packed_other;
}

inline bool from_bytes(Exchange& x) {
  const Bytes plain = packed_by_host(x.c, x.from, x.c.count);
  x.expect_all();
  MPI_Request request;
  MPI_Irecv(x.to.origin(), x.c.count, x.type.get(), other, x.tag, MPI_COMM_WORLD, &request);
  MPI_Send(plain.data(), x.bytes(), MPI_BYTE, other, x.tag, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return true;
}

inline bool bcast(Exchange& x) {
  x.replace();
  if (me == 1) x.expect_all();
  MPI_Bcast(x.to.origin(), x.c.count, x.type.get(), 0, MPI_COMM_WORLD);
  return true;
}

// To and from the other rank alone.
inline bool alltoallw(Exchange& x) {
  x.expect_all();
  int counts[2] = {0, 0}, displacements[2] = {0, 0};
  counts[other] = x.c.count;
  const MPI_Datatype types[2] = {x.type.get(), x.type.get()};
  MPI_Alltoallw(x.from.origin(), counts, displacements, types, x.to.origin(), counts, displacements, types,
                MPI_COMM_WORLD);
  return true;
}

// On a line of two: rank 0's other neighbour is the second, rank 1's the first.
inline bool neighbor_alltoallw(Exchange& x) {
  x.expect_all();
  const int two = 2, no = 0;
  const MPI_Aint displacements[2] = {0, 0};
  const MPI_Datatype types[2] = {x.type.get(), x.type.get()};
  MPI_Comm line;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &two, &no, 0, &line);
  const int sends[2] = {me == 1 ? x.c.count : 0, me == 0 ? x.c.count : 0};
  MPI_Neighbor_alltoallw(x.from.origin(), sends, displacements, types, x.to.origin(), sends, displacements, types,
                         line);
  MPI_Comm_free(&line);
  return true;
}

inline bool put_and_get(Exchange& x) {
  const Case& c = x.c;
  const MPI_Datatype t = x.type.get();
  x.expect_all();
  if (x.to.bytes.size() > window_size || x.to.to_origin < 0) {  // no displacement in the window
    x.to.bytes = x.expected.bytes;
    return true;
  }
  std::copy(x.to.bytes.begin(), x.to.bytes.end(), in_window);
  MPI_Win_fence(0, window);
  MPI_Put(x.from.origin(), c.count, t, other, x.to.to_origin, c.count, t, window);
  MPI_Win_fence(0, window);
  Memory got = c.memory();
  Memory got_expected = got;
  MPI_Get(got.origin(), c.count, t, other, x.to.to_origin, c.count, t, window);
  MPI_Win_fence(0, window);
  std::copy_n(in_window, x.to.bytes.size(), x.to.bytes.begin());
  unpack_by_host(c, packed_by_host(c, x.from, c.count), got_expected, c.count);
  return got.bytes == got_expected.bytes;
}

inline bool sendrecv_replace(Exchange& x) {
  x.replace();
  x.expect_all();
  MPI_Sendrecv_replace(x.to.origin(), x.c.count, x.type.get(), other, x.tag, other, x.tag, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  return true;
}

// Both types go before the message does, and others come in their place.
inline bool freed_early(Exchange& x) {
  const MPI_Datatype t = x.type.get();
  x.expect_all();
  MPI_Request requests[2];
  MPI_Irecv(x.to.origin(), x.c.count, t, other, x.tag, MPI_COMM_WORLD, &requests[0]);
  MPI_Issend(x.from.origin(), x.c.count, t, other, x.tag, MPI_COMM_WORLD, &requests[1]);
  if (x.type.is_own()) x.type.free_early();
  MPI_Datatype others[3];
  for (int i = 0; i < 3; ++i) {
    MPI_Type_vector(3 + i, 1 + i, 7, MPI_SHORT, &others[i]);
    MPI_Type_commit(&others[i]);
  }
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (MPI_Datatype& type : others) MPI_Type_free(&type);
  return true;
}

inline bool gather(Exchange& x) {
  Bytes all(static_cast<std::size_t>(2 * x.bytes()));
  MPI_Gather(x.from.origin(), x.c.count, x.type.get(), all.data(), x.bytes(), MPI_BYTE, 1, MPI_COMM_WORLD);
  return me == 0 || std::equal(x.packed_other.begin(), x.packed_other.end(), all.begin());
}

inline bool scatter(Exchange& x) {
  Bytes all(static_cast<std::size_t>(2 * x.bytes()));
  const Bytes own = packed_by_host(x.c, x.from, x.c.count);
  std::copy(own.begin(), own.end(), all.begin());
  std::copy(own.begin(), own.end(), all.begin() + x.bytes());
  unpack_by_host(x.c, me == 1 ? x.packed_other : own, x.expected, x.c.count);
  MPI_Scatter(all.data(), x.bytes(), MPI_BYTE, x.to.origin(), x.c.count, x.type.get(), 0, MPI_COMM_WORLD);
  return true;
}

struct MessageCall {
  const char* name;
  bool (*run)(Exchange&);
};
inline constexpr MessageCall calls[] = {{"Sendrecv", sendrecv},
                                        {"Isend", isend},
                                        {"Ssend", ssend},
                                        {"Bsend", bsend},
                                        {"persistent", persistent},
                                        {"Mprobe", mprobe},
                                        {"shorter", shorter},
                                        {"to bytes", to_bytes},
                                        {"from bytes", from_bytes},
                                        {"Bcast", bcast},
                                        {"Alltoallw", alltoallw},
                                        {"Neighbor_alltoallw", neighbor_alltoallw},
                                        {"Put and Get", put_and_get},
                                        {"replace", sendrecv_replace},
                                        {"freed early", freed_early},
                                        {"Gather", gather},
                                        {"Scatter", scatter}};
inline constexpr int call_count = sizeof calls / sizeof *calls;

}  // namespace marshal::testing
