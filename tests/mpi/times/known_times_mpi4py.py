#!/usr/bin/python3
# The report's times are those that a Python program measures by MPI.Wtime round its calls (check_times).
# cluster: nodes=2 ranks=3 times=yes needs=/usr/lib/python3/dist-packages/mpi4py
import time

import mpi4py

mpi4py.rc.initialize = mpi4py.rc.finalize = False
from mpi4py import MPI

MPI.Init()
world = MPI.COMM_WORLD
began = MPI.Wtime()
sums = {}


def timed(name, call):
    start = MPI.Wtime()
    call()
    sums[name] = sums.get(name, 0) + MPI.Wtime() - start


for i in range(5):
    time.sleep(0.02 * (world.rank + 1))
    timed("MPI_Barrier", world.Barrier)
buffer = bytearray(8)
for i in range(5):
    if world.rank > 0:
        timed("MPI_Recv", lambda: world.Recv(buffer, source=world.rank - 1))
    else:
        time.sleep(0.03)
    if world.rank < world.size - 1:
        timed("MPI_Send", lambda: world.Send(buffer, dest=world.rank + 1))
for name, seconds in sums.items():
    print(f"timed {world.rank} call {name} {seconds:.9f}")
print(f"timed {world.rank} run {MPI.Wtime() - began:.9f} {sum(sums.values()):.9f}", flush=True)
MPI.Finalize()
