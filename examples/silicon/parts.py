"""Parts that both stories share: the command line, the keys that it makes, and the simulated engine."""
import json
import secrets
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from examples.silicon import cbor, engine
from rtl.dv.top.engine import FLOAT, descriptor, plain_descriptor
from spec.base.parameters import RingSet, read_sets
from spec.model import wire_codes as wire
from spec.model.authentication import device_key
from spec.model.encryption import Ciphertext
from spec.model.frame import Encoding, Identity, description, frame
from spec.model.packing import unpack, unpack_rows
from spec.model.streams import CHACHA20, Root, Sender, Source, derive_root, is_public

DEVICE = 1
NO_SEED = bytes(32).hex()


class Isopod:
    """The command line, run in one folder."""

    def __init__(self, program: str, folder: Path):
        self.program, self.folder = str(Path(program).resolve()), folder

    def run(self, *words: str) -> str:
        """Runs one command and returns its output; RuntimeError, with its messages, if it fails."""
        done = subprocess.run([self.program, *words], cwd=self.folder, text=True, capture_output=True, stdin=subprocess.DEVNULL,
                              check=False)
        if done.returncode != 0:
            raise RuntimeError(f"isopod {' '.join(words)}\n{done.stdout}{done.stderr}")
        return done.stdout


@dataclass(frozen=True)
class Pair:
    """The parts of a key pair: the names in frames, the flash image of the secret key, the words of the public key, and the
    device's key."""

    parameters: RingSet
    key_id: bytes
    secret: bytes
    public: list[int]
    device_key: bytes

    @classmethod
    def make(cls, isopod: Isopod, name: str, *options: str) -> "Pair":
        """Makes fresh keys of a set in the folder `keys`, by `isopod keygen`."""
        isopod.run("keygen", "--set", name, "--device", str(DEVICE), "--insecure-plaintext-key", "--out", "keys", *options)
        folder = isopod.folder / "keys"
        owner = cbor.fields((folder / "owner/owner.key").read_bytes(), wire.OWNER_KEY)
        public = (folder / "public/public.key").read_bytes()[wire.KEY_BLOB_HEADER_BYTES + wire.MASK_SEED_BYTES:]
        return cls(next(entry for entry in read_sets() if entry.name == name), owner["key"], owner["blob"],
                   list(struct.unpack(f"<{len(public) // 8}Q", public)), device_key(owner["device_master"], DEVICE))

    @property
    def primes(self) -> list[int]:
        """The primes of a whole ciphertext."""
        return list(self.parameters.data_primes)

    def polynomials(self, data: bytes, each: int) -> list[list[int]]:
        """Packed residues, `each` polynomials of a prime after another."""
        return unpack_rows(data, [prime for prime in self.primes for _ in range(each)], self.parameters.ring_degree)


class Sent:
    """A frame that the engine encrypts under a kind of key."""

    def __init__(self, pair: Pair, kind: int, sequence: int, encoding: Encoding, values: tuple[bytes, int]):
        """`values` are the bytes in memory and their type, because the root of the encryption binds both."""
        self.pair, self.kind, self.encoding, self.each = pair, kind, encoding, 2 if is_public(kind) else 1
        self.sender = Sender(pair.device_key, DEVICE, 1, sequence)
        said = description(Identity(pair, kind, CHACHA20, self.sender, len(pair.primes)), encoding, values[1])
        source = Source(secrets.token_bytes(32), self.sender, values[0], said)
        self.root = derive_root(source, CHACHA20, kind, pair.key_id, pair.parameters.set_id)

    def encryption(self, opcode: int, **changes) -> dict:
        """The operation that encrypts."""
        parameters, primes = self.pair.parameters, self.pair.primes
        size = self.each * parameters.ring_degree * sum(prime.bit_length() for prime in primes) // 8
        return operation(command(parameters, opcode, len(primes)), size, public=self.pair.public if self.each == 2 else [],
                         mask_seed=self.root.mask_seed.hex(), noise_key=self.root.noise_key.hex(), **changes)

    def frame(self, answer: dict) -> bytes:
        """The frame with the engine's residues. Under a secret key it carries the mask seed from the engine's key slot."""
        rows = self.pair.polynomials(bytes.fromhex(answer["data"]), self.each)
        root = Root(bytes.fromhex(answer["mask_seed"]), b"", self.root.nonce)
        ciphertext = Ciphertext(self.kind, CHACHA20, root, rows[::self.each], rows[self.each - 1::self.each])
        return b"".join(frame(self.pair, ciphertext, self.sender, self.encoding))


def descriptors(parameters: RingSet) -> list[tuple[int, int]]:
    """The words of all descriptors, with their places. In BFV the last one is the descriptor of t, for messages at the full
    level."""
    plain, degree = getattr(parameters, "plain_modulus", 0), parameters.ring_degree
    found = [descriptor(prime, degree, plain) for prime in parameters.data_primes]
    if plain:
        found.append(plain_descriptor(plain, degree, -parameters.modulus % plain))
    return [(32 * number + word, value) for number, words in enumerate(found) for word, value in words.items()]


def command(parameters: RingSet, opcode: int, primes: int) -> int:
    """The register COMMAND for an operation under a ternary key."""
    return opcode | parameters.log2_degree << 4 | primes << 8 | CHACHA20 << 13 | FLOAT << 15


def operation(command: int, size: int, **changes) -> dict:
    """An operation that gives this number of bytes of residues."""
    return {"command": command, "encoding": 0, "samples": [], "public": [], "mask_seed": NO_SEED, "noise_key": NO_SEED,
            "bytes": size} | changes


def by_turns(c0: bytes, c1: bytes, primes: list[int], degree: int) -> list[int]:
    """The words of c0 and c1 in the order that a decryption takes, for the first primes of packed polynomials."""
    words, start = [], 0
    for prime in primes:
        end = start + degree * prime.bit_length() // 8
        rows = [unpack(polynomial[start:end], prime.bit_length()) for polynomial in (c0, c1)]
        words += [word for pair in zip(*rows) for word in pair]
        start = end
    return words


def simulate(pair: Pair, *operations: dict) -> list[dict]:
    """Runs operations and returns the engine's answers; RuntimeError if it reports an error."""
    engine.FOLDER.mkdir(parents=True, exist_ok=True)
    (engine.FOLDER / "orders.json").write_text(json.dumps({
        "descriptors": descriptors(pair.parameters), "key": pair.secret.hex(), "operations": operations}))
    run_engine("run")
    return json.loads((engine.FOLDER / "answers.json").read_text())


def run_engine(what: str) -> None:
    """Builds or runs the simulation; RuntimeError if it fails."""
    engine.FOLDER.mkdir(parents=True, exist_ok=True)
    with (engine.FOLDER / f"{what}.log").open("w") as log:
        done = subprocess.run([sys.executable, "-m", engine.MODULE, what], stdout=log, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"the engine reports an error, {engine.FOLDER / what}.log")
