// The cases of a call: sets of arguments that go together, and arguments of which all except one are right.
#pragma once

#include <dlfcn.h>

#include "values.h"

// The function of a call, or null. Marshal has entry points of all calls, but of the names with a P only those that
// free.
static void* find_function(const char* call) {
  static const char* const prefixes[] = {"PMPI_", "PMPIX_"};
  for (int i = 0; i < 2; ++i) {
    char name[80];
    snprintf(name, sizeof name, "%s%s", prefixes[i], call);
    if (dlsym(RTLD_DEFAULT, name) != NULL) return dlsym(RTLD_DEFAULT, name + 1);
  }
  return NULL;
}

// Of a call with large numbers that the host lacks: the call with ints, if the host has that under its own name. Else
// null.
static void* older_call(const struct Row* row) {
  char name[80];
  if (!ends(row->name, "_c") || find_function(row->name) != NULL) return NULL;
  snprintf(name, sizeof name, "PMPI_%.*s", (int)strlen(row->name) - 2, row->name);
  return dlsym(RTLD_DEFAULT, name) != NULL ? dlsym(RTLD_DEFAULT, name + 1) : NULL;
}
static int has_older_call(const struct Row* row) { return older_call(row) != NULL; }

// True for collective calls that tell apart what is sent and what is received. A change of one side alone lets a host
// wait for ever.
static int has_both_sides(const struct Row* row) {
  int types = 0;
  for (int i = 0; i < row->count; ++i) types += is(row->arguments[i].kind, "type types");
  return types > 1 && is(row->part, "collectives messages");
}

static int is_exchange(const struct Row* row) { return strstr(row->name, "endrecv") != NULL; }

// True for a large number, or a list of them, of a call that the host lacks: the older call has ints there.
static int is_large_for_ints(const struct Row* row, int i) {
  const char *name = row->arguments[i].name, *kind = row->arguments[i].kind;
  if (!has_older_call(row) || is(name, "lb extent")) return 0;
  if (is(kind, "count")) return !begins(row->name, "Type_create_hvector") || !is(name, "stride");
  return is(kind, "larges") || is(name, "disp_unit");
}

// The values of an argument that may be wrong. `mild`: none at which hosts are known to die.
static int other_values(const struct Row* row, int i, int mild, struct Value* values) {
  const char *name = row->arguments[i].name, *kind = row->arguments[i].kind;
  // If more is to be accumulated than was sent, hosts accumulate whatever lies behind it.
  const int only_bad =
      (strstr(row->name, "ccumulate") != NULL && is(name, "target_type target_count")) ||
      (has_both_sides(row) && is(name,
                                 "type types sendtype sendtypes recvtype recvtypes count counts each sendcount "
                                 "sendcounts recvcount recvcounts sendtag recvtag"));
  int n = 0;
#define ADD_VALUE(letter, with) \
  values[n++] = (struct Value) { letter, with }
  if (is(kind, "comm group type win file info errhandler op session")) {
    ADD_VALUE('h', 0);
    if (!mild) ADD_VALUE('z', 0);
    if (is(kind, "group op type")) ADD_VALUE('c', 0);
    if (is(kind, "type") && !only_bad) ADD_VALUE('c', 1);
  } else if (is(kind, "int aint count")) {
    if (is(name, ranks)) {
      if (!is_exchange(row)) ADD_VALUE('n', MPI_PROC_NULL);
      ADD_VALUE('n', own.size);
      ADD_VALUE('n', -77);
      ADD_VALUE('n', MPI_ROOT);
    } else if (is(name, tags)) {
      ADD_VALUE('n', -77);
      if (!is_exchange(row)) ADD_VALUE('n', INT_MAX);
    } else {
      if (!only_bad) ADD_VALUE('n', 0);
      ADD_VALUE('n', -1);
      if (!mild && !only_bad && !is(name, "blocklength")) ADD_VALUE('n', 1000);
    }
  } else if (is(kind, "logical")) {
    ADD_VALUE('n', 1);
  } else if (is(kind, "buf")) {
    if (!mild) ADD_VALUE('0', 0);
    ADD_VALUE('i', 0);
  } else if (is(kind, "types")) {
    if (!mild) ADD_VALUE('0', 0);
    ADD_VALUE('l', 0);
  } else if (is(kind, "ints logicals larges") || (is(kind, "ptr") && !is(name, "status requests"))) {
    if (!mild) ADD_VALUE('0', 0);
    if (!only_bad) ADD_VALUE('s', 0);
    ADD_VALUE('s', -1);
    if (!mild && !only_bad) ADD_VALUE('s', 1000);
  } else {
    if (!mild) ADD_VALUE('0', 0);
    if (is(kind, "str")) ADD_VALUE('e', 0);
    if (ends(kind, "_io") && !begins(kind, "int") && !begins(kind, "count")) ADD_VALUE('p', 0);
  }
  if (!mild && is_large_for_ints(row, i)) ADD_VALUE(is(kind, "larges") ? 'B' : 'b', 0);
  return n;
}

// Arguments that go together: sets of values for all arguments of a call.
static const char* const sets[] = {"all right", "no data, no types", "to nobody, no types", "to nobody, no data",
                                   "in place",  "received in place", "no handles"};
enum { in_place = 4, received_in_place, no_handles, set_count = sizeof sets / sizeof *sets };

static int place_of(const struct Row* row, const char* name) {
  for (int i = 0; i < row->count; ++i)
    if (strcmp(row->arguments[i].name, name) == 0) return i;
  return -1;
}

// True if an argument describes the buffer that is in place, and another argument describes the other buffer.
static int describes_in_place(const struct Row* row, int i, int set) {
  const int sent = place_of(row, "sendbuf"), received = place_of(row, "recvbuf");
  if (sent < 0 || received < sent + 2) return 0;
  return set == in_place ? i > sent && i < received : i > received;
}

static struct Value value_in_set(const struct Row* row, int i, int set) {
  const char *name = row->arguments[i].name, *kind = row->arguments[i].kind;
  const struct Value right = {'r', 0};
  const int is_number = is(name, counts), is_list = is(name, lists_of_counts);
  switch (set) {
    case 1:
    case 3:
      if (is_number || is_list) return (struct Value){is_list ? 's' : 'n', 0};
      // fall through
    case 2:
      if (is(kind, "type types")) return (struct Value){is(kind, "types") ? 'l' : 'h', 0};
      if (set != 1 && is(name, "dest source") && is(kind, "int")) return (struct Value){'n', MPI_PROC_NULL};
      return right;
    case in_place:
    case received_in_place:
      if (is(name, set == in_place ? "sendbuf" : "recvbuf")) return (struct Value){'i', 0};
      if (!describes_in_place(row, i, set)) return right;
      if (is_number || is_list) return (struct Value){is_list ? 's' : 'n', 0};
      if (is(kind, "type types")) return (struct Value){is(kind, "types") ? 'l' : 'h', 0};
      return right;
    case no_handles:
      if (is(kind, "comm group type win file info errhandler op session")) return (struct Value){'h', 0};
      if (ends(kind, "_io") && !begins(kind, "int") && !begins(kind, "count")) return (struct Value){'p', 0};
  }
  return right;
}

struct Case {
  struct Value values[most_arguments];
  char label[128];
};

// Case number `number` of a call, which begin with the sets. 0 if there are not so many.
static int find_case(const struct Row* row, int number, int mild, struct Case* made) {
  for (int i = 0; i < row->count; ++i) made->values[i] = value_in_set(row, i, number < set_count ? number : 0);
  if (number < set_count) {
    snprintf(made->label, sizeof made->label, "%s", sets[number]);
    return 1;
  }
  number -= set_count;
  for (int i = 0; i < row->count; ++i) {
    struct Value values[most_values];
    const int n = other_values(row, i, mild, values);
    if (number < n) {
      made->values[i] = values[number];
      snprintf(made->label, sizeof made->label, "%s: %c%d", row->arguments[i].name, values[number].what,
               values[number].number);
      return 1;
    }
    number -= n;
  }
  return 0;
}

// True if the answer comes from memory that does not belong to the call, which may lie anywhere, or if Marshal's is as
// right as the host's.
static int answer_is_chance(const struct Row* row, const char* label) {
  // A large buffer for few data, where the host lacks the call: Marshal's engine packs them. It knows sizes, too.
  if (is(row->name, "Pack_c Unpack_c Pack_size_c") && has_older_call(row))
    return begins(label, is(row->name, "Pack_c")     ? "outsize: b"
                         : is(row->name, "Unpack_c") ? "insize: b"
                                                     : "incount: b");
  // Hosts do not check these ranks: they read before or behind a group's processes.
  if (is(row->name, "Intercomm_create_from_groups")) return strstr(label, "_leader: n") != NULL;
  // The buffer is the host's until the call that ends this one.
  if (begins(row->name, "File_") && strstr(row->name, "_begin") != NULL) return 1;
#if defined MPICH_NUMVERSION && MPICH_NUMVERSION < 40000000
  // MPICH 3 does not check this root: who got what when the call ended is chance.
  if (is(row->name, "Ireduce Ireduce_c") && own.size > 1) return begins(label, "root: n-");
#endif
#ifdef OPEN_MPI
  // Open MPI 4 makes up the address of no memory.
  if (begins(row->name, "Win_allocate") && begins(label, "size: n0")) return 1;
  // Nor does Open MPI these.
  if (is(row->name, "Group_translate_ranks")) return begins(label, "ranks1: s-1") || begins(label, "ranks1: s1000");
  if (OMPI_MAJOR_VERSION >= 5 && begins(row->name, "Win_flush")) return begins(label, "rank: n");
  // It reads and writes anywhere where the origin's type has gaps and the target's is another.
  if (strstr(row->name, "ccumulate") != NULL) return begins(label, "type: c1") || begins(label, "origin_type: c1");
#endif
  return 0;
}
