#include "tools/bench/hand_loops.h"

#include <cstring>

namespace marshal::bench {
namespace {

struct Complex {
  double re, im;
};

template <class T>
inline void move_block(bool unpack, T* __restrict user, T* __restrict packed, std::int64_t length) {
  if (unpack)
    for (std::int64_t l = 0; l < length; ++l) user[l] = packed[l];
  else
    for (std::int64_t l = 0; l < length; ++l) packed[l] = user[l];
}

template <class T, std::int64_t constant>
void nest_of(const Copy& copy, const Nest& n) {
  const std::int64_t length = constant ? constant : n.length;
  T* __restrict packed = reinterpret_cast<T*>(copy.packed);
  for (std::int64_t i = 0; i < n.count[0]; ++i)
    for (std::int64_t j = 0; j < n.count[1]; ++j)
      for (std::int64_t k = 0; k < n.count[2]; ++k) {
        std::byte* const user = copy.user + i * n.stride[0] + j * n.stride[1] + k * n.stride[2];
        move_block(copy.unpack, reinterpret_cast<T*>(user), packed, length);
        packed += length;
      }
}

template <class T>
void nest_with(const Copy& copy, const Nest& n) {
  switch (n.length) {
    case 1:
      return nest_of<T, 1>(copy, n);
    case 2:
      return nest_of<T, 2>(copy, n);
    case 3:
      return nest_of<T, 3>(copy, n);
    case 5:
      return nest_of<T, 5>(copy, n);
    case 8:
      return nest_of<T, 8>(copy, n);
    default:
      return nest_of<T, 0>(copy, n);
  }
}

template <class T, std::int64_t constant>
std::byte* list_of(const Copy& copy, const List& list) {
  const std::int64_t length = constant ? constant : list.length;
  T* __restrict packed = reinterpret_cast<T*>(copy.packed);
  T* __restrict user = reinterpret_cast<T*>(copy.user);
  for (std::int64_t i = 0; i < list.count; ++i) {
    move_block(copy.unpack, user + list.displacements[i], packed, length);
    packed += length;
  }
  return reinterpret_cast<std::byte*>(packed);
}

template <class T>
std::byte* list_with(const Copy& copy, const List& list) {
  switch (list.length) {
    case 1:
      return list_of<T, 1>(copy, list);
    case 3:
      return list_of<T, 3>(copy, list);
    default:
      return list_of<T, 0>(copy, list);
  }
}

}  // namespace

void hand_nest(const Copy& copy, const Nest& nest) {
  switch (nest.element) {
    case 4:
      return nest_with<float>(copy, nest);
    case 8:
      return nest_with<double>(copy, nest);
    default:
      return nest_with<Complex>(copy, nest);
  }
}

std::byte* hand_list(const Copy& copy, const List& list) {
  return list.element == 4 ? list_with<float>(copy, list) : list_with<double>(copy, list);
}

void hand_mixed_list(const Copy& copy, const MixedList& list) {
  double* __restrict packed = reinterpret_cast<double*>(copy.packed);
  double* __restrict user = reinterpret_cast<double*>(copy.user);
  for (std::int64_t i = 0; i < list.count; ++i) {
    move_block(copy.unpack, user + list.displacements[i], packed, list.lengths[i]);
    packed += list.lengths[i];
  }
}

void hand_forty(const Copy& copy, std::int64_t count) {
  Forty* __restrict user = reinterpret_cast<Forty*>(copy.user);
  std::byte* __restrict packed = copy.packed;
  for (std::int64_t i = 0; i < count; ++i) {
    if (copy.unpack)
      std::memcpy(user[i].bytes, packed + 40 * i, 40);
    else
      std::memcpy(packed + 40 * i, user[i].bytes, 40);
  }
}

void hand_two_of_eight(const Copy& copy, std::int64_t count) {
  TwoOfEight* __restrict user = reinterpret_cast<TwoOfEight*>(copy.user);
  double* __restrict packed = reinterpret_cast<double*>(copy.packed);
  for (std::int64_t i = 0; i < count; ++i) {
    if (copy.unpack) {
      user[i].first = packed[2 * i];
      user[i].second = packed[2 * i + 1];
    } else {
      packed[2 * i] = user[i].first;
      packed[2 * i + 1] = user[i].second;
    }
  }
}

void hand_particles(const Copy& copy, std::int64_t count) {
  Particle* __restrict user = reinterpret_cast<Particle*>(copy.user);
  std::byte* __restrict packed = copy.packed;
  for (std::int64_t i = 0; i < count; ++i) {
    if (copy.unpack) {
      std::memcpy(&user[i].id, packed, 4);
      std::memcpy(&user[i].mass, packed + 4, 8);
      std::memcpy(user[i].tag, packed + 12, 3);
    } else {
      std::memcpy(packed, &user[i].id, 4);
      std::memcpy(packed + 4, &user[i].mass, 8);
      std::memcpy(packed + 12, user[i].tag, 3);
    }
    packed += 15;
  }
}

void hand_fields(const Copy& copy, std::int64_t fields, std::int64_t apart, std::int64_t count) {
  double* __restrict packed = reinterpret_cast<double*>(copy.packed);
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t f = 0; f < fields; ++f) {
      double* user = reinterpret_cast<double*>(copy.user + f * apart) + i;
      if (copy.unpack)
        *user = *packed++;
      else
        *packed++ = *user;
    }
}

}  // namespace marshal::bench
