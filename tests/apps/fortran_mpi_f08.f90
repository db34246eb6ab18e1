! Makes communicators in every way with the interface "use mpi_f08", error codes left out here and there, and shows what it got.
! cluster: nodes=4 ranks=8 env=MARSHAL_SELF_CHECK=on
! cluster: nodes=2 ranks=5 env=MARSHAL_SELF_CHECK=on
program fortran_mpi_f08
  use mpi_f08
  implicit none
  integer :: me, ranks, ierror, side, i, left, right, count
  integer :: dims(2), coordinates(2), up, down, ranges(3, 1), odd(64), indices(64), edges(128)
  logical :: periods(2), keep(2)
  type(MPI_Comm) :: comm, second, half, across, grid
  type(MPI_Group) :: world, low, odds, mixed
  type(MPI_Request) :: request

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call show('world', MPI_COMM_WORLD)

  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
  call show('dup', comm)
  call MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, second)
  call show_and_free('dup_with_info', second)
  call MPI_Comm_idup(comm, second, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call show_and_free('idup', second)
  call MPI_Comm_free(comm)

  call MPI_Comm_split(MPI_COMM_WORLD, mod(me, 2), -me, comm)
  call show_and_free('split', comm)
  side = 1
  if (mod(me, 3) == 1) side = MPI_UNDEFINED
  call MPI_Comm_split(MPI_COMM_WORLD, side, me, comm, ierror)
  call show_and_free('split without some', comm)
  call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, me, MPI_INFO_NULL, comm)
  call show_and_free('split_type', comm)

  call MPI_Comm_group(MPI_COMM_WORLD, world)
  ranges(:, 1) = [0, (ranks - 1) / 2, 1]
  call MPI_Group_range_incl(world, 1, ranges, low, ierror)
  count = 0
  do i = ranks - 1, 0, -1
    if (mod(i, 2) == 1) then
      count = count + 1
      odd(count) = i
    end if
  end do
  call MPI_Group_incl(world, count, odd, odds)
  call MPI_Group_union(odds, low, mixed)
  call MPI_Comm_create(MPI_COMM_WORLD, mixed, comm, ierror)
  call show_and_free('create of union', comm)
  call MPI_Group_free(mixed)
  call MPI_Group_intersection(odds, low, mixed, ierror)
  call show_group('intersection', mixed)
  call MPI_Group_free(mixed, ierror)
  call MPI_Group_difference(world, odds, mixed)
  call show_group('difference', mixed)
  call MPI_Group_free(mixed)
  call MPI_Group_range_excl(world, 1, ranges, mixed)
  call show_group('range_excl', mixed)
  call MPI_Group_free(mixed)
  call MPI_Group_excl(world, count, odd, mixed)
  call show_group('excl', mixed)
  if (mod(me, 2) == 0) then
    call MPI_Comm_create_group(MPI_COMM_WORLD, mixed, 7, comm)
    call show_and_free('create_group', comm)
  end if
  call MPI_Group_free(mixed)
  call MPI_Group_free(odds)
  call MPI_Group_free(low)

  dims = 0
  call MPI_Dims_create(ranks, 2, dims)
  periods = [.true., .false.]
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .false., grid, ierror)
  call MPI_Cart_coords(grid, me, 2, coordinates)
  call MPI_Cart_shift(grid, 0, 1, up, down)
  print '(a, i0, a, 2(1x, i0), a, 2(1x, i0))', 'cart: world rank ', me, ' at', coordinates, ' between', up, down
  keep = [.false., .true.]
  call MPI_Cart_sub(grid, keep, comm)
  call show_and_free('cart_sub', comm)
  call show_and_free('cart_create', grid)

  left = mod(me + ranks - 1, ranks)
  right = mod(me + 1, ranks)
  do i = 1, ranks
    indices(i) = 2 * i
    edges(2 * i - 1) = mod(i - 2 + ranks, ranks)
    edges(2 * i) = mod(i, ranks)
  end do
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [left], MPI_UNWEIGHTED, 1, [right], MPI_UNWEIGHTED, &
                                      MPI_INFO_NULL, .false., comm, ierror)
  call show_and_free('dist_graph_create_adjacent', comm)
  if (.not. is_open_mpi()) then ! whose 4.1 hangs here without Marshal too, choosing a context id
    call MPI_Dist_graph_create(MPI_COMM_WORLD, 1, [me], [1], [right], [3], MPI_INFO_NULL, .false., comm)
    call show_and_free('dist_graph_create', comm)
  end if
  call MPI_Graph_create(MPI_COMM_WORLD, ranks, indices, edges, .false., comm)
  call show_and_free('graph_create', comm)

  side = mod(me, 2)
  call MPI_Comm_split(MPI_COMM_WORLD, side, me, half)
  call MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 3, across, ierror)
  call MPI_Intercomm_merge(across, side == 1, comm)
  call show_and_free('intercomm_merge', comm)
  call MPI_Comm_free(across)
  call MPI_Comm_disconnect(half, ierror)
  call in_place
  call from_bottom
  call MPI_Group_free(world)
  call MPI_Finalize()

contains

  subroutine show(name, comm)
    character(*), intent(in) :: name
    type(MPI_Comm), intent(in) :: comm
    type(MPI_Group) :: group, world
    integer :: rank, size, total, here(64), there(64), i
    if (comm == MPI_COMM_NULL) then
      print '(2a, i0, a)', name, ': world rank ', me, ' is not in it'
      return
    end if
    call MPI_Comm_rank(comm, rank)
    call MPI_Comm_size(comm, size)
    call MPI_Comm_group(comm, group)
    call MPI_Comm_group(MPI_COMM_WORLD, world)
    here = [(i, i = 0, 63)]
    call MPI_Group_translate_ranks(group, size, here, world, there)
    call MPI_Allreduce(me, total, 1, MPI_INTEGER, MPI_SUM, comm)
    call MPI_Group_free(group)
    call MPI_Group_free(world)
    print '(2a, i0, a, i0, a, i0, a, *(1x, i0))', name, ': world rank ', me, ' is ', rank, ' of ', size, ':', &
      there(1:size), total
  end subroutine show

  subroutine show_and_free(name, comm)
    character(*), intent(in) :: name
    type(MPI_Comm), intent(inout) :: comm
    call show(name, comm)
    if (comm /= MPI_COMM_NULL) call MPI_Comm_free(comm)
  end subroutine show_and_free

  subroutine show_group(name, group)
    character(*), intent(in) :: name
    type(MPI_Group), intent(in) :: group
    integer :: rank, size, here(64), there(64), i
    call MPI_Group_rank(group, rank)
    call MPI_Group_size(group, size)
    here = [(i, i = 0, 63)]
    call MPI_Group_translate_ranks(group, size, here, world, there)
    if (rank == MPI_UNDEFINED) rank = -1
    print '(2a, i0, a, i0, a, i0, a, *(1x, i0))', name, ': world rank ', me, ' is ', rank, ' of ', size, ':', there(1:size)
  end subroutine show_group

  ! The sentinels that tools like to lose: MPI_IN_PLACE and MPI_STATUSES_IGNORE.
  subroutine in_place
    integer :: values(4), received(1)
    type(MPI_Request) :: requests(2)
    values = [me, 2 * me, 3 * me, 1]
    call MPI_Allreduce(MPI_IN_PLACE, values, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Irecv(received, 1, MPI_INTEGER, left, 9, MPI_COMM_WORLD, requests(1))
    call MPI_Isend([me], 1, MPI_INTEGER, right, 9, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    print '(a, i0, a, 5(1x, i0))', 'in place: world rank ', me, ':', values, received
  end subroutine in_place

  ! A struct of absolute addresses, sent and packed from MPI_BOTTOM.
  subroutine from_bottom
    integer, target, save :: a, b(3)
    integer :: position, packed_size, lengths(2)
    integer(MPI_ADDRESS_KIND) :: addresses(2)
    character :: buffer(256)
    type(MPI_Datatype) :: newtype, kinds(2)
    a = me
    b = [10, 20, 30] + me
    call MPI_Get_address(a, addresses(1))
    call MPI_Get_address(b, addresses(2))
    lengths = [1, 3]
    kinds = MPI_INTEGER
    call MPI_Type_create_struct(2, lengths, addresses, kinds, newtype)
    call MPI_Type_commit(newtype)
    call MPI_Pack_size(1, newtype, MPI_COMM_WORLD, packed_size)
    position = 0
    ierror = 0
    if (is_open_mpi()) then ! MPICH 4.0 takes no null buffer in MPI_Pack
      call MPI_Pack(MPI_BOTTOM, 1, newtype, buffer, 256, position, MPI_COMM_WORLD, ierror)
      a = -1
      b = -1
      position = 0
      call MPI_Unpack(buffer, 256, position, MPI_BOTTOM, 1, newtype, MPI_COMM_WORLD, ierror)
    end if
    call MPI_Sendrecv_replace(MPI_BOTTOM, 1, newtype, right, 5, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    print '(a, i0, a, 6(1x, i0))', 'bottom: world rank ', me, ':', a, b, position, packed_size
    call MPI_Type_free(newtype)
  end subroutine from_bottom

  logical function is_open_mpi()
    character(MPI_MAX_LIBRARY_VERSION_STRING) :: version
    integer :: length
    call MPI_Get_library_version(version, length)
    is_open_mpi = index(version, 'Open MPI') > 0
  end function is_open_mpi
end program fortran_mpi_f08
