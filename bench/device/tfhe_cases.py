"""The TFHE encryptions that are measured."""
from dataclasses import dataclass
from functools import cache

from ports.emulate import ROOT
from spec.base.tfhe_parameters import TfheSet, tfhe_sets

TARGETS = ("cortex-m4", "rv32im", "x86-64", "aarch64", "armv7a")


@dataclass(frozen=True)
class TfheWay:
    """A kind of key blob (spec/wire.md, section 5), the function that opens it, and the macro of its workspace."""

    blob: int
    opener: str
    workspace: str
    transforms: bool = True
    prepares: bool = False


WAYS = {
    "tfhe-sym": TfheWay(20, "isopod_tfhe_secret_key_open", "ISOPOD_TFHE_SECRET_WORKSPACE"),
    "tfhe-sym-prepared": TfheWay(19, "isopod_tfhe_secret_key_open", "ISOPOD_TFHE_SECRET_WORKSPACE", prepares=True),
    "tfhe-pk": TfheWay(17, "isopod_tfhe_public_key_open", "ISOPOD_TFHE_PUBLIC_WORKSPACE"),
    "tfhe-stream": TfheWay(19, "isopod_tfhe_stream_key_open", "ISOPOD_TFHE_STREAM_WORKSPACE", transforms=False),
}


@dataclass(frozen=True)
class TfheCase:
    """One record per target: `u8` integers of eight bits and `bools` in one ciphertext."""

    name: str
    set: TfheSet
    kind: str
    u8: int
    bools: int
    suite: str = "chacha20"
    targets: tuple[str, ...] = TARGETS
    backend: str = ""

    def way(self, target: str) -> TfheWay:
        """The use of the key. A host has enough memory to prepare a plain key."""
        return WAYS["tfhe-sym-prepared" if target == "x86-64" and self.kind == "tfhe-sym" else self.kind]

    @property
    def coefficients(self) -> int:
        """Blocks of the message."""
        return self.u8 * 8 // self.set.message_bits + self.bools

    @property
    def body_bytes(self) -> int:
        """Bytes without header and tag: half of each body, and under a public key whole masks, too."""
        mask = self.set.ring_degree if self.kind == "tfhe-pk" else 0
        return mask * self.set.word_bytes + self.coefficients * self.set.word_bytes // 2


@cache
def sets() -> dict[str, TfheSet]:
    """The sets of the contract by name."""
    return {entry.name: entry for entry in tfhe_sets(ROOT / "spec/params.toml")}


def tfhe_cases() -> list[TfheCase]:
    """Full ciphertexts of 1024 bits, or of 256 integers of eight bits and 1024 bits; and a stream of sixteen integers."""
    small, gaussian, large = (sets()[name] for name in ("tfhe-1024-tuniform", "tfhe-1024-tfhepp", "tfhe-2048-tfhe-rs"))
    return [
        TfheCase("tfhe-1024-sym", small, "tfhe-sym", 0, 1024),
        TfheCase("tfhe-1024-pk", small, "tfhe-pk", 0, 1024),
        TfheCase("tfhe-1024-sym-aes128", small, "tfhe-sym", 0, 1024, "aes128"),
        TfheCase("tfhe-1024-sym-gaussian", gaussian, "tfhe-sym", 0, 1024),
        TfheCase("tfhe-2048-sym", large, "tfhe-sym", 256, 1024),
        TfheCase("tfhe-2048-pk", large, "tfhe-pk", 256, 1024),
        TfheCase("tfhe-2048-sym-stream", large, "tfhe-stream", 16, 0),
    ]
