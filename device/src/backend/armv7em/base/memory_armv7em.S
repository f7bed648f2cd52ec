/* isopod_copy and isopod_wipe, 32 bytes at a time where both sides are aligned; single words may
 * lie anywhere. The stack is wiped in assembly, since the frame of a C function might lie in the
 * wiped range. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

    .syntax unified
    .thumb

#if ISOPOD_HAS(HELIUM)
/* void isopod_copy(uint8_t *out, const uint8_t *in, size_t length): vectors of bytes lie anywhere,
 * and the last one has as many lanes as bytes are left. */
    .section .text.isopod_copy, "ax", %progbits
    .global isopod_copy
    .type isopod_copy, %function
    .balign 4
isopod_copy:
    push {r4, lr}
    wlstp.8 lr, r2, 2f
1:  vldrb.8 q0, [r1], #16
    vstrb.8 q0, [r0], #16
    letp lr, 1b
2:  pop {r4, pc}
    .size isopod_copy, . - isopod_copy

/* void isopod_wipe(void *memory, size_t length) */
    .section .text.isopod_wipe, "ax", %progbits
    .global isopod_wipe
    .type isopod_wipe, %function
    .balign 4
isopod_wipe:
    push {r4, lr}
    vmov.i32 q0, #0
    wlstp.8 lr, r1, 2f
1:  vstrb.8 q0, [r0], #16
    letp lr, 1b
2:  pop {r4, pc}
    .size isopod_wipe, . - isopod_wipe
#else
/* void isopod_copy(uint8_t *out, const uint8_t *in, size_t length) */
    .section .text.isopod_copy, "ax", %progbits
    .global isopod_copy
    .type isopod_copy, %function
    .balign 4
isopod_copy:
    orr r3, r0, r1
    tst r3, #3
    bne 9f
    subs r2, #32
    blo 2f
    push {r4-r9}
1:  ldmia r1!, {r3-r9, r12}
    stmia r0!, {r3-r9, r12}
    subs r2, #32
    bhs 1b
    pop {r4-r9}
2:  lsls r3, r2, #28 /* bits 4 and 3 to carry and sign */
    bcc 3f
    ldr r3, [r1], #4
    str r3, [r0], #4
    ldr r3, [r1], #4
    str r3, [r0], #4
    ldmia r1!, {r3, r12}
    stmia r0!, {r3, r12}
    lsls r3, r2, #28
3:  bpl 4f
    ldmia r1!, {r3, r12}
    stmia r0!, {r3, r12}
4:  lsls r3, r2, #30 /* bits 2 and 1 */
    bcc 5f
    ldr r3, [r1], #4
    str r3, [r0], #4
5:  ands r2, #3
6:  beq 8f
7:  ldrb r3, [r1], #1
    strb r3, [r0], #1
    subs r2, #1
    bne 7b
8:  bx lr
9:  subs r2, #4
    blo 11f
10: ldr r3, [r1], #4
    str r3, [r0], #4
    subs r2, #4
    bhs 10b
11: adds r2, #4
    b 6b
    .size isopod_copy, . - isopod_copy

/* void isopod_wipe(void *memory, size_t length) */
    .section .text.isopod_wipe, "ax", %progbits
    .global isopod_wipe
    .type isopod_wipe, %function
    .balign 4
isopod_wipe:
    mov r2, #0
    tst r0, #3
    bne 5f
    subs r1, #32
    blo 2f
    push {r4-r9}
    mov r3, r2
    mov r4, r2
    mov r5, r2
    mov r6, r2
    mov r7, r2
    mov r8, r2
    mov r12, r2
1:  stmia r0!, {r2-r8, r12}
    subs r1, #32
    bhs 1b
    pop {r4-r9}
2:  adds r1, #32 - 4
    blo 4f
3:  str r2, [r0], #4
    subs r1, #4
    bhs 3b
4:  adds r1, #4
    b 6f
5:  cmp r1, #0
6:  beq 8f
7:  strb r2, [r0], #1
    subs r1, #1
    bne 7b
8:  bx lr
    .size isopod_wipe, . - isopod_wipe
#endif

/* Bytes below the caller, multiples of a step, beyond any call that handles noise or keys, as
 * test_stack.c shows. Helium keeps eight ChaCha20 blocks on the stack. */
#if ISOPOD_HAS(HELIUM)
    .equ STEP, 96
    .equ SHALLOW, 1440
    .equ NORMAL, 2400
    .equ DEEP, 2400
#else
    .equ STEP, 32
    .equ SHALLOW, 608
    .equ NORMAL, 896
    .equ DEEP, 1344
#endif

    .macro WIPE_BELOW name, bytes
    .global \name
    .type \name, %function
\name:
    mov r12, #\bytes / STEP
    b .Lwipe_below
    .size \name, . - \name
    .endm

/* void isopod_wipe_stack(void) and its like: one word deeper they lie themselves. */
    .section .text.isopod_wipe_stack, "ax", %progbits
    .balign 4
    WIPE_BELOW isopod_wipe_shallow_stack, SHALLOW
    WIPE_BELOW isopod_wipe_deep_stack, DEEP
    WIPE_BELOW isopod_wipe_stack, NORMAL
#if ISOPOD_HAS(HELIUM)
.Lwipe_below:
    push {lr}
    mov r0, sp
    vmov.i32 q0, #0
    vmov q1, q0
    vmov q2, q0
    vmov q3, q0
    dls lr, r12
1:  vpush {d0-d7}
    vpush {d0-d3}
    le lr, 1b
    mov sp, r0
    pop {pc}
#else
.Lwipe_below:
    push {lr}
    mov lr, sp
    movs r0, #0
    mov r1, r0
    mov r2, r0
    mov r3, r0
1:  push {r0-r3}
    push {r0-r3}
    subs r12, #1
    bne 1b
    mov sp, lr
    pop {pc}
#endif

#endif
