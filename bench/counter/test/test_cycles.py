"""Tests of the cycle models: single instructions and short sequences cost what README.md says."""
import unittest

from ports import emulate

FOLDER = emulate.BUILD / "counter"

# r0 points to memory, r1..r3 hold 1. Regions are independent: code before one does not count.
CORTEX_M4 = {
    "nop": 1,
    "adds r1, r1, r2": 1,
    "add.w r1, r1, r2, ror #7": 1,
    "eor.w r1, r1, #1": 1,
    "movw r1, #1": 1,
    "muls r1, r2": 1,
    "umull r1, r2, r3, r3": 1,
    "smlal r1, r2, r3, r3": 1,
    "smmulr r1, r2, r3": 1,
    "mla r1, r2, r3, r1": 1,
    "sdiv r1, r2, r3": 8,
    "udiv r1, r2, r3": 8,
    "ldr r1, [r0]": 2,
    "ldr.w r1, [r0, #-4]": 2,
    "ldrb r1, [r0, r4]": 2,
    "ldrsh r1, [r0, r4]": 2,
    "ldrh r1, [r0, #2]": 2,
    "ldr r1, [sp]": 2,
    "ldr r1, 9f": 2,
    "str r1, [r0]": 1,
    "strb r1, [r0, r4]": 1,
    "strh.w r1, [r0], #2": 1,
    "ldrex r1, [r0]": 2,
    "ldrd r1, r2, [r0]": 3,
    "strd r1, r2, [r0, #8]": 3,
    "push {r1, r2, r3, lr}": 5,
    "ldm r0, {r1, r2}": 3,
    "stmia r0!, {r1, r2, r3}": 4,
    "ldmia.w r0!, {r1, r2, r8}": 4,
    "stmdb.w r0!, {r1, r8}": 3,
    "b 1f\n1:": 3,
    "cmp r1, r1\nbne 1f\n1:": 4,
    "cmp r1, r1\nbne.w 1f\n1:": 4,
    "cbz r1, 1f\nnop\n1:": 4,
    "b.w 1f\n1:": 3,
    "bl 1f\n1:": 3,
    "adr r1, 1f\nadds r1, #1\nbx r1\n.balign 4\n1:": 5,
    "adr r1, 1f\nmov pc, r1\n.balign 4\n1:": 4,
    "movs r1, #0\ntbb [pc, r1]\n.byte 1, 0\n1:": 4,
    "vldr s0, [r0]": 2,
    "vldr d0, [r0]": 3,
    "vstr s0, [r0]": 1,
    "vldmia r0, {s0-s3}": 5,
    "vmov r1, s0": 1,
    "vmov s0, s1, r1, r2": 1,
    "vadd.f32 s0, s1, s2": 1,
    "vmul.f32 s0, s1, s2": 1,
    "vmla.f32 s0, s1, s2": 3,
    "vfma.f32 s0, s1, s2": 3,
    "vnmls.f32 s0, s1, s2": 3,
    "vdiv.f32 s0, s1, s2": 14,
    "vsqrt.f32 s0, s1": 14,
    "vcmp.f32 s0, s1\nvmrs apsr_nzcv, fpscr": 2,
    "dmb": 1,
    "mrs r1, apsr": 1,
    "it eq\nmoveq r1, r2": 2,
    "ldr r1, [r0]\nldr r2, [r0]": 3,
    "str r1, [r0]\nldr r2, [r0]": 2,
    "ldr r1, [r0]\nnop\nldr r2, [r0]": 5,
    "ldr r1, [r0]\nldr.w r2, [r0, #4]\nstr r2, [r0]\nldr r3, [r0]": 5,
    "ldrd r1, r2, [r0]\nldr r3, [r0]": 5,
    "movs r1, #10\n1: ldr r2, [r0]\nsubs r1, #1\nbne 1b": 61,
}
# a0 points to memory, a1..a3 hold 1.
CV32E40P = {
    "nop": 1,
    "add a1, a1, a2": 1,
    "sub a1, a1, a2": 1,
    "lui a1, 1": 1,
    "slli a1, a1, 1": 1,
    "mul a1, a2, a3": 1,
    "mulh a1, a2, a3": 5,
    "mulhu a1, a2, a3": 5,
    "mulhsu a1, a2, a3": 5,
    "div a1, a2, a3": 35,
    "remu a1, a2, a3": 35,
    "lw a1, 0(a0)": 2,
    "lbu a1, 0(a0)": 2,
    "lw a1, 0(a0)\nlw a2, 0(a0)": 4,
    "sw a1, 0(a0)": 1,
    "beq a1, a1, 1f\n1:": 3,
    "bne a1, a1, 1f\n1:": 3,
    "j 1f\n1:": 3,
    "jal t0, 1f\n1:": 3,
    "la t0, 1f\njr t0\n1:": 5,
    "li a1, 10\n1: lw a2, 0(a0)\naddi a1, a1, -1\nbnez a1, 1b": 61,
}

ARM_FRAME = """.syntax unified
.thumb
.text
.balign 64
.globl known_cycles
.type known_cycles, %function
.thumb_func
known_cycles:
push {{r4-r8, lr}}
mov r7, r0
{regions}
pop {{r4-r8, pc}}
"""
ARM_REGION = """mov r6, sp
mov r0, r7
mov r5, lr
movs r1, #1
movs r2, #1
movs r3, #1
movs r4, #0
b 8f
.balign 64
9: .word 0
8: mov r10, r10
{code}
mov r11, r11
mov sp, r6
mov lr, r5
"""
RISCV_FRAME = """.option norvc
.option norelax
.text
.globl known_cycles
.type known_cycles, @function
known_cycles:
mv t6, a0
{regions}
ret
"""
RISCV_REGION = """mv a0, t6
li a1, 1
li a2, 1
li a3, 1
addi x0, x0, 1
{code}
addi x0, x0, 2
"""
MODELS = {"mps2-an386": (CORTEX_M4, ARM_FRAME, ARM_REGION), "virt-rv32": (CV32E40P, RISCV_FRAME, RISCV_REGION)}


class Cycles(unittest.TestCase):
    """Measures every line of the tables above."""

    def measure(self, port: str) -> list[int]:
        """Builds and runs the regions of a port's table."""
        table, frame, region = MODELS[port]
        source = FOLDER / f"cycles_{port}.S"
        (emulate.ROOT / source).write_text(frame.format(regions="".join(region.format(code=code) for code in table)))
        elf = emulate.build_app(port, "cycles", ["bench/counter/test/cycles.c", str(source)])
        out = FOLDER / f"cycles_{port}.regions"
        done = emulate.run(emulate.command(port, elf, [], out))
        self.assertEqual(done.returncode, 0, done.stderr)
        return emulate.cycles(out)

    def test_tables(self) -> None:
        emulate.make(f"{FOLDER}/libcounter.so")
        for port, (table, _, _) in MODELS.items():
            measured = self.measure(port)
            self.assertEqual(len(measured), len(table))
            for (code, expected), cycles in zip(table.items(), measured):
                with self.subTest(port=port, code=code):
                    self.assertEqual(cycles, expected)
