#!/usr/bin/python3
# Requests of gapped buffers end in a Python program as on the bare host: mpi4py returns errors as exceptions.
# cluster: nodes=1 ranks=2 compare=lines needs=/usr/lib/python3/dist-packages/mpi4py env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD.Dup()
me, other = world.rank, 1 - world.rank
vector = MPI.DOUBLE.Create_vector(300, 2, 5).Commit()
lines = []


def say(*words):
    lines.append(" ".join(str(word) for word in (me, *words)))


def fields(status, kind):
    return status.source, status.tag, status.Get_count(kind), status.Get_elements(kind), status.cancelled


for turn in range(20):
    out = array("d", [turn + me + 0.25 * i for i in range(1600)])
    rooms = [array("d", [-1.0] * 1600) for _ in range(3)]
    requests = [world.Irecv([room, 1, vector], MPI.ANY_SOURCE, tag) for tag, room in enumerate(rooms)]
    world.Barrier()
    too_long = turn % 5 == 4
    requests += [world.Isend([out, 700, MPI.DOUBLE] if too_long and tag == 1 else [out, 1, vector], other, tag) for tag in range(3)]
    statuses = [MPI.Status() for _ in requests]
    if too_long:
        for number, request in enumerate(requests):
            try:
                request.Wait(statuses[number])
            except MPI.Exception as error:
                say(turn, "wait of", number, MPI.Get_error_string(error.Get_error_class()))
                rooms[number] = array("d", [0.0])
    elif turn % 5 == 0:
        MPI.Request.Waitall(requests, statuses)
    elif turn % 5 == 1:
        while not MPI.Request.Testall(requests, statuses):
            pass
    elif turn % 5 == 2:
        for _ in requests:
            status = MPI.Status()
            statuses[MPI.Request.Waitany(requests, status)] = status
    else:
        for number, request in enumerate(requests):
            while not request.Test(statuses[number]):
                pass
    for number in range(3):
        say(turn, number, *fields(statuses[number], vector), sum(rooms[number]))
    request = world.Irecv([rooms[0], 1, vector], other, 77)
    request.Cancel()
    status = MPI.Status()
    request.Wait(status)
    say(turn, "cancelled", status.Is_cancelled())
    world.Barrier()
vector.Free()
print("\n".join(lines), flush=True)
