"""Facts about bits that contracts rest on: WP's solvers know integers, not words, and take these as axioms.

Each axiom of base/constant_time.h and base/fixed64.h is proved here by both solvers, as a formula about bit vectors. Variables
range over -2^65 to 2^65 there, wider than any word of the library and any sum of two, and no operation of 128 bits overflows."""
import ast
import re
import subprocess
from collections.abc import Callable, Iterator

from proofs.functions.contracts import SOURCES

HEADERS = (SOURCES / "base/constant_time.h", SOURCES / "base/fixed64.h")
BLOCK = re.compile(r"axiomatic \w*[Bb]its \{(.*?)\} \*/", re.DOTALL)
AXIOM = re.compile(r"axiom (\w+)(?:\{L\})?: \\forall (integer|uint8_t) ([^;]*); ([^;]*);")
WIDTH, MOST = 128, 2**65
SECONDS = 60
COMMANDS = (["z3", "-smt2", f"-T:{SECONDS}", "-in"], ["cvc5", f"--tlimit={SECONDS * 1000}", "--lang=smt2", "-"])
OPERATORS: dict[type, tuple[str, Callable[[int, int], int]]] = {
    ast.BitAnd: ("bvand", lambda a, b: a & b), ast.BitOr: ("bvor", lambda a, b: a | b),
    ast.BitXor: ("bvxor", lambda a, b: a ^ b), ast.LShift: ("bvshl", lambda a, b: a << b),
    ast.RShift: ("bvashr", lambda a, b: a >> b), ast.Add: ("bvadd", lambda a, b: a + b),
    ast.Sub: ("bvsub", lambda a, b: a - b), ast.Mult: ("bvmul", lambda a, b: a * b),
    ast.FloorDiv: ("bvudiv", lambda a, b: a // b), ast.Mod: ("bvurem", lambda a, b: a % b)}
COMPARISONS: dict[type, tuple[str, Callable[[int, int], bool]]] = {
    ast.Eq: ("=", lambda a, b: a == b), ast.LtE: ("bvsle", lambda a, b: a <= b), ast.Lt: ("bvslt", lambda a, b: a < b)}


def axioms() -> dict[str, tuple[list[str], str]]:
    """The variables and the statement of each axiom, by name; of a pointer, the bytes in0 to in3."""
    blocks = [block for header in HEADERS for block in BLOCK.findall(header.read_text())]
    text = " ".join(" ".join(blocks).split())
    found = {name: (["in0", "in1", "in2", "in3"] if kind == "uint8_t" else names.split(", "), said)
             for name, kind, names, said in AXIOM.findall(text)}
    if len(blocks) != len(HEADERS) or len(found) != text.count("axiom "):
        raise SystemExit(f"{text.count('axiom ')} axioms about bits in {len(blocks)} headers, {len(found)} of them understood")
    return found


def top_level(text: str, operator: str) -> tuple[str, str] | None:
    """Both sides of the first operator that is in no parentheses."""
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and text.startswith(operator, at):
            return text[:at], text[at + len(operator):]
    return None


def python(text: str) -> str:
    """A statement of ACSL as an expression of Python, with functions `same`, `implies` and of casts."""
    text = text.strip()
    for operator, function in ((" <==> ", "same"), (" ==> ", "implies")):
        if sides := top_level(text, operator):
            return f"{function}({python(sides[0])}, {python(sides[1])})"
    if sides := top_level(text, " && "):
        return f"({python(sides[0])} and {python(sides[1])})"
    if text.startswith("(") and " ==> " in text + " ==> " and closes(text) == len(text) - 1:
        return python(text[1:-1])
    text = re.sub(r"\((u?int\d+_t)\)\(", r"\1(", text)
    text = re.sub(r"\((u?int\d+_t)\)(\w+)", r"\1(\2)", text)
    return re.sub(r"in\[(\d)\]", r"in\1", text).replace(" / ", " // ")


def closes(text: str) -> int:
    """The place of the parenthesis that closes the first one."""
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return at
    return -1


def value(node: ast.expr, known: dict[str, int]) -> int:
    """The value of an expression for integers; Python's shifts and masks are those of ACSL for negative ones, too."""
    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.Name(id=name):
            return known[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -value(operand, known)
        case ast.BinOp(left=left, op=operator, right=right):
            return OPERATORS[type(operator)][1](value(left, known), value(right, known))
        case ast.Compare(left=first, ops=operators, comparators=others):
            sides = [value(side, known) for side in (first, *others)]
            return all(COMPARISONS[type(operator)][1](a, b) for operator, a, b in zip(operators, sides, sides[1:], strict=False))
        case ast.BoolOp(op=ast.And(), values=parts):
            return all(value(part, known) for part in parts)
        case ast.Call(func=ast.Name(id=function), args=arguments):
            return called(function, arguments, known)
    raise SystemExit(f"not understood: {ast.unparse(node)}")


def called(function: str, arguments: list[ast.expr], known: dict[str, int]) -> int:
    """The value of an implication, an equivalence, or a cast; nothing is asked of a statement whose premise is wrong."""
    first = value(arguments[0], known)
    if function == "implies":
        return not first or bool(value(arguments[1], known))
    if function == "same":
        return bool(first) == bool(value(arguments[1], known))
    low, bits = first % 2 ** bits_of(function), bits_of(function)
    return low - 2**bits if function.startswith("int") and low >> (bits - 1) else low


def formula(node: ast.expr) -> str:
    """An expression as a formula of SMT-LIB about bit vectors."""
    match node:
        case ast.Constant(value=int(number)):
            return f"(_ bv{number} {WIDTH})"
        case ast.Name(id=name):
            return name
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return f"(bvneg {formula(operand)})"
        case ast.BinOp(left=left, op=operator, right=right):
            return f"({OPERATORS[type(operator)][0]} {formula(left)} {formula(right)})"
        case ast.Compare(left=first, ops=operators, comparators=others):
            sides = [formula(side) for side in (first, *others)]
            pairs = zip(operators, sides, sides[1:], strict=False)
            return "(and true " + " ".join(f"({COMPARISONS[type(operator)][0]} {a} {b})" for operator, a, b in pairs) + ")"
        case ast.BoolOp(op=ast.And(), values=parts):
            return f"(and {' '.join(map(formula, parts))})"
        case ast.Call(func=ast.Name(id=("implies" | "same") as name), args=[a, b]):
            return f"({'=>' if name == 'implies' else '='} {formula(a)} {formula(b)})"
        case ast.Call(func=ast.Name(id=cast), args=[a]):
            return extended(cast, formula(a))
    raise SystemExit(f"not understood: {ast.unparse(node)}")


def extended(cast: str, inner: str) -> str:
    """The low bits of a formula as a number of a type, with its sign if it has one."""
    bits, extend = bits_of(cast), "sign_extend" if cast.startswith("int") else "zero_extend"
    return f"((_ {extend} {WIDTH - bits}) ((_ extract {bits - 1} 0) {inner}))"


def bits_of(cast: str) -> int:
    """The bits of uint8_t to uint64_t, or of int8_t to int64_t."""
    return int(cast.removeprefix("u").removeprefix("int").removesuffix("_t"))


def parsed(said: str) -> ast.expr:
    """The statement of an axiom; quotients and remainders stand in those about numbers that are not negative only, because those
    of bit vectors have no sign."""
    if re.search(" [/%] ", said) and not said.startswith("0 <= a"):
        raise SystemExit(f"a quotient of a number that may be negative: {said}")
    return ast.parse(python(said), mode="eval").body


def script(names: list[str], said: str) -> str:
    """The question whether an axiom is wrong for some variables."""
    least, most = ("0", 255) if names[0] == "in0" else (f"(bvneg (_ bv{MOST} {WIDTH}))", MOST)
    least = f"(_ bv0 {WIDTH})" if least == "0" else least
    lines = ["(set-logic QF_BV)"]
    for name in names:
        lines += [f"(declare-const {name} (_ BitVec {WIDTH}))",
                  f"(assert (and (bvsle {least} {name}) (bvsle {name} (_ bv{most} {WIDTH}))))"]
    return "\n".join([*lines, f"(assert (not {formula(parsed(said))}))", "(check-sat)", ""])


def wrong() -> Iterator[str]:
    """A line for each axiom and solver that does not prove it."""
    for name, (names, said) in axioms().items():
        for command in COMMANDS:
            done = subprocess.run(command, input=script(names, said), capture_output=True, text=True, check=False)
            if done.stdout.strip() != "unsat":
                yield f"axiom {name}: {command[0]} says {done.stdout.strip() or done.stderr.strip()}"
