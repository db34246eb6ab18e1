#!/bin/sh
# marshal info: every setting with its value and where it came from; and the command's own help.
. "${srcdir:-.}/tests/tools/expect.sh"

printf 'CART = strips\nPACK = host\n' > "$scratch/marshal.conf"
expect 0 'MARSHAL_RANKMAP' "$marshal" info
for variable in RANKMAP CART CART_STENCIL CART_WEIGHTS CART_LEVELS CART_MOVE DIMS TOPOLOGY PACK \
                SEGMENT TUNE REPORT REPORT_FILE CALLSITES PAPI CONFIG VERBOSE DISABLE; do
  case $out in
    *"MARSHAL_$variable "*) ;;
    *) wrong "MARSHAL_$variable is not listed" ;;
  esac
done
case $out in *SELF_CHECK*) wrong 'the hidden setting is listed' ;; esac

in_json () {  # in_json VARIABLE VALUE SOURCE, from the environment that is set
  expect 0 '"marshal_version"' "$marshal" info --json
  printf '%s' "$out" | tr -d '\n' | grep -q "\"variable\": \"$1\"[^}]*\"value\": \"$2\"[^}]*\"source\": \"$3\"" && return
  wrong "$1 is not $2 from $3"
}
in_json MARSHAL_CART best default
export MARSHAL_CONFIG="$scratch/marshal.conf" MARSHAL_PACK=mars
in_json MARSHAL_CART strips file
in_json MARSHAL_PACK mars environment
export MARSHAL_COMMAND_LINE=MARSHAL_PACK
in_json MARSHAL_PACK mars 'command line'
expect 0 "$scratch/marshal.conf:1" "$marshal" info
expect 0 "did you mean MARSHAL_CART?" env MARSHAL_KART=off "$marshal" info
expect 0 "MARSHAL_CART='of' (environment) is not used: it is none of its choices; choices: nodecart," env MARSHAL_CART=of "$marshal" info

# The state of messages that an MPI program under Marshal finds.
unset MARSHAL_CONFIG MARSHAL_PACK MARSHAL_COMMAND_LINE
messages_are () {  # messages_are HOST-NAME TEXT NAME=VALUE…
  host_name=$1 wanted=$2
  shift 2
  expect 0 'MARSHAL_RANKMAP' env "$@" "$marshal" info
  printf '%s\n' "$out" | grep -q "^  datatypes in messages, $host_name.*: $wanted" || wrong "of messages on $host_name ($*) not $wanted: $out"
}
if [ -x tools/marshal-overhead-openmpi ]; then
  messages_are 'Open MPI [4-9]' "moved by Marshal's engine" A=b
  messages_are 'Open MPI [4-9]' 'left to the MPI library (MARSHAL_MESSAGES=off)' MARSHAL_MESSAGES=off
  messages_are 'Open MPI [4-9]' "moved by Marshal's engine" MARSHAL_MESSAGES=of
  case $out in *"MARSHAL_MESSAGES='of' (environment) is not used: it is none of its choices; choices: auto, on, pipeline, calls, off"*) ;; *) wrong "no word of MARSHAL_MESSAGES=of: $out" ;; esac
fi
if [ -x tools/marshal-overhead-mpich ]; then
  messages_are 'MPICH [3-9]' 'left to the MPI library (MARSHAL_MESSAGES=off)' MARSHAL_MESSAGES=off
fi
expect 0 '"messages": {}' "$marshal" info --json --quick

expect 0 'Usage: marshal COMMAND' "$marshal" --help
expect 2 'Usage: marshal COMMAND' "$marshal"
expect 0 'marshal ' "$marshal" --version
expect 2 'did you mean report?' "$marshal" rapport
expect 2 '`marshal --help` lists them' "$marshal" xyzzy
finish
