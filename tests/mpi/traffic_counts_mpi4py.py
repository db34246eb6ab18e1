#!/usr/bin/python3
# Messages that a Python program sends count, by process, exactly.
# cluster: nodes=3 ranks=6 needs=/usr/lib/python3/dist-packages/mpi4py env4=OMPI_MCA_osc=pt2pt
import ctypes
import sys
from array import array

import mpi4py

mpi4py.rc.threads = False  # Open MPI 4 has one-sided communication over TCP only without threads
from mpi4py import MPI

world = MPI.COMM_WORLD
me, ranks = world.rank, world.size
following, previous = (me + 1) % ranks, (me - 1) % ranks
messages, lengths = [0] * ranks, [0] * ranks
marshal_sent = ctypes.CDLL(None).marshal_sent
wrong = 0


def sent(process, length):
    messages[process] += 1
    lengths[process] += length


def compare(part):
    global wrong
    for process in range(ranks):
        m, b = ctypes.c_ulonglong(), ctypes.c_ulonglong()
        if marshal_sent(process, ctypes.byref(m), ctypes.byref(b)) != 0:
            sys.exit("messages are not counted")
        if (m.value, b.value) != (messages[process], lengths[process]):
            print(f"rank {me} to {process} after {part}: {m.value}, {b.value}, not {messages[process]}, {lengths[process]}")
            wrong += 1


out, room = array("d", [1.0] * 100), array("d", [0.0] * 100)
got = world.Irecv(room, previous)
world.Send([out, 3, MPI.DOUBLE], following)
sent(following, 24)
got.Wait()
world.Sendrecv([out, 5, MPI.DOUBLE], previous, recvbuf=room, source=following)
sent(previous, 40)
got = world.Irecv(room, previous)
world.Isend([out, 7, MPI.INT], following).Wait()
sent(following, 28)
got.Wait()
compare("sends")

turned = world.Split(0, (me + 1) % ranks)
own = turned.rank
turned.Sendrecv([out, 2, MPI.DOUBLE], (own + 2) % ranks, recvbuf=room, source=(own - 2) % ranks)
sent((me + 2) % ranks, 16)
compare("a split communicator")
turned.Free()

send, receive = world.Send_init([out, 4, MPI.DOUBLE], following), world.Recv_init(room, previous)
for _ in range(5):
    MPI.Prequest.Startall([receive, send])
    MPI.Request.Waitall([receive, send])
    sent(following, 32)
compare("persistent sends")
send.Free()
receive.Free()

grid = world.Create_cart([ranks], periods=[True])
grid.Neighbor_alltoall([out, 2, MPI.DOUBLE], [room, 2, MPI.DOUBLE])
sent(following, 16)
sent(previous, 16)
compare("a neighbourhood collective")
grid.Free()

window = MPI.Win.Create(room, 8, comm=world)
window.Fence()
window.Put([out, 6, MPI.DOUBLE], following)
sent(following, 48)
window.Fence()
window.Free()
compare("a put")
sys.exit(wrong != 0)
