// Makes calls of wrappers/entry/calls.table in several processes at once, with the same arguments, right and wrong, and
// writes a line for each case (lines.h). On the bare host and under Marshal the lines must be the same
// (ranks_same_as_bare).
//
// rank_calls SETTING NAME LIMIT LEFT_OUT: SETTING says what the calls are made on:
//   pair    a communicator of 2 processes, and a grid of it
//   inter   an intercommunicator of 2 processes, one on either side
//   moved   a grid of 4 processes, whose ranks Marshal moved. Each process writes the lines of its rank in the grid. So
//           the lines are those of an unmoved grid.
// Process P leaves NAME.P.log. A case that ends the job, or takes more than LIMIT milliseconds, has a line that says
// so, and its number is in NAME.ended. Cases whose numbers are in the file LEFT_OUT are not made.
#define _GNU_SOURCE
#include <sys/resource.h>

#include "lines.h"
#include "lockstep.h"

enum { dims_of_moved = 2, most_spoilt = 700, most_cases = 1 << 16 };

static char setting;  // its first letter
static char left_out[most_cases];
static MPI_Comm base;  // what communicators for the cases are duplicates of
static int spoilt;     // communicators that were used up: what a failed call left behind may still lie there
static int any_moved;
static int limit;  // of a case, in milliseconds

static void make_base(void) {
  const int dims[dims_of_moved] = {processes, 1}, periods[dims_of_moved] = {1, 0};
  if (setting == 'p') MPI_Comm_dup(MPI_COMM_WORLD, &base);
  if (setting == 'i') MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - my_place, 0, &base);
  if (setting != 'm') return;
  MPI_Cart_create(MPI_COMM_WORLD, dims_of_moved, dims, periods, 0, &base);
  PMPI_Comm_rank(base, &own.rank);
  own.place = own.rank;
  const int moved = own.place != my_place;
  PMPI_Allreduce(&moved, &any_moved, 1, MPI_INT, MPI_LOR, base);
}

static void take_fresh_communicators(void) {
  const int dims[1] = {own.size}, periods[1] = {1};
  ++spoilt;
  MPI_Comm_dup(base, &own.comm);
  MPI_Comm_set_errhandler(own.comm, own.of_comms);
  own.grid = own.comm;
  if (setting != 'p') return;
  MPI_Cart_create(own.comm, 1, dims, periods, 0, &own.grid);
  MPI_Comm_set_errhandler(own.grid, own.of_comms);
}

// Whether Marshal is in front, and moved what it should.
static int is_under_marshal(void) { return marshal_knows(own.comm) && (setting != 'm' || any_moved); }

static void set_up(void) {
  PMPI_Comm_rank(MPI_COMM_WORLD, &own.rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &own.size);
  own.place = own.rank;
  make_objects();
  make_base();
  if (setting == 'i') {
    own.root = own.rank == 0 ? MPI_ROOT : 0;
    own.rank = 0;  // there, and here
    own.size = 1;
  }
}

// True for calls that calls.c alone tries: with several processes it is chance what they find of each other.
static int is_tried_alone(const struct Row* row) {
  static const char* const beginnings[] = {"Recv",   "Precv",   "Irecv", "Mrecv", "Imrecv", "Probe",      "Iprobe",
                                           "Mprobe", "Improbe", "Wait",  "Test",  "Win_",   "Request_get"};
  if (is(row->part, "files")) return 1;
  for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; ++i)
    if (is(row->part, "messages requests one_sided") && begins(row->name, beginnings[i])) return 1;
  return 0;
}

// Which calls are made: those to which other processes matter.
static int is_chosen(const struct Row* row) {
  // calls.c makes those that the host lacks: here each fault of the host's older call would end two jobs.
  if (is_tried_alone(row) || find_function(row->name) == NULL) return 0;
  // Groups that overlap and numbers of files that are no sockets are no errors that hosts find.
  static const char endless[] = "Intercomm_create_from_groups Comm_join";
  if (is(row->name, never_made) || is(row->name, endless)) return 0;
  if (setting == 'i')
    return is(row->part, "communicators groups messages requests collectives") &&
           !is(row->name, "Comm_create_group Comm_split_type") && strstr(row->name, "can") == NULL;  // hosts die
  // Where Marshal would put processes is its own answer.
  if (setting == 'm')
    return is(row->part, "communicators topologies neighbours") && !is(row->name, "Cart_map Graph_map Intercomm_merge");
  return !is(row->part, "life_cycle datatypes operations_and_keyvals packing") && !is(row->name, "Intercomm_merge");
}

// In place is right at the root alone.
static int is_roots_alone(const struct Row* row, int number) {
  return place_of(row, "root") >= 0 && is(row->part, "collectives") &&
         (number == in_place || number == received_in_place);
}

static int find_case_of_ranks(const struct Row* row, int number, struct Case* given) {
  if (!find_case(row, number, 1, given)) return 0;
  if (is_roots_alone(row, number) && own.place != 0) {
    char label[sizeof given->label];
    memcpy(label, given->label, sizeof label);
    find_case(row, 0, 1, given);
    memcpy(given->label, label, sizeof label);
  }
  return 1;
}

static int is_as_before(const struct Row* row, int number, const struct Case* given) {
  while (number-- > 0) {
    struct Case before;
    find_case(row, number, 1, &before);
    int same = 1;
    for (int i = 0; i < row->count; ++i)
      same &= before.values[i].what == given->values[i].what && before.values[i].number == given->values[i].number;
    if (same) return 1;
  }
  return 0;
}

// MPICH 4.0 dies where these calls have no partner.
static int is_partner_asked(const struct Row* row) {
  return begins(row->name, "Isendrecv") || is(row->name, "Psend_init");
}

static int is_wanted_set(const struct Row* row, int number) {
  const int scatters = strstr(row->name, "catter") != NULL && place_of(row, "root") >= 0;
  if (number == no_handles) return 0;
  if (number == in_place) return setting != 'i' && is(row->part, "collectives") && !scatters;
  if (number == received_in_place) return setting != 'i' && scatters;
  if (strstr(row->name, "cast") != NULL || is_partner_asked(row)) return number == 0;
  return 1;
}

// True if a case needs other processes, and hosts come to its end. Cases that one process can try are left to calls.c:
// wrong pointers, no handles, and the like. A case does not end where the root alone fails and others wait for it, or
// where all are the root.
static int is_wanted(const struct Row* row, int number) {
  struct Case given;
  find_case(row, number, 1, &given);
  if (is_as_before(row, number, &given) || answer_is_chance(row, given.label)) return 0;
  if (number < set_count) return is_wanted_set(row, number);
  int i = 0;
  while (given.values[i].what == 'r') ++i;
  const char *name = row->arguments[i].name, *kind = row->arguments[i].kind;
  const struct Value value = given.values[i];
  if (is(row->part, "one_sided")) return is(name, "dest");
  // A process that receives less than was sent learns of it in more than one way.
  if (is(row->part, "neighbours")) return value.what == 'h' && is(kind, "type");
  if (is(row->part, "collectives")) {
    if (is(name, "root") && setting == 'i') return 0;
    if (begins(row->name, "Scatter") && begins(name, "send")) return 0;
    if (begins(row->name, "Gather") && setting == 'i' && is(kind, "type")) return 0;
    if (is(name, counts) && value.number < 0) return 0;
  }
  if (setting == 'm' && begins(row->name, "Cart_") && value.what == 's') return 1;
  if (is_partner_asked(row) && value.number != -77) return 0;
  return value.what == 'n' || (value.what == 'c' && value.number == 1) || (value.what == 'h' && is(kind, "type op"));
}

// True if data that was sent before an error was found may still lie there.
static int is_spoilt(void) {
  int classes_differ = 0;
  for (int p = 1; p < processes; ++p) classes_differ |= together->classes[p] != together->classes[0];
  const int class = together->classes[0];
  return classes_differ || class == MPI_ERR_TRUNCATE || class == MPI_ERR_OTHER || class == MPI_ERR_INTERN ||
         class == MPI_ERR_UNKNOWN;
}

static void run_in_lockstep(int position, const struct Row* row, const struct Case* given) {
  // Open MPI 4.1 sends the edges with the tag of the 23rd nonblocking collective of the communicator, and can hang
  // there.
  if (begins(row->name, "Dist_graph_create")) take_fresh_communicators();
  meet_in_memory();
  together->running = position;
  together->doing[my_place] = makes_call;
  limit_case(limit);
  run_case(row, given);
  if (is_spoilt()) take_fresh_communicators();
}

static void write_end(const struct Lockstep* found) {
  fprintf(log_file, " the job ends of signal %d;", (int)found->signal);
  for (int p = 0; p < processes; ++p) fprintf(log_file, " process %d %s", p, doings[found->doing[p]]);
  fprintf(log_file, "\n");
}

// The line comes to be in memory, and is written when all are through.
static void write_line(int id, int position, const struct Lockstep* found, const struct Row* row,
                       const struct Case* given, const char* handler) {
  FILE* const file = log_file;
  char* line = NULL;
  size_t bytes = 0;
  log_file = open_memstream(&line, &bytes);
  fprintf(log_file, "%s (%s, %s, process %d):", row->name, given->label, handler, own.place);
  if (position == found->running)
    write_end(found);
  else if (left_out[id])
    fprintf(log_file, " left out\n");
  else
    run_in_lockstep(position, row, given);
  fclose(log_file);
  log_file = file;
  meet_in_memory();
  together->running = no_case;
  together->next = position + 1;
  fputs(line, log_file);
  fflush(log_file);
  free(line);
}

// Goes through the cases behind those of the last job. Their numbers are the same in every run on a host.
static void go_through_cases(const struct Lockstep* found) {
  static const char* const handlers[] = {"return", "count"};
  const int begin = found->running == no_case ? found->next : found->running;
  for (int h = 0; h < 2; ++h) {
    int id = no_case;
    choose_handlers(handlers[h]);
    MPI_Win_set_errhandler(own.window, own.of_windows);
    take_fresh_communicators();
    for (int row = 0; row < row_count; ++row) {
      struct Case given;
      for (int number = 0; is_chosen(&rows[row]) && find_case_of_ranks(&rows[row], number, &given); ++number) {
        if (!is_wanted(&rows[row], number) || ++id + h * most_cases < begin) continue;
        write_line(id, id + h * most_cases, found, &rows[row], &given, handlers[h]);
        if (spoilt >= most_spoilt) return;
      }
    }
  }
  fprintf(log_file, "all done\n");
}

// The numbers of cases in a file.
static void read_left_out(const char* file) {
  FILE* const numbers = fopen(file, "r");
  for (int id; numbers != NULL && fscanf(numbers, "%d", &id) == 1;)
    if (id >= 0 && id < most_cases) left_out[id] = 1;
  if (numbers != NULL) fclose(numbers);
}

static void note_ended(const char* name, int id) {
  char path[256];
  snprintf(path, sizeof path, "%s.ended", name);
  FILE* const ended = fopen(path, "a");
  fprintf(ended, "%d\n", id);
  fclose(ended);
}

int main(int argc, char** argv) {
  struct Lockstep found;
  char path[256];
  if (argc != 5) return 2;
  setting = argv[1][0];
  limit = atoi(argv[3]);
  read_left_out(argv[4]);
  snprintf(path, sizeof path, "%s.ended", argv[2]);
  read_left_out(path);
  MPI_Init(NULL, NULL);
  snprintf(path, sizeof path, "%s.lockstep", argv[2]);
  join_lockstep(path, &found);
  left_out[found.running % most_cases] = 1;
  if (my_place == 0 && found.running != no_case) note_ended(argv[2], found.running % most_cases);
  choose_handlers("return");
  set_up();
  snprintf(path, sizeof path, "%s.%d.log", argv[2], own.place);
  log_file = fopen(path, "a");
  if (getenv("LD_PRELOAD") != NULL && strstr(getenv("LD_PRELOAD"), "marshal") != NULL && !is_under_marshal()) return 3;
  warm_up();
  meet = meet_in_memory;
  tell_class = share_class;
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  go_through_cases(&found);
  fclose(log_file);
  limit_case(0);
  meet_in_memory();
  _exit(0);
}
