! Calls of mpi_f08 that the host lacks, found by dlsym: those with large counts make the older call, others return an error.
! cluster: nodes=1 ranks=3
! cluster: nodes=1 ranks=2 report=no env=MARSHAL_DISABLE=on
program missing_calls_f08
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none
  interface
    function dlsym(handle, name) bind(c, name='dlsym') result(found)
      import :: c_ptr, c_funptr, c_char
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr) :: found
    end function
  end interface
  ! All arguments are addresses.
  abstract interface
    subroutine call_of_4(a, b, c, d) bind(c)
      import :: c_ptr
      type(c_ptr), value :: a, b, c, d
    end subroutine
    subroutine call_of_9(a, b, c, d, e, f, g, h, i) bind(c)
      import :: c_ptr
      type(c_ptr), value :: a, b, c, d, e, f, g, h, i
    end subroutine
    ! As MPICH has it, whose buffers are descriptors.
    subroutine call_of_gather(sent, count, type, got, counts, places, types, comm, ierror)
      import :: c_int64_t, MPI_Datatype, MPI_Comm
      type(*), dimension(..) :: sent, got
      integer(c_int64_t) :: count, counts(*), places(*)
      type(MPI_Datatype) :: type, types
      type(MPI_Comm) :: comm
      integer, optional :: ierror
    end subroutine
  end interface
  procedure(call_of_4), pointer :: contiguous, barrier
  procedure(call_of_9), pointer :: gather
  procedure(call_of_gather), pointer :: gather_by_descriptors
  integer(c_int64_t), target :: one = 1, counts(8) = 1, places(8), too_large = 4294967297_c_int64_t
  integer, target :: ierror, mine, each(8) = -1
  integer :: rank, ranks, bytes, class, failed = 0
  logical :: has_descriptors
  type(MPI_Datatype), target :: int_type, made
  type(MPI_Comm), target :: world
  type(MPI_Info), target :: no_info
  type(MPI_Request), target :: request

  call MPI_Init()
  if (c_associated(dlsym(c_null_ptr, 'PMPI_Send_c' // c_null_char)) .or. &
      .not. c_associated(dlsym(c_null_ptr, 'mpi_allgatherv_c_f08_' // c_null_char))) then
    call MPI_Finalize()
    stop  ! the host has large counts, or Marshal is not there
  end if
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  call c_f_procpointer(dlsym(c_null_ptr, 'mpi_type_contiguous_c_f08_' // c_null_char), contiguous)
  call c_f_procpointer(dlsym(c_null_ptr, 'mpi_allgatherv_c_f08_' // c_null_char), gather)
  call c_f_procpointer(dlsym(c_null_ptr, 'mpi_allgatherv_c_f08ts_' // c_null_char), gather_by_descriptors)
  has_descriptors = c_associated(dlsym(c_null_ptr, 'pmpir_allgatherv_f08ts_' // c_null_char))
  call c_f_procpointer(dlsym(c_null_ptr, 'mpi_barrier_init_f08_' // c_null_char), barrier)
  int_type = MPI_INTEGER
  world = MPI_COMM_WORLD
  no_info = MPI_INFO_NULL
  mine = rank
  places = [0, 1, 2, 3, 4, 5, 6, 7]

  ierror = -1
  call contiguous(c_loc(one), c_loc(int_type), c_loc(made), c_loc(ierror))
  call MPI_Type_size(made, bytes)
  call check(ierror == MPI_SUCCESS .and. bytes == 4, 'MPI_Type_contiguous_c')
  call MPI_Type_free(made)
  call contiguous(c_loc(too_large), c_loc(int_type), c_loc(made), c_loc(ierror))
  call MPI_Error_class(ierror, class)
  call check(class == MPI_ERR_COUNT, 'MPI_Type_contiguous_c of too many')
  ierror = -1
  if (has_descriptors) then
    call gather_by_descriptors(mine, one, int_type, each, counts, places, int_type, world, ierror)
  else
    call gather(c_loc(mine), c_loc(one), c_loc(int_type), c_loc(each), c_loc(counts), c_loc(places), c_loc(int_type), &
                c_loc(world), c_loc(ierror))
  end if
  call check(ierror == MPI_SUCCESS .and. each(1) == 0 .and. each(ranks) == ranks - 1, 'MPI_Allgatherv_c')
  ! ierror may be absent.
  each = -1
  if (has_descriptors) then
    call gather_by_descriptors(mine, one, int_type, each, counts, places, int_type, world)
  else
    call gather(c_loc(mine), c_loc(one), c_loc(int_type), c_loc(each), c_loc(counts), c_loc(places), c_loc(int_type), &
                c_loc(world), c_null_ptr)
  end if
  call check(each(ranks) == ranks - 1, 'MPI_Allgatherv_c without ierror')
  if (.not. c_associated(dlsym(c_null_ptr, 'PMPI_Barrier_init' // c_null_char))) then
    call barrier(c_loc(world), c_loc(no_info), c_loc(request), c_loc(ierror))
    call MPI_Error_class(ierror, class)
    call check(class == MPI_ERR_UNSUPPORTED_OPERATION, 'MPI_Barrier_init')
  end if
  call MPI_Finalize()
  if (failed /= 0) stop 1

contains
  subroutine check(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (right) return
    print *, what
    failed = 1
  end subroutine
end program
