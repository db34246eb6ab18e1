# Five objects of each kind, of which three are freed when there are four.
from mpi4py import MPI

world = MPI.COMM_WORLD
group = world.Get_group()
buffer = bytearray(4)


def cycle(call, make, end):
    made = []
    for i in range(5):
        made.append(make(i))
        if i == 3:
            for one in made[:3]:
                end(one)
    if world.rank == 0:
        print("objects", call, 5, 2, 4, flush=True)
    return made


kept = [
    cycle("MPI_Type_commit", lambda i: MPI.INT.Create_vector(2, 1, 2 + i).Commit(), MPI.Datatype.Free),
    cycle("MPI_Group_incl", lambda i: group.Incl([0]), MPI.Group.Free),
    cycle("MPI_Op_create", lambda i: MPI.Op.Create(lambda a, b, t: None), MPI.Op.Free),
    cycle("MPI_Comm_create_keyval", lambda i: MPI.Comm.Create_keyval(), MPI.Comm.Free_keyval),
    cycle("MPI_Send_init", lambda i: world.Send_init([buffer, MPI.BYTE], 0), MPI.Request.Free),
    cycle("MPI_Recv_init", lambda i: world.Recv_init([buffer, MPI.BYTE], 0), MPI.Request.Free),
    cycle("MPI_Comm_dup", lambda i: world.Dup(), MPI.Comm.Free),
]

requests = [MPI.COMM_SELF.Ibarrier() for i in range(5)]
requests[0].Wait()
MPI.Request.Waitall(requests[1:3])
if world.rank == 0:
    print("objects nonblocking_calls 5 2 -", flush=True)
