"""Frama-C's Eva over a harness: which functions it reaches, and where it raises alarms."""
import csv
import hashlib
import json
import re
import shlex
import subprocess
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from proofs.functions.contracts import DEFINITION, ROOT, SOURCES, contracts, defined
from proofs.functions.prover import DEFINES
from proofs.values.instances import aliases, is_template, names64, seen, users, words_of

HARNESSES = Path(__file__).with_name("harnesses")
SUPPORT = Path(__file__).with_name("support")
LOGS = ROOT / "build/values"
# The files for which a stub stands: it has their demands on callers, and gives back anything within their bounds.
STUBS = {"primitives.c": {"base/memory.c", "random/keccak.c", "random/chacha20.c"},
         "tag_stub.c": {"tag/tag.c", "tag/poly1305.c", "tag/hedge.c"},
         "random_stub.c": {"random/stream.c", "random/mask.c", "random/mask_streams.c", "random/sample.c", "random/ternary.c"},
         "ring_stub.c": {"ring/ntt.c", "ring/inverse_ntt.c", "ring/pointwise.c", "ring/product.c", "ring/packing.c",
                         "ring/unpack.c", "ring/fold.c"},
         "decode_stub.c": {"encode/decode/decode32.c", "encode/decode/decode64.c", "encode/decode/decode64_whole.c"},
         "encode_stub.c": {"encode/values.c", "encode/encode32.c", "encode/encode64.c"}}
HEAD = re.compile(r"^/\*.*?\*/\n", re.DOTALL)
SETTING = re.compile(r"^// (sources|stubs|options(?: \w+)?|mains|words): (.*)$", re.MULTILINE)
PLACE = re.compile(r"^  Stats for function <(.+)/(\w+)>", re.MULTILINE)
COVERED = re.compile(r"^  (\w+): (\d+) stmts out of (\d+)", re.MULTILINE)
# Demands on callers are checked, and not taken for granted behind the check. Otherwise a call whose demand is false would have
# no outcome, and Eva would reuse that for every later call with the same arguments, whatever the memory that the demand reads.
CHECKED = """gcc -E -C -I. %args -o %o.all %i && awk '/^# [0-9]/ { own = !index($0, "/frama-c/") }
own { gsub(/ (check )?requires /, " check requires ") } { print }' %o.all > %o"""
MISSING = re.compile(r"Neither code nor (?:specification|explicit assigns) for function (isopod\w+)")
# Statements of contracts and loops that WP proves; demands on callers (precondition) are alarms of the caller.
PROVED_ELSEWHERE = {"postcondition", "loop invariant", "loop variant", "assigns clause", "from clause", "behavior"}
HELD = {"Valid", "Considered valid", "Dead", "Partially proven"}
SHARED = ("-c11", "-machdep", "x86_64", "-kernel-warn-key", "typing:implicit-conv-void-ptr=inactive", "-eva",
          "-eva-msg-key=-initial-state,-final-states", "-eva-no-show-progress", "-metrics", "-metrics-by-function",
          "-metrics-eva-cover",
          "-cpp-command", CHECKED, "-cpp-frama-c-compliant")


@dataclass
class Outcome:
    """A run: the statements reached and all those of each function, by file and name, and the instances of those that have
    several; its alarms; what went wrong."""

    reached: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    instances: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    alarms: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))
    error: str = ""

    def written(self) -> str:
        """The reached functions and the alarms as JSON."""
        return json.dumps([[[*one, *count] for one, count in self.reached.items()],
                           [[*one, some] for one, some in self.instances.items()],
                           [[*one, said] for one, said in self.alarms.items()]])

    @classmethod
    def read(cls, text: str) -> "Outcome":
        """An outcome from its JSON."""
        reached, instances, alarms = json.loads(text)
        return cls({(file, name): (some, whole) for file, name, some, whole in reached},
                   {(file, name): some for file, name, some in instances},
                   defaultdict(list, {(file, name): said for file, name, said in alarms}))


def harnesses() -> list[Path]:
    """All harnesses, which are files with a line of sources."""
    return sorted(path for path in HARNESSES.rglob("*.c") if settings(path)["sources"])


def runs() -> list[tuple[Path, str]]:
    """All harnesses, each with the functions from which it is analysed."""
    return [(path, main) for path in harnesses() for main in settings(path)["mains"] or ["main"]]


def settings(harness: Path) -> dict[str, list[str]]:
    """The words behind `sources`, `stubs`, `mains`, `options` and `words` in the head of a harness; `options` with the name of a
    main function are of that alone."""
    found: dict[str, list[str]] = defaultdict(list)
    for key, words in SETTING.findall(harness.read_text()):
        found[key] += shlex.split(words)
    return found


def words(harness: Path) -> int:
    """The bits of words for which a harness is analysed. Those of 64 have types of their own under the same names, and cannot be
    linked with those of 32."""
    return int((settings(harness)["words"] or ["32"])[0])


def sources(harness: Path) -> list[Path]:
    """The files of the library that are analysed with a harness: of folders or paths that it names, and compiled for its size
    of words."""
    chosen = settings(harness)
    replaced = set().union(*(STUBS[stub] for stub in chosen["stubs"]))
    files = []
    for path in sorted(SOURCES.rglob("*.c")):
        name = str(path.relative_to(SOURCES))
        is_wanted = any(name == source or name.startswith(source + "/") for source in chosen["sources"])
        if "backend" not in path.parts and is_wanted and name not in replaced and name != "instance64.c" \
                and words(harness) in words_of(path):
            files.append(path)
    return files


def analysed(harness: Path, main: str, seconds: int) -> Outcome:
    """Runs Eva on a harness, from one of its functions on."""
    chosen, files = settings(harness), sources(harness)
    stubs = [SUPPORT / stub for stub in chosen["stubs"] if stub.endswith(".c")]
    folders = f"-I{ROOT}/device/include -I{ROOT}/device/src -I{SUPPORT} -DISOPOD_WORD_BITS={words(harness)}"
    preprocessor = f"-cpp-extra-args={folders} {' '.join(DEFINES)} '-D_Alignof(type)=4'"
    kept = LOGS / f"{harness.stem}-{main}-{digest(harness, [*stubs, *files], main)}.json"
    if kept.exists():
        return Outcome.read(kept.read_text())
    options = [*chosen["options"], *chosen[f"options {main}"]]
    with tempfile.TemporaryDirectory() as place:
        table = Path(place) / "properties.csv"
        command = ["frama-c", *SHARED, preprocessor, *options, "-main", main, str(harness), *map(str, stubs),
                   *map(str, files), "-then", "-report-csv", str(table)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds, cwd=ROOT)
        except subprocess.TimeoutExpired:
            return Outcome(error=f"no end after {seconds} s")
        LOGS.mkdir(parents=True, exist_ok=True)
        (LOGS / f"{harness.stem}-{main}.log").write_text(done.stdout + done.stderr)
        if done.returncode != 0 or not table.exists():
            return Outcome(error=done.stdout[-2000:] + done.stderr[-1000:])
        if missing := sorted(set(MISSING.findall(done.stdout))):
            return Outcome(error=f"no source of {', '.join(missing)}")
        found = outcome(done.stdout, table.read_text(), files, words(harness))
        kept.write_text(found.written())
        return found


def digest(harness: Path, files: list[Path], main: str) -> str:
    """A name of all that a run reads."""
    headers = set(SOURCES.parent.rglob("*.h")).union(*map(support, (harness, *files)))
    told = hashlib.sha256("\n".join((main, *SHARED, *DEFINES)).encode())
    for path in sorted({harness, *files, *headers}):
        told.update(path.read_bytes())
    return told.hexdigest()[:16]


def support(path: Path) -> set[Path]:
    """The headers of harnesses that a harness or a stub has, directly or by others."""
    names = re.findall(r'^#include "(\w+\.h)"', path.read_text(), re.MULTILINE)
    found = {SUPPORT / name for name in names if (SUPPORT / name).exists()}
    return found.union(*map(support, found))


def outcome(text: str, table: str, files: list[Path], size: int) -> Outcome:
    """Reads what Frama-C prints of these files and size of words, and its table of properties."""
    result = Outcome()
    places = placed(text)
    listed: dict[tuple[Path, str], dict[str, bool]] = defaultdict(dict)
    covered = {name: (int(reached), int(whole)) for name, reached, whole in COVERED.findall(text)}
    for name, (path, given) in places.items():
        some, whole = covered.get(name, (0, 0))
        listed[path, given][name] = some > 0
        if some > 0:
            owner = str(path.relative_to(SOURCES)), given
            result.reached[owner] = max(result.reached.get(owner, (0, 0)), (some, whole))
    for (path, name), some in listed.items():
        if any(some.values()) and (found := sorted(seen(path, name, some, files, size))):
            result.instances[str(path.relative_to(SOURCES)), name] = found
    have = contracted()
    for row in csv.DictReader(table.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE):
        path = (ROOT / row["directory"] / row["file"]).resolve()
        if not is_alarm(row, path):
            continue
        place = str(path.relative_to(SOURCES)) if path.is_relative_to(SOURCES) else path.name
        name = definition_at(path, int(row["line"]))
        # WP proves that a function with a contract has none, for all that the contract allows.
        if (place, name) not in have or row["property kind"] == "initialization":
            said = f"{row['line']}: {row['status']}: {row['property kind']}: {row['property']}"
            result.alarms[place, name].append(said)
    return result


def is_alarm(row: dict[str, str], path: Path) -> bool:
    """Whether a property is an alarm of the function in which it stands. Demands of contracts and of stubs are alarms of callers,
    which have properties of their own."""
    return (row["status"] not in HELD and row["property kind"] not in {*PROVED_ELSEWHERE, "precondition"} and path.exists()
            and path.name not in STUBS)


def placed(text: str) -> dict[str, tuple[Path, str]]:
    """The file of the library and the name there of each function that Frama-C lists by its own name."""
    found = {}
    for place, name in PLACE.findall(text):
        path = (ROOT / place).resolve()
        if path.is_relative_to(SOURCES) and (given := given_name(path, name)) is not None:
            found[name] = path, given
    return found


def given_name(path: Path, name: str) -> str | None:
    """The name that a file gives to a function. Frama-C appends a number to all but the first of a name; templates have macros,
    and words of 64 bits names of their own. None if two functions may be meant."""
    known = dict.fromkeys(defined()[path])
    if is_template(path):
        known |= {one: macro for user in users(path) for one, macro in aliases(user).items() if macro in known}
    known |= {wide: one for wide, one in names64().items() if one in known}
    found = [one for one in dict.fromkeys((name, re.sub(r"_\d+$", "", name))) if one in known]
    return (known[found[0]] or found[0]) if len(found) == 1 else None


def definition_at(path: Path, line: int) -> str:
    """The function whose definition a line of a file belongs to."""
    text = path.read_text()
    name = "?"
    for found in DEFINITION.finditer(text):
        if text.count("\n", 0, found.start(1)) + 1 <= line:
            name = found[1]
    return name


def contracted() -> set[tuple[str, str]]:
    """Functions with a contract, by file and name."""
    return {(str(one.path.relative_to(SOURCES)), one.function) for one in contracts()}
