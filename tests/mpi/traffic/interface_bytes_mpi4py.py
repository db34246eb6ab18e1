#!/usr/bin/python3
# The bytes that Marshal counts between nodes are those of the nodes' network interfaces: a program in Python.
# cluster: nodes=3 ranks=6 interfaces=yes needs=/usr/lib/python3/dist-packages/mpi4py env4=OMPI_MCA_osc=pt2pt
from array import array

import mpi4py

mpi4py.rc.threads = False  # Open MPI 4 has one-sided communication over TCP only without threads
from mpi4py import MPI

doubles, rounds = 32768, 6
world = MPI.COMM_WORLD
me, ranks = world.rank, world.size
across, before_across, beside = (me + 2) % ranks, (me - 2) % ranks, me ^ 1
out, room, room_beside = array("d", bytes(16 * doubles)), array("d", bytes(16 * doubles)), array("d", bytes(8 * doubles))
half = [out, doubles, MPI.DOUBLE]
for _ in range(rounds):
    world.Sendrecv(half, across, recvbuf=room, source=before_across)
    got = [world.Irecv(room, before_across), world.Irecv(room_beside, beside)]
    sent = world.Isend(half, across)
    world.Send(half, beside)
    MPI.Request.Waitall([*got, sent])
send, receive = world.Send_init(half, across), world.Recv_init(room, before_across)
for _ in range(rounds):
    MPI.Prequest.Startall([receive, send])
    MPI.Request.Waitall([receive, send])
send.Free()
receive.Free()
graph = world.Create_dist_graph_adjacent([before_across, beside], [across, beside])
for _ in range(rounds):
    graph.Neighbor_alltoall([out, doubles, MPI.DOUBLE], [room, doubles, MPI.DOUBLE])
graph.Free()
window = MPI.Win.Create(room, 8, comm=world)
for _ in range(rounds):
    window.Fence()
    window.Put(half, across)
    window.Fence()
window.Free()
