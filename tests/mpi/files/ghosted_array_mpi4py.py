#!/usr/bin/python3
# The inside of a ghosted array goes to a file whose rows the ranks share, and back, by mpi4py.
# cluster: nodes=1 ranks=3 needs=/usr/lib/python3/dist-packages/mpi4py env=MARSHAL_FILES=on
import os
import sys
from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
me, ranks = world.rank, world.size
rows, columns = 40, 60
wide = columns + 2
inside = MPI.DOUBLE.Create_subarray([rows + 2, wide], [rows, columns], [1, 1]).Commit()
row = MPI.DOUBLE.Create_contiguous(columns)
interleaved = row.Create_resized(0, 8 * columns * ranks).Commit()
name = world.bcast(f"ghosted_array_mpi4py.{os.getpid()}.tmp")
file = MPI.File.Open(world, name, MPI.MODE_CREATE | MPI.MODE_RDWR | MPI.MODE_DELETE_ON_CLOSE)
file.Set_view(8 * columns * me, MPI.DOUBLE, interleaved)
status = MPI.Status()
wrong = 0


def note(what):
    global wrong
    print(f"rank {me}: {what}")
    wrong += 1


def write_and_read(turn, what, write, read):
    out = array("d", (turn + 10.0 * me + 1000.0 * i for i in range((rows + 2) * wide)))
    back = array("d", [-1.0] * len(out))
    file.Seek(0)
    write([out, 1, inside])
    file.Seek(0)
    world.Barrier()
    read([back, 1, inside])
    if (status.Get_count(inside), status.Get_elements(inside)) != (1, rows * columns):
        note(f"{what}: {status.Get_count(inside)} instances, {status.Get_elements(inside)} elements")
    for i, value in enumerate(back):
        ghost = i // wide in (0, rows + 1) or i % wide in (0, wide - 1)
        if value != (-1.0 if ghost else out[i]):
            note(f"{what}: element {i} is {value}")
            return


def split(begin, end):
    return lambda buffer: (begin(buffer), end(buffer, status))


write_and_read(1, "Write", file.Write, lambda b: file.Read(b, status))
write_and_read(2, "Write_all", file.Write_all, lambda b: file.Read_all(b, status))
write_and_read(3, "Write_at", lambda b: file.Write_at(0, b), lambda b: file.Read_at_all(0, b, status))
write_and_read(4, "Write_all_begin", split(file.Write_all_begin, file.Write_all_end), split(file.Read_all_begin, file.Read_all_end))
write_and_read(5, "Iwrite", lambda b: file.Iwrite(b).Wait(), lambda b: file.Iread(b).Wait(status))
file.Close()
for kind in (inside, row, interleaved):
    kind.Free()
sys.exit(wrong != 0)
