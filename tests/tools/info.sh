#!/bin/sh
# marshal info: every setting with its value and where it came from; and the command's own help.
. "${srcdir:-.}/tests/tools/expect.sh"

printf 'CART = strips\nPACK = host\n' > "$scratch/marshal.conf"
expect 0 'MARSHAL_RANKMAP' "$marshal" info
for variable in RANKMAP CART CART_STENCIL CART_WEIGHTS CART_LEVELS CART_MIN_GAIN CART_FORCE CART_MOVE CART_TIES CART_EFFORT DIMS TOPOLOGY PACK \
                SEGMENT TUNE REPORT REPORT_FILE PROJECT CALLSITES PAPI CONFIG VERBOSE DISABLE; do
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

expect 0 'Usage: marshal COMMAND' "$marshal" --help
expect 2 'Usage: marshal COMMAND' "$marshal"
expect 0 'marshal ' "$marshal" --version
expect 2 'did you mean report?' "$marshal" rapport
expect 2 '`marshal --help` lists them' "$marshal" xyzzy
finish
