// Operations of MPI_Op_create_c on hosts that lack it: the host calls a function whose length is an int, and that one
// calls the program's, whose length is an MPI_Count. A function of C has no place for the program's, so there are as
// many functions as there can be operations at once.
#pragma once

#include <cstdint>

namespace marshal {

inline constexpr int most_large_operations = 64;

// The number of one that is free, which calls `of_program` from now on; -1 where none is free.
int lend_large_operation(void* of_program);
// The function that the host gets: that of MPI_User_function, in C and in Fortran.
void* function_of_large_operation(int which);
// The host made `operation` of it. One that had the same handle was freed unseen.
void note_large_operation(int which, std::uint64_t operation);
// The host did not take it, or `operation` was freed. It is lent again after all others that are free: the host may
// still use it, in reductions that have not ended.
void give_back_large_operation(int which);
void forget_large_operation(std::uint64_t operation);

}  // namespace marshal
