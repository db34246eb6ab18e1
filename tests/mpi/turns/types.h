// Datatypes, with which this process sends to the next one and packs.
#pragma once

#include <mpi.h>

#include <cstring>
#include <vector>

#include "tests/mpi/turns/turns.h"

namespace by_turns {

struct Type {
  MPI_Datatype handle;
  int size;
};
inline Kind<Type> types{{}, 10};
inline constexpr int most_bytes = 64 * 1024;

inline Type make_type() {
  MPI_Datatype made = MPI_DATATYPE_NULL, twice = MPI_DATATYPE_NULL;
  const int count = 1 + draw(20), length = 1 + draw(3);
  switch (draw(4)) {
    case 0:
      BY_TURNS(Type_contiguous, count, MPI_INT, &made);
      break;
    case 1: {
      std::vector<int> places = first_numbers(count), lengths(places);
      for (int i = 0; i < count; ++i)
        lengths[static_cast<std::size_t>(i)] = 1 + draw(3), places[static_cast<std::size_t>(i)] *= 4;
      BY_TURNS(Type_indexed, count, lengths.data(), places.data(), MPI_INT, &made);
      break;
    }
    case 2: {
      const int lengths[2] = {length, count};
      const MPI_Aint places[2] = {0, 32};
      const MPI_Datatype parts[2] = {MPI_DOUBLE, MPI_SHORT};
      BY_TURNS(Type_create_struct, 2, lengths, places, parts, &made);
      break;
    }
    default:
      BY_TURNS(Type_vector, count, length, length + draw(3), MPI_DOUBLE, &made);
      break;
  }
  if (draw(4) == 0) {
    BY_TURNS(Type_vector, 2, 1, 2, made, &twice);
    BY_TURNS(Type_free, &made);
    made = twice;
  }
  BY_TURNS(Type_commit, &made);
  if (draw(4) == 0) BY_TURNS(Type_commit, &made);
  if (draw(4) == 0) {
    BY_TURNS(Type_dup, made, &twice);
    BY_TURNS(Type_free, &made);
    made = twice;
  }
  int size = 0;
  PMPI_Type_size(made, &size);
  return {made, size};
}

inline void end_type(Type& gone) { BY_TURNS(Type_free, &gone.handle); }

inline void use_type() {
  static std::vector<char> user(most_bytes), received(most_bytes), received_expected(most_bytes), packed(most_bytes),
      packed_expected(most_bytes);
  for (char& byte : user) byte = static_cast<char>(dice());
  const Type type = types.any();
  const int count = 1 + draw(4), next = (me + 1) % ranks, previous = (me + ranks - 1) % ranks;
  for (int times = draw(8); times >= 0; --times) {
    int position = 0, position_expected = 0;
    MPI_Pack(user.data(), count, type.handle, packed.data(), most_bytes, &position, MPI_COMM_WORLD);
    PMPI_Pack(user.data(), count, type.handle, packed_expected.data(), most_bytes, &position_expected, MPI_COMM_WORLD);
    CHECK(position == position_expected &&
          std::memcmp(packed.data(), packed_expected.data(), static_cast<std::size_t>(position)) == 0);
    position = 0;
    MPI_Unpack(packed.data(), most_bytes, &position, received.data(), count, type.handle, MPI_COMM_WORLD);
    position_expected = 0;
    PMPI_Unpack(packed.data(), most_bytes, &position_expected, received_expected.data(), count, type.handle,
                MPI_COMM_WORLD);
    CHECK(position == position_expected && received == received_expected);
  }
  const Sent before = sent();
  MPI_Sendrecv(user.data(), count, type.handle, next, 2, received.data(), count, type.handle, previous, 2,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  check_sent(before, 1, count * type.size);
  PMPI_Sendrecv(packed_expected.data(), count * type.size, MPI_PACKED, next, 2, packed.data(), most_bytes, MPI_PACKED,
                previous, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int position = 0;
  PMPI_Unpack(packed.data(), most_bytes, &position, received_expected.data(), count, type.handle, MPI_COMM_WORLD);
  CHECK(received == received_expected);
  MPI_Bcast(received.data(), count, type.handle, 0, MPI_COMM_WORLD);
  PMPI_Bcast(received_expected.data(), count, type.handle, 0, MPI_COMM_WORLD);
  CHECK(received == received_expected);
}

}  // namespace by_turns
