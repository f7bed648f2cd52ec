"""Encodings of Armv8.1-M that the decoder for Thumb does not know: MVE, loops, shifts of two words, conditional selection.

A line of the table has the bits of an instruction, first those of its first halfword, and a name. Letters stand for fields, whose
bits are joined from the left. Of the lines that fit, the first one counts. Fields:

    d n m   vectors           s   width of a lane, 8 << s      u   without signs        a   offsets are added
    t r f   core registers    i j c an immediate and its kind  w   writes back          p   the offset counts before the access
                              h   halfwords in memory, not bytes
"""
from dataclasses import dataclass, field
from functools import cache

TABLE = """
1110 1111 00ss nnn0 ddd0 1000 0100 mmm0 add           1111 1111 00ss nnn0 ddd0 1000 0100 mmm0 sub
1110 1111 00ss nnn0 ddd0 1001 0101 mmm0 mul           1110 1111 00ss nnn0 ddd0 1011 0100 mmm0 qdmulh
111u 1111 00ss nnn0 ddd0 0001 0100 mmm0 rhadd         111u 1111 00ss nnn0 ddd0 0000 0100 mmm0 hadd
111u 1111 00ss nnn0 ddd0 0010 0100 mmm0 hsub          111u 1111 00ss nnn0 ddd0 0110 0100 mmm0 max
111u 1111 00ss nnn0 ddd0 0100 0100 mmm0 shl-lanes     111u 1110 00ss nnn1 ddd0 1110 0000 mmm1 mulh
111u 1110 00ss nnn1 ddd1 1110 0000 mmm1 rmulh         1111 1110 00ss nnn0 dddi 1111 0000 mmm0 cadd
1110 1111 0000 nnn0 ddd0 0001 0101 mmm0 and           1110 1111 0001 nnn0 ddd0 0001 0101 mmm0 bic
1110 1111 0010 nnn0 ddd0 0001 0101 mmm0 orr           1111 1111 0000 nnn0 ddd0 0001 0101 mmm0 eor
1110 1110 00ss nnn1 ddd0 1111 0100 tttt add-scalar    1110 1110 00ss nnn1 ddd1 1111 0100 tttt sub-scalar
111u 1110 0011 ss01 ddd1 1110 0110 tttt shl-scalar
1110 1110 00ss nnn1 ddd1 1110 0110 tttt mul-scalar    1110 1110 00ss nnn1 ddd0 1110 0110 tttt qdmulh-scalar
1111 1110 00ss nnn1 ddd0 1110 0110 tttt qrdmulh-scalar 1110 1110 00ss nnn1 ddd0 1110 0100 tttt mla-scalar
1111 1110 00ss nnn0 ddd1 1111 0110 tttt qsub-scalar
1110 1110 1010 ddd0 tttt 1011 0001 0000 dup
1110 1110 00ss rrr1 ddd0 1111 i110 111i idup          1110 1110 00ss rrr1 ddd1 1111 i110 111i ddup
1110 1110 00ss rrr1 ddd0 1111 i110 ttti iwdup
111i 1111 1000 0iii ddd0 0cc0 0101 iiii mov-immediate 111i 1111 1000 0iii ddd0 0cc1 0101 iiii orr-immediate
111i 1111 1000 0iii ddd0 0cc1 0111 iiii bic-immediate
111u 1111 10ii iiii ddd0 0000 0101 mmm0 shr           111u 1111 10ii iiii ddd0 0010 0101 mmm0 rshr
1111 1111 10ii iiii ddd0 0100 0101 mmm0 sri           1110 1111 10ii iiii ddd0 0101 0101 mmm0 shl
1111 1111 10ii iiii ddd0 0101 0101 mmm0 sli
1111 1111 1011 ss00 ddd0 0000 0100 mmm0 rev64         1111 1111 1011 ss00 ddd0 0000 1100 mmm0 rev32
1111 1111 1011 0000 ddd0 0101 1100 mmm0 mvn           1111 1111 1011 ss01 ddd0 0011 0100 mmm0 abs
1111 1111 1011 ss01 ddd0 0011 1100 mmm0 neg
111u 1110 1110 ss10 tttt 1111 0000 mmm0 maxv          111u 1110 1110 ss10 tttt 1111 1000 mmm0 minv
1111 0000 00ss rrrr 1110 1000 0000 0001 ctp           1111 1110 0i11 0001 iii0 1111 0100 1101 pst
1110 1110 1111 1101 tttt 1010 0001 0000 mrs-p0        1110 1110 1110 1101 tttt 1010 0001 0000 msr-p0
1110 1110 0001 nnnn tttt 1010 n001 0000 mov-from-word 1110 1110 0000 nnnn tttt 1010 n001 0000 mov-to-word
1110 1110 00n0 mmmm tttt 1011 0001 0000 mov-to-lane
1110 1101 a001 rrrr dddd 1011 iiii iiii ldr-double    1110 1101 ad00 rrrr dddd 1010 iiii iiii str-single
1110 1100 10w1 rrrr dddd 1011 iiii iiii ldmia         1110 1100 10w0 rrrr dddd 1011 iiii iiii stmia
1110 1101 00w0 rrrr dddd 1011 iiii iiii stmdb
1111 1100 1001 rrrr ddd0 1111 0100 mmmi ldr-offsets   1110 1100 1000 rrrr ddd0 1111 0100 mmmi str-offsets
1110 110p a0w1 rrrr ddd1 111s siii iiii ldr           1110 110p a0w0 rrrr ddd1 111s siii iiii str
111u 110p a0w1 hrrr ddd0 111s siii iiii ldr-wider     1110 110p a0w0 hrrr ddd0 111s siii iiii str-narrower
1111 1101 a0w1 mmm0 ddd1 1110 0iii iiii ldr-bases     1111 1101 a0w0 mmm0 ddd1 1110 0iii iiii str-bases
1111 1100 10w1 rrrr ddd1 1111 0ii0 0000 ld2           1111 1100 10w0 rrrr ddd1 1111 0ii0 0000 st2
1111 1100 10w1 rrrr ddd1 1111 0ii0 0001 ld4           1111 1100 10w0 rrrr ddd1 1111 0ii0 0001 st4
1111 0000 0100 rrrr 1110 0000 0000 0001 dls           1111 0000 0000 1111 1100 jiii iiii iii1 le
1111 0000 0001 1111 1100 jiii iiii iii1 letp          1111 0000 00ss rrrr 1100 jiii iiii iii1 wlstp
1110 1010 0101 rrr0 0iii ttt1 ii00 1111 lsll          1110 1010 0101 rrr0 0iii ttt1 ii10 1111 asrl
1110 1010 0101 rrr0 0iii ttt1 ii01 1111 lsrl
1110 1010 0101 rrr0 ffff ttt1 0000 1101 lsll-register 1110 1010 0101 rrr0 ffff ttt1 0010 1101 asrl-register
1110 1010 0101 rrrr 1000 tttt iiii ffff csel          1110 1010 0101 rrrr 1001 tttt iiii ffff csinc
1110 1010 0101 rrrr 1010 tttt iiii ffff csinv         1110 1010 0101 rrrr 1011 tttt iiii ffff csneg
"""
BITS = 32


@dataclass(frozen=True)
class Encoding:
    """A line of the table; a field has the numbers of its bits, highest first."""

    name: str
    mask: int
    value: int
    fields: dict[str, tuple[int, ...]]


@dataclass(frozen=True)
class Instruction:
    """An instruction at an address."""

    address: int
    word: int
    mnemonic: str
    fields: dict[str, int] = field(compare=False)
    size: int = 4

    @property
    def op_str(self) -> str:
        """The fields, for messages."""
        return ", ".join(f"{name} = {value}" for name, value in self.fields.items())


def encoding_of(words: list[str]) -> Encoding:
    """A line of the table by its words."""
    bits = "".join(words[:-1])
    fields: dict[str, tuple[int, ...]] = {}
    for at, letter in enumerate(bits):
        if letter not in "01":
            fields[letter] = (*fields.get(letter, ()), BITS - 1 - at)
    return Encoding(words[-1], int("".join(str(int(bit in "01")) for bit in bits), 2),
                    int("".join("1" if bit == "1" else "0" for bit in bits), 2), fields)


@cache
def encodings() -> list[Encoding]:
    """The whole table."""
    words, each = TABLE.split(), BITS // 4 + 1
    return [encoding_of(words[at:at + each]) for at in range(0, len(words), each)]


def decoded(address: int, code: bytes) -> Instruction | None:
    """The instruction that four bytes begin with, if the table has it."""
    word = int.from_bytes(code[:2], "little") << 16 | int.from_bytes(code[2:], "little")
    for one in encodings():
        if word & one.mask == one.value:
            return Instruction(address, word, one.name, {name: joined(word, bits) for name, bits in one.fields.items()})
    return None


def joined(word: int, bits: tuple[int, ...]) -> int:
    """A field of an instruction."""
    found = 0
    for bit in bits:
        found = found << 1 | word >> bit & 1
    return found
