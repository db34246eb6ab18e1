/* Passes for a family's library of another version of Marshal. */
static const struct {
  const char* version;
  unsigned long count;
} side = {"0.0.1", 0};
const void* marshal_join(const void* door) { return (void)door, &side; }
