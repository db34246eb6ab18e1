# Makes the functions of a recorder (recorder.h) from mpi.h, as the C preprocessor gives it (mpicc -E -P): for each call of MPI that returns a code
# one function, under its MPI_ and its PMPI_ name. It writes what the call was given, calls the host, and writes what that answered.
# Calls that return no code (times, sums of addresses, conversions of handles) are left out: they ask and change nothing.

BEGIN {
  split("Comm Group Datatype Win File Request Info Errhandler Op Session Message", list)
  for (i in list) is_handle["MPI_" list[i]] = 1
  # Arrays that a call reads or writes, and the argument that says how long they are.
  contents = " Cart_create:dims:ndims Cart_create:periods:ndims Cart_map:dims:ndims Cart_map:periods:ndims Dims_create:dims:ndims" \
    " Group_incl:ranks:n Group_excl:ranks:n Group_translate_ranks:ranks1:n Group_translate_ranks:ranks2:n Cart_coords:coords:maxdims" \
    " Cart_get:dims:maxdims Cart_get:coords:maxdims "
  print "#include <mpi.h>\n#include \"tests/mpi/observe/recorder.h\"\n"
}

{ text = text " " $0 }

END {
  gsub(/[ \t]+/, " ", text)
  count = split(text, declarations, ";")
  for (d = 1; d <= count; d++)
    if (match(declarations[d], /(^|[ )])int MPI_[A-Z][A-Za-z0-9_]* ?\(/)) declare(substr(declarations[d], RSTART))
}

function declare(text,   name, i, depth, c, n, parts, begin) {
  sub(/^[ )]*int MPI_/, "", text)
  name = text
  sub(/ ?\(.*/, "", name)
  if (name ~ /^T_|^Pcontrol$|_c2f$|_f2c$/ || name in seen) return
  seen[name] = 1
  # The arguments, up to the bracket that closes them.
  text = substr(text, index(text, "(") + 1)
  n = depth = 0
  begin = 1
  for (i = 1; i <= length(text) && depth >= 0; i++) {
    c = substr(text, i, 1)
    if (c == "(") depth++
    if (c == ")") depth--
    if (depth < 0 || (c == "," && depth == 0)) {
      parts[++n] = substr(text, begin, i - begin)
      begin = i + 1
    }
  }
  if (n == 1 && parts[1] ~ /^ *(void)? *$/) n = 0
  write_function(name, parts, n)
}

# type[i], word[i] (the argument's name) and is_array[i].
function read_parameter(i, text) {
  gsub(/^ +| +$/, "", text)
  is_function[i] = text ~ /\(\*/ || text ~ /_(function|fn|func) ?\*/
  is_array[i] = sub(/ ?\[.*$/, "", text)
  word[i] = text
  sub(/^.*[ *]/, "", word[i])
  type[i] = substr(text, 1, length(text) - length(word[i]))
  gsub(/^ +| +$/, "", type[i])
  gsub(/ ?\* ?/, "*", type[i])
  full[i] = type[i] (is_array[i] ? "*" : "")
}

function write_function(name, parts, n,   i, list, words, base, before, after, ends, number) {
  before = after = ends = ""
  for (i = 1; i <= n; i++) {
    read_parameter(i, parts[i])
    list = list (i > 1 ? "," : "") parts[i]
    words = words (i > 1 ? ", " : "") word[i]
  }
  for (i = 1; i <= n; i++) {
    base = type[i]
    gsub(/const |\*| const/, "", base)
    number = length_of(name, word[i])
    if (word[i] == "fd") continue  # the system's number of a file
    if (word[i] == "errorcode" && full[i] !~ /\*/) {
      before = before "  put_code(errorcode);\n"
      continue
    }
    if (is_function[i]) before = before "  put_address((void*)" word[i] ");\n"
    else if (base == "MPI_Status") continue
    else if (base in is_handle && full[i] == base) before = before "  put_handle(\"" base "\", KEY(" word[i] "));\n"
    else if (base == "MPI_Request" && is_array[i]) {
      before = before "  for (int i = 0; " word[i] " && i < " requests(name) "; i++) put_given(\"" base "\", KEY(" word[i] "[i]));\n"
      ends = ends "  for (int i = 0; " word[i] " && i < " requests(name) "; i++) put_end(\"" base "\", i, KEY(" word[i] "[i]));\n"
    } else if (base in is_handle && full[i] == base "*") {
      if (changes(name)) {
        before = before "  if (" word[i] ") put_given(\"" base "\", KEY(*" word[i] "));\n"
        ends = ends "  if (" word[i] ") put_end(\"" base "\", 0, KEY(*" word[i] "));\n"
      } else {
        after = after "  if (" word[i] ") put_handle(\"" base "\", KEY(*" word[i] "));\n"
      }
    } else if (number != "" && type[i] ~ /const/) before = before "  put_numbers(" word[i] ", " number ");\n"
    else if (number != "") after = after "  put_numbers(" word[i] ", " number ");\n"
    else if (base ~ /^(int|MPI_Aint|MPI_Count|MPI_Offset)$/ && full[i] !~ /\*/) before = before "  put_number(" word[i] ");\n"
    else if (base ~ /^(int|MPI_Aint|MPI_Count|MPI_Offset)$/ && full[i] == base "*" && !is_array[i]) {
      if (word[i] == "position") before = before "  put_number_at(" word[i] ");\n"
      after = after "  if (" word[i] ") put_number((long long)*" word[i] ");\n"
    } else if (base == "void" && full[i] ~ /^(const )?void\*$/) before = before "  put_address(" word[i] ");\n"
  }
  print "int PMPI_" name "(" (n ? list : "void") ") {"
  print "  static int (*host)(" (n ? list : "void") ");"
  print "  if (!host) host = find_host(\"PMPI_" name "\");"
  print "  if (recorder_is_apart()) return host(" words ");"
  print "  begin_line(\"MPI_" name "\");"
  printf "%s", before
  print "  suspend_line();"
  print "  const int code = host(" words ");"
  print "  resume_line(code);"
  if (after != "") print "  if (code == MPI_SUCCESS) {\n" after "  }"
  printf "%s", ends
  print "  end_line(" (is_poll(name) ? "code != MPI_SUCCESS || *flag" : "1") ");"
  print "  return code;\n}"
  print "int MPI_" name "(" (n ? list : "void") ") __attribute__((alias(\"PMPI_" name "\")));\n"
}

# A handle that the call is given and may change.
function changes(name) {
  return name ~ /_(free|disconnect|close|commit|finalize|delete)$/ || name ~ /^(Wait|Test|Start|Cancel|Mrecv|Imrecv)/
}
function requests(name) { return name ~ /some$/ ? "incount" : "count" }
function is_poll(name) { return name ~ /^(Test|Testall|Testany|Iprobe|Improbe|Request_get_status)$/ }
function length_of(name, argument,   at, rest) {
  at = index(contents, " " name ":" argument ":")
  if (at == 0) return ""
  rest = substr(contents, at + length(name) + length(argument) + 3)
  return substr(rest, 1, index(rest, " ") - 1)
}
