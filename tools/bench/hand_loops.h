// The loops that a program would write by hand, compiled with -O3 -march=native in a file of their own. The engine
// is measured against them. Each has the two directions; sizes are elements unless they say bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace marshal::bench {

// Source and destination of a copy: `user` is displacement 0 of the layout.
struct Copy {
  std::byte* user;
  std::byte* packed;
  bool unpack;
};

// Blocks of `length` elements of `element` bytes (4, 8 or 16), nested in up to three loops, outermost first.
struct Nest {
  std::int64_t element, length;
  std::int64_t count[3];
  std::int64_t stride[3];  // bytes
};
void hand_nest(const Copy& copy, const Nest& nest);

// Blocks of `length` elements of `element` bytes at displacements in elements.
struct List {
  std::int64_t element, length, count;
  const std::int32_t* displacements;
};
std::byte* hand_list(const Copy& copy, const List& list);  // returns the end of the packed bytes

// Blocks of doubles of several lengths.
struct MixedList {
  std::int64_t count;
  const std::int32_t* displacements;
  const std::int32_t* lengths;
};
void hand_mixed_list(const Copy& copy, const MixedList& list);

struct Forty {
  char bytes[40], gap[4];
};
struct TwoOfEight {
  double first, gap1, second, gap2[5];
};
struct Particle {
  int id;
  double mass;
  char tag[3];
};
void hand_forty(const Copy& copy, std::int64_t count);
void hand_two_of_eight(const Copy& copy, std::int64_t count);
void hand_particles(const Copy& copy, std::int64_t count);

// One double of each of `fields` arrays `apart` bytes apart, for each of `count` points.
void hand_fields(const Copy& copy, std::int64_t fields, std::int64_t apart, std::int64_t count);

}  // namespace marshal::bench
