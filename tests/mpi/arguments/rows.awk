# Reads the rows of wrappers/entry/calls.table, as entries.py writes them, and writes each as an element of a C array: {"Send", "messages", 6, {{"buf", "buf"}, …}},
/^\[[a-z_]+\]$/ { part = substr($1, 2, length($1) - 2); next }
{
  list = ""
  for (i = 4; i <= NF; i++) {
    split($i, a, ":")
    if (a[2] ~ /^(peers|members|sources|destinations|parts)$/) a[2] = "larges"
    list = list (i > 4 ? ", " : "") "{\"" a[1] "\", \"" a[2] "\"}"
  }
  print "{\"" $1 "\", \"" part "\", " NF - 3 ", {" (list == "" ? "{0, 0}" : list) "}},"
}
