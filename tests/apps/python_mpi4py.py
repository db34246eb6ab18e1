#!/usr/bin/python3
# A Python program: the MPI library comes by dlopen, and all of MPI-3's communicators with it.
# cluster: nodes=4 ranks=8 needs=/usr/lib/python3/dist-packages/mpi4py env=MARSHAL_SELF_CHECK=on
# cluster: nodes=2 ranks=4 under=run needs=/usr/lib/python3/dist-packages/mpi4py
from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
me, ranks = world.rank, world.size


def show(name, comm):
    if comm == MPI.COMM_NULL:
        print(f"{name}: world rank {me} is not in it")
        return
    members = MPI.Group.Translate_ranks(comm.group, list(range(comm.group.size)), world.group)
    print(f"{name}: world rank {me} is {comm.rank} of {comm.size}: {members} {comm.allgather(me)}")
    if comm not in (world, MPI.COMM_SELF):
        comm.Free()


show("world", world)
show("self", MPI.COMM_SELF)
show("dup", world.Dup())
copy, request = world.Idup()
request.Wait()
show("idup", copy)
show("split", world.Split(me % 2, -me))
show("split without some", world.Split(MPI.UNDEFINED if me == 1 else 0, me))
show("split_type", world.Split_type(MPI.COMM_TYPE_SHARED))
odd = world.group.Incl([rank for rank in range(ranks) if rank % 2])
show("create", world.Create(odd))
if me % 2:
    show("create_group", world.Create_group(odd, 4))
grid = world.Create_cart(MPI.Compute_dims(ranks, 2), periods=[True, False], reorder=False)
print(f"cart: world rank {me} at {grid.coords} of {grid.dims}, {grid.Shift(0, 1)}")
show("cart_sub", grid.Sub([False, True]))
show("cart_create", grid)
show("dist_graph", world.Create_dist_graph_adjacent([(me - 1) % ranks], [(me + 1) % ranks]))
half = world.Split(me % 2, me)
across = half.Create_intercomm(0, world, 1 - me % 2, 3)
show("merge", across.Merge(me % 2 == 1))
across.Free()
half.Disconnect()

column = MPI.DOUBLE.Create_vector(4, 1, 5)
column.Commit()
values = array("d", range(20))
packed = bytearray(column.Pack_size(1, world))
end = column.Pack(values, packed, 0, world)
back = array("d", [0.0] * 20)
column.Unpack(packed, 0, back, world)
print(f"pack: world rank {me}: {end} bytes, {list(back)}")
column.Free()
