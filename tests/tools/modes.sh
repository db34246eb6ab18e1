#!/bin/sh
# What the report says under MARSHAL_MODE and where a process could open a GPU: which setting was made by what, and plainly what it does not know.
. "${srcdir:-.}/tests/tools/expect.sh"
cat > "$scratch/app.c" <<'END'
#include <mpi.h>
int main(int argc, char** argv) {
  int rank, dims[] = {2, 4}, periods[] = {0, 0}, in = 0;
  char buffer[64] = "";
  MPI_Comm half, grid, twin;
  MPI_Datatype four;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_split(MPI_COMM_WORLD, rank / 4, 0, &half);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
  MPI_Type_contiguous(4, MPI_INT, &four);
  MPI_Type_commit(&four);
  MPI_Sendrecv(buffer, 10, MPI_CHAR, rank ^ 1, 0, buffer + 10, 10, MPI_CHAR, rank ^ 1, 0, twin, MPI_STATUS_IGNORE);
  MPI_Sendrecv(buffer, 3, MPI_INT, (rank % 4) ^ 1, 0, buffer + 16, 3, MPI_INT, (rank % 4) ^ 1, 0, half, MPI_STATUS_IGNORE);
  MPI_Sendrecv(buffer, 1, four, rank ^ 1, 0, buffer + 16, 1, four, rank ^ 1, 0, twin, MPI_STATUS_IGNORE);
  MPI_Allreduce(&rank, &in, 1, MPI_INT, MPI_SUM, half);
  MPI_Type_free(&four);
  MPI_Comm_free(&twin);
  MPI_Comm_free(&half);
  MPI_Comm_free(&grid);
  return MPI_Finalize();
}
END
mkdir "$scratch/none" "$scratch/gpus" && : > "$scratch/gpus/nvidia0"

# run_with DEVICES TEXT VARIABLE=VALUE…: the report holds TEXT; it stays in $out, its JSON in app.json.
run_with () {
  devices=$1 text=$2 words=
  shift 2
  for variable in "$@"; do words="$words --env $variable"; done
  rm -f "$scratch/app.json"
  # shellcheck disable=SC2086
  expect 0 "$text" "$source/tools/cluster/run" --host $host --nodes 2 --ranks 8 --preload "$build/libmarshal.so" --env MARSHAL_PROFILE="$scratch/profiles" \
    --env MARSHAL_REPORT=details,json --env MARSHAL_CART_WEIGHTS=equal --env MARSHAL_REPORT_FILE="$scratch/app" --env MARSHAL_DEVICES="$scratch/$devices" $words -- "$scratch/app"
}
# is_in_json TEXT.
is_in_json () { tr -d ' \n' < "$scratch/app.json" | grep -q -F "$(printf %s "$1" | tr -d ' ')" || wrong "on $host the JSON has no $1"; }

needs_mpi
for host in $hosts; do
  compilers_of $host
  $compiler -g -o "$scratch/app" "$scratch/app.c" || exit 99

  run_with none 'MARSHAL_CART=off (MARSHAL_MODE=observe)' MARSHAL_MODE=observe
  holds 'MARSHAL_MODE=observe (environment)'
  holds 'Traffic: 16 messages sent, 80 B'
  holds '8 more, 96 B, to processes that are not known'
  holds 'the bytes of 8 of these messages and of the collectives are not known'
  holds 'others whose processes are not known (16 memberships)'
  is_in_json '"unknown_messages":8,"unknown_bytes":96,"unsized":8'
  is_in_json '"MPI_Allreduce":{"calls":8,"bytes":32'
  case $out in *'nothing to gain'*'grid'*) wrong 'nothing is known of a gain' ;; esac

  # Beside the mode in the environment a setting wins; the site's file and a weaker source do not.
  echo 'cart = best' > "$scratch/weak.conf"
  run_with none 'MARSHAL_CART=off (MARSHAL_MODE=observe)' MARSHAL_MODE=observe MARSHAL_CONFIG="$scratch/weak.conf"
  run_with none 'MARSHAL_CART=best (environment)' MARSHAL_MODE=observe MARSHAL_CART=best
  run_with none 'MARSHAL_CART=report (MARSHAL_MODE=safe)' MARSHAL_MODE=safe
  holds 'MARSHAL_CART=best moves the processes.'
  is_in_json 'MARSHAL_MODE=safe: what would have been'

  run_with gpus 'a process of the job could open a GPU' MARSHAL_VERBOSE=1
  holds 'MARSHAL_CART=best or MARSHAL_CART_MOVE=ranks'
  is_in_json '"moved_ranks":0'
  run_with none 'ranks of the 2x4 grid' MARSHAL_VERBOSE=1
  case $out in *GPU*) wrong 'a GPU where there is none' ;; esac
done
finish
