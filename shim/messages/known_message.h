// The message by which hosts are tried out at start: instances of a vector of integers, as the engine packs and unpacks
// them.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>

#include "datatype/flatten.h"
#include "datatype/plan.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "types/type_reader.h"

namespace marshal::messages {

struct KnownMessage {
  static constexpr int blocks = 5, length = 3, stride = 4, count = 7;
  static constexpr std::size_t bytes = blocks * length * sizeof(int) * count;
  static constexpr std::size_t room = sizeof(int) * ((blocks - 1) * stride + length) * count;
  using User = std::array<std::byte, room>;
  using Packed = std::array<std::byte, bytes>;

  // False where the host cannot make the type.
  static bool make_type(MPI_Datatype* type) {
    return pmpi().Type_vector(blocks, length, stride, predefined().type_int, type) == MPI_SUCCESS;
  }

  // Of that type, committed. Makes the plan's program, too. Throws LeftToHost.
  explicit KnownMessage(MPI_Datatype type) : KnownMessage(read_type(type)) {}

  const datatype::Plan plan;
  User user, unpacked{};
  Packed packed;

 private:
  explicit KnownMessage(const datatype::Type& type) : plan(datatype::flattened(type), type.extent()) {
    for (std::size_t i = 0; i < room; ++i) user[i] = static_cast<std::byte>(5 * i + 1);
    plan.pack(count, user.data(), packed.data());
    plan.unpack(count, unpacked.data(), packed.data());
  }
};

}  // namespace marshal::messages
