"""Information flow of the key slot: isopod_system between its buses, around an engine of which only
the ports are known.

Two runs take the same accesses, but for the secret, the payload and the digest of the keys that
come, for the device key, and for the words of the entropy source. Of any two states that agree in
all but SECRET the next ones do, too, and everything that can be read. By induction no register,
response or transfer tells the two keys apart, whatever is accessed when, for any number of cycles.
What the proof takes for granted is in `assumed`; rtl/doc/key_slot.md says why."""
import re
from dataclasses import dataclass
from pathlib import Path

from rtl.formal.tools import SOURCES, read, smt, yosys

TOP = "isopod_system"
# The engine is small for the sake of its ports; the guard's counters are those of every size.
NTT_WORDS = "-G MaxLogN=10 -G KeyWords=1024"
# Ternary keys, which may be drawn.
DRAWN = "-G MaxLogN=10 -G KeyWords=0 -G Draw=1"
APART = ("isopod_engine", "isopod_keccak_round")
# Registers that may differ: the slot's secret, the noise key and the device key (of which nothing
# is left, since only the engine reads them, as it does words of the key), and the sponge while a
# hash of the key slot is in it (`related`).
SECRET = ("u_guard.secret_q", "u_registers.noise_key_o", "u_registers.tag_key_o",
          "u_sponge.state_q")
MAY_DIFFER = ("s_wdata_i", "entropy_i")
# In the order of stage_e of isopod_key_guard.
IDLE, EMPTY, TAKES_SECRET, HEAD, PAYLOAD, INPUT, PAD, DIGEST, ROOT, WIPE = range(10)
KEY_DATA, TAG_KEY = 0x058 >> 2, 0x100 >> 2
TAG_KEY_WORDS = 8
WORDS = 50  # of the sponge
# Wires towards the engine that may not tell keys apart either.
TOWARDS_ENGINE = ("key_forget", "key_write", "key_address", "key_seal", "key_shape", "key_head",
                  "seeds_valid", "accepted", "sample_valid", "public_valid", "prime_word_valid")
ENDINGS = re.compile(r"; yosys-smt2-(\w+) (.+?) (\d+)(?: (\S+))?$", re.MULTILINE)


@dataclass(frozen=True)
class Leak:
    """A change of a source that lets the key out, which the proof must find."""

    name: str
    file: str
    old: str
    new: str
    parameters: str = NTT_WORDS


LEAKS = (
    Leak("the sponge is read while it is the slot's", "top/isopod_system.sv",
         ".sponge_out_refuse_i(sponge_owned || sponge_takes), .sponge_out_data_i(software_word)",
         ".sponge_out_refuse_i(1'b0), .sponge_out_data_i(sponge_word)"),
    Leak("its hash is not wiped", "bus/isopod_key_guard.sv",
         "StageWipe:   if (index_q == 6'd49)", "StageWipe:   if (index_q == 6'd48)"),
    Leak("a word of the key waits for its value", "bus/isopod_key_guard.sv",
         "StageSecret:             ready = entropy_valid_i;",
         "StageSecret:             ready = word_i[0];"),
    Leak("STATUS shows a bit of the noise key", "top/isopod_system.sv",
         " key_valid, public_room,", " key_valid ^ noise_key[0][0], public_room,"),
    Leak("STATUS shows a bit of the device key", "top/isopod_system.sv",
         " key_valid, public_room,", " key_valid ^ tag_key[0][0], public_room,"),
    Leak("the device key is taken or not by its value", "top/isopod_system.sv",
         "tag_key_held  = key_lock[2] || running_q",
         "tag_key_held  = key_lock[2] || running_q || tag_key[7][31]"),
    Leak("a draw waits for the value of the source", "bus/isopod_key_guard.sv",
         "StageSecret:             ready = entropy_valid_i;",
         "StageSecret:             ready = entropy_valid_i && !entropy_i[0];", DRAWN),
)


def model(folder: Path, parameters: str) -> str:
    """The transition relation, out of reset; parts that are apart give any values."""
    kept = " ".join(f"w:{name}" for name in (*TOWARDS_ENGINE, "sponge_word"))
    apart = " ".join(f"--blackboxed-module {name}" for name in APART)
    yosys(folder, f"{read(TOP, f'-D SYNTHESIS {apart} {parameters}')}"
                  f" hierarchy -check -top {TOP}; proc; flatten -noscopeinfo; cd {TOP};"
                  f" setattr -set keep 1 {kept};"
                  " delete -input w:rst_ni; connect -set rst_ni 1'1; cd; opt_clean; opt_dff;"
                  " memory_map; dffunmap; opt_clean; cutpoint -blackbox; opt_clean;"
                  " write_smt2 -stbv -wires flow.smt2", "flow.smt2")
    return (folder / "flow.smt2").read_text()


class Pair:
    """Terms of the same signal in both runs."""

    def __init__(self, text: str):
        found = ENDINGS.findall(text)
        self.registers = [name for kind, name, *_ in found if kind == "register"]
        self.inputs = [name for kind, name, *_ in found if kind == "input" and name != "clk_i"]
        self.outputs = [name for kind, name, *_ in found if kind == "output"]
        self.free = [(name, int(bits)) for kind, name, bits, _ in found if kind == "anyseq"]

    def both(self, name: str, after: str = "") -> tuple[str, str]:
        """Terms of a wire before the step, or behind it."""
        first, second = (f"(|{TOP}_n {name}| {run}{after})" for run in ("a", "b"))
        return first, second

    def same(self, name: str, after: str = "") -> str:
        """The term that both are equal."""
        return f"(= {' '.join(self.both(name, after))})"

    def stage(self, *stages: int, after: str = "") -> str:
        """The term that the guard is in one of these stages."""
        term = self.both("u_guard.stage_q", after)[0]
        return f"(or {' '.join(f'(= {term} #b{stage:04b})' for stage in stages)} false)"


def related(pair: Pair, after: str = "") -> list[str]:
    """Relation of two runs: equal but for SECRET, the sponge but for a hash of the slot, and while
    that is wiped its words that are zero. And which states there are."""
    terms = [pair.same(name, after) for name in pair.registers if name not in SECRET]
    known, idle = pair.stage(*range(10), after=after), pair.stage(IDLE, after=after)
    wiping, index = pair.stage(EMPTY, WIPE, after=after), pair.both("u_guard.index_q", after)[0]
    for word in range(WORDS):
        first, second = (f"((_ extract {32 * word + 31} {32 * word}) {state})"
                         for state in pair.both("u_sponge.state_q", after))
        zero = f"(and {wiping} (bvuge {index} (_ bv{WORDS - word} 6)))"
        terms.append(f"(=> (or {idle} {zero}) (= {first} {second}))")
    ends = f"(=> {pair.stage(ROOT, after=after)} (bvule {index} (_ bv15 6)))"
    return [*terms, known, ends]


def assumed(pair: Pair) -> list[str]:
    """Accesses, the same but for keys; an engine that does not tell; hashes that are public; of
    ternary keys, which words have a symbol that is none."""
    ternary = "u_guard.gen_pairs.pairs_q" in pair.registers
    address = f"((_ extract 11 2) {pair.both('s_awaddr_i')[0]})"
    takes = pair.stage(TAKES_SECRET, PAYLOAD, DIGEST)
    key_word = f"(and (= {address} (_ bv{KEY_DATA} 10)) {takes})"
    inputs = [pair.same(name) for name in pair.inputs if name not in MAY_DIFFER]
    tag_key = (f"(= (bvlshr {address} (_ bv3 10))"
               f" (_ bv{TAG_KEY // TAG_KEY_WORDS} 10))")
    inputs.append(f"(or {pair.same('s_wdata_i')} {key_word} {tag_key})")
    engine = [f"(= (|{name}| a) (|{name}| b))" for name, bits in pair.free if bits != 1600]
    permuted = [name for name, bits in pair.free if bits == 1600][0]
    rounds = (f"(=> (and {pair.same('u_sponge.state_q')} {pair.same('u_sponge.round_q')})"
              f" (= (|{permuted}| a) (|{permuted}| b)))")
    words, hashed = pair.both("s_wdata_i"), pair.both("sponge_word")
    equals = [f"(= {word} {value})" for word, value in zip(words, hashed)]
    index = pair.both("u_guard.index_q")[0]
    digests = f"(=> {pair.stage(DIGEST)} (= {equals[0]} {equals[1]}))"
    seeds = f"(=> (and {pair.stage(ROOT)} (bvult {index} (_ bv8 6))) {pair.same('sponge_word')})"
    # A word with a symbol 3 is refused.
    refused = [f"(= (bvand {word} (bvlshr {word} #x00000001) #x55555555) #x00000000)"
               for word in words]
    symbols = f"(=> {pair.stage(PAYLOAD)} (= {' '.join(refused)}))"
    return [*inputs, *engine, rounds, digests, seeds, *[symbols] * ternary]


def question(text: str) -> str:
    """Satisfiable if two runs that agree can come apart."""
    pair = Pair(text)
    missing = {"u_guard.secret_q", "u_sponge.state_q"} - set(pair.registers)
    if missing:
        raise ValueError(f"no registers {missing}")
    lines = [text]
    state = f"(_ BitVec {width(text)})"
    lines += [f"(declare-fun {name} () {state})" for name in ("a", "b", "a1", "b1")]
    lines += [f"(assert (|{TOP}_t| {run} {run}1))" for run in ("a", "b")]
    lines += [f"(assert {term})" for term in related(pair) + assumed(pair)]
    seen = [pair.same(name) for name in (*pair.outputs, *TOWARDS_ENGINE)] + related(pair, "1")
    lines += [f"(assert (not (and {' '.join(seen)})))", "(check-sat)", "(exit)"]
    return "\n".join(["(set-logic QF_BV)", *lines, ""])


def width(text: str) -> int:
    """Bits of a state."""
    return int(re.search(rf"define-sort \|{TOP}_s\| \(\) \(_ BitVec (\d+)\)", text)[1])


def holds(folder: Path, parameters: str) -> bool:
    """True if the two runs stay together."""
    return not smt(folder, question(model(folder, parameters)))


def finds(folder: Path, leak: Leak) -> bool:
    """True if they come apart where the key leaks."""
    file = folder / "src" / leak.file
    source = (SOURCES / leak.file).read_text()
    if source.count(leak.old) != 1:
        raise ValueError(f"{leak.file}: {leak.old!r} is not there once")
    file.write_text(source.replace(leak.old, leak.new))
    return not holds(folder, leak.parameters)
