/* The entry points of libmarshal.so: each jumps to what its slot says, so that the program's return address stays the caller's. At first
 * the slot leads to code that asks marshal_resolve for the function. */
#if defined(__x86_64__) || defined(__aarch64__)

#ifdef __x86_64__
#define MARSHAL_DOOR(index, symbol) \
  .globl symbol; .type symbol, @function; .p2align 4; \
  symbol: endbr64; jmp *(marshal_slots + 8 * index)(%rip); .size symbol, . - symbol; \
  unresolved_##index: endbr64; pushq $index; jmp unresolved;
#else
#define MARSHAL_DOOR(index, symbol) \
  .globl symbol; .type symbol, %function; .p2align 4; \
  symbol: hint 34; adrp x16, marshal_slots + 8 * index; ldr x16, [x16, :lo12:marshal_slots + 8 * index]; br x16; \
  .size symbol, . - symbol; \
  unresolved_##index: hint 34; mov w17, index; b unresolved;
#endif

  .text
#include "wrappers/door/door_entries.inc"

  .p2align 4
  .type unresolved, %function
unresolved:
  .cfi_startproc
#ifdef __x86_64__
  /* On the stack: the index, the program's return address. Everything that may hold an argument is kept. */
  .cfi_def_cfa_offset 16
  push %rdi
  push %rsi
  push %rdx
  push %rcx
  push %r8
  push %r9
  push %rax
  push %r10
  .cfi_adjust_cfa_offset 64
  mov 64(%rsp), %rdi
  mov 72(%rsp), %rsi
  call marshal_resolve
  mov %rax, %r11
  pop %r10
  pop %rax
  pop %r9
  pop %r8
  pop %rcx
  pop %rdx
  pop %rsi
  pop %rdi
  .cfi_adjust_cfa_offset -64
  add $8, %rsp
  .cfi_adjust_cfa_offset -8
  jmp *%r11
#else
  stp x29, x30, [sp, -96]!
  .cfi_def_cfa_offset 96
  .cfi_offset 29, -96
  .cfi_offset 30, -88
  stp x0, x1, [sp, 16]
  stp x2, x3, [sp, 32]
  stp x4, x5, [sp, 48]
  stp x6, x7, [sp, 64]
  str x8, [sp, 80]
  mov w0, w17
  mov x1, x30
  bl marshal_resolve
  mov x16, x0
  ldp x0, x1, [sp, 16]
  ldp x2, x3, [sp, 32]
  ldp x4, x5, [sp, 48]
  ldp x6, x7, [sp, 64]
  ldr x8, [sp, 80]
  ldp x29, x30, [sp], 96
  .cfi_restore 29
  .cfi_restore 30
  .cfi_def_cfa_offset 0
  br x16
#endif
  .cfi_endproc
  .size unresolved, . - unresolved

#undef MARSHAL_DOOR
#define MARSHAL_DOOR(index, symbol) .quad unresolved_##index;
  .data
  .balign 8
  .globl marshal_slots
  .hidden marshal_slots
marshal_slots:
#include "wrappers/door/door_entries.inc"

#endif
#if defined(__linux__) && defined(__ELF__)
  .section .note.GNU-stack, "", %progbits
#endif
