/* Test-only preload: the host name of an emulated node without a UTS namespace is CLUSTER_HOST.
   PRRTE (Open MPI from version 5 on) tells its daemons apart by their host names. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

int uname(struct utsname *facts) {
  const int status = (int)syscall(SYS_uname, facts);
  const char *host = getenv("CLUSTER_HOST");
  if (status == 0 && host) snprintf(facts->nodename, sizeof facts->nodename, "%s", host);
  return status;
}

int gethostname(char *name, size_t size) {
  struct utsname facts;
  if (uname(&facts) != 0) return -1;
  const size_t length = strlen(facts.nodename);
  if (length >= size) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(name, facts.nodename, length + 1);
  return 0;
}
