/* SPANK plugin of Slurm: puts Marshal in front of the tasks that srun starts; marshal(7), "Slurm", tells users of it. A
   line of plugstack.conf:

     optional /usr/local/lib/marshal/spank_marshal.so [default=off|observe|safe|full] [library=/path/libmarshal.so]

   The default default is full. It sets no MARSHAL_MODE then, so that settings of users and sites hold; the other words
   set it where the user has not. A word of "srun --marshal=WORD" always sets it. Slurm gives steps the word of sbatch
   and salloc, and each srun may have one of its own. Batch scripts, shells of salloc and extern steps stay as they are:
   their programs start ranks by srun, or by launchers that the user puts Marshal in front of. What the user preloads
   stays behind Marshal; if Marshal is in there, all stays as it is, except that --marshal=off takes it out. */
#include <slurm/spank.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

SPANK_PLUGIN(marshal, 1)

enum { off, observe, safe, full, modes, none = -1 };
static const char* const words[modes] = {"off", "observe", "safe", "full"};
#define CHOICES "off, observe, safe or full"

static const char* library = MARSHAL_PRELOAD;
static int default_mode = full, asked_mode = none;
static int has_tasks, has_library; /* this step; this node */

static int mode_of(const char* word) {
  int mode = modes - 1;
  while (mode >= 0 && strcmp(word, words[mode]) != 0) mode--;
  return mode; /* none, if it is no word of ours */
}

static int choose(int value, const char* word, int remote) {
  (void)value, (void)remote;
  asked_mode = mode_of(word);
  if (asked_mode == none) slurm_spank_log("marshal: --marshal=%s: choose " CHOICES, word);
  return asked_mode == none ? -1 : 0;
}

/* In each context: srun, salloc and sbatch know the option from then on, and slurmstepd hears of it. */
int slurm_spank_init(spank_t spank, int count, char** arguments) {
  static struct spank_option option = {
      "marshal", "off|observe|safe|full", "what Marshal may do in front of the program's MPI", 1, 0, choose};
  for (int i = 0; i < count; i++) {
    if (strncmp(arguments[i], "library=", strlen("library=")) == 0) {
      library = arguments[i] + strlen("library=");
    } else if (strncmp(arguments[i], "default=", strlen("default=")) == 0 &&
               mode_of(arguments[i] + strlen("default=")) != none) {
      default_mode = mode_of(arguments[i] + strlen("default="));
    } else {
      slurm_error("marshal: plugstack.conf: %s: default= with " CHOICES ", or library=PATH", arguments[i]);
      return -1;
    }
  }
  return spank_option_register(spank, &option) == ESPANK_SUCCESS ? 0 : -1;
}

/* In slurmstepd, once a step, with the user's rights. */
int slurm_spank_user_init(spank_t spank, int count, char** arguments) {
  (void)count, (void)arguments;
  const uint32_t first_without_tasks = 0xfffffff0u; /* batch scripts, interactive and extern steps */
  uint32_t step;
  has_tasks = spank_get_item(spank, S_JOB_STEPID, &step) == ESPANK_SUCCESS && step < first_without_tasks;
  has_library = access(library, R_OK) == 0;
  if (has_tasks && !has_library) slurm_info("marshal: %s is not on this node: LD_PRELOAD stays as it is", library);
  return 0;
}

static int is_marshal(const char* path) {
  const char* slash = strrchr(path, '/');
  return strncmp(slash ? slash + 1 : path, "libmarshal", strlen("libmarshal")) == 0;
}

/* Writes the entries of a list as in LD_PRELOAD to `rest`, without Marshal's; returns whether it had any. Cuts `list`
 * up. */
static int without_marshal(char* list, char* rest) {
  int found = 0;
  *rest = '\0';
  for (char *next, *entry = strtok_r(list, ": ", &next); entry; entry = strtok_r(NULL, ": ", &next)) {
    if (is_marshal(entry)) {
      found = 1;
      continue;
    }
    if (*rest) strcat(rest, ":");
    strcat(rest, entry);
  }
  return found;
}

/* In the task, before it becomes the program. */
int slurm_spank_task_init(spank_t spank, int count, char** arguments) {
  (void)count, (void)arguments;
  enum { longest_list = 1 << 16 };
  static char list[longest_list], rest[longest_list], all[longest_list];
  if (!has_tasks) return 0;
  const int mode = asked_mode == none ? default_mode : asked_mode;
  if (spank_getenv(spank, "LD_PRELOAD", list, sizeof list) != ESPANK_SUCCESS) *list = '\0';
  const int there = without_marshal(list, rest);
  if (mode == off) {
    if (there && asked_mode == off) spank_setenv(spank, "LD_PRELOAD", rest, 1);
    return 0;
  }
  if (asked_mode != none || mode != full) spank_setenv(spank, "MARSHAL_MODE", words[mode], asked_mode != none);
  if (there || !has_library) return 0;
  snprintf(all, sizeof all, "%s%s%s", library, *rest ? ":" : "", rest);
  spank_setenv(spank, "LD_PRELOAD", all, 1);
  return 0;
}
