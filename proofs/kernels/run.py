"""`.venv/bin/python -m proofs.kernels.run [NAME ...]`: proves kernels equal to portable C for all inputs, and prints a table.

Writes bench/out/proofs.json: how many kernels are equal by both solvers, and by one where the other had no answer in time. The
exit status is 1 if a claim is refuted, or proved by none. NAME selects kernels, and leaves the record as it is."""
import sys
import time
from dataclasses import dataclass

from bench.record import OUT, merge
from proofs.kernels.claim import Claim, ends
from proofs.kernels.claims.lists import aarch64, cortex_m4, cortex_m55, rv32im, x86_64, x86_64_avx512
from proofs.kernels.equality.counterexample import counterexample
from proofs.kernels.equality.solver import Verdict, decided
from proofs.kernels.image import AARCH64, CORTEX_M4, CORTEX_M55, RV32IM, X86_64, X86_64_AVX512, Image, Target, build
from proofs.kernels.machine import Processor, Refused
from proofs.kernels.processors.aarch64 import AArch64
from proofs.kernels.processors.helium import Helium
from proofs.kernels.processors.riscv import RiscV
from proofs.kernels.processors.thumb import Thumb
from proofs.kernels.processors.x86 import AVX2, AVX512, X86

SECONDS = 20
PROVED, BY_ONE, FAILED = "proved", "proved by one", "FAILED"
NATIVE, PORTABLE = ("native", ("-O2",)), ("portable", ("-O2", "-DISOPOD_BACKEND=portable"))
PROCESSORS: tuple[tuple[Target, Processor, list[Claim]], ...] = (
    (CORTEX_M4, Thumb(), cortex_m4()), (CORTEX_M55, Helium(), cortex_m55()), (RV32IM, RiscV(), rv32im()),
    (AARCH64, AArch64(), aarch64()), (X86_64, X86(AVX2), x86_64()),
    (X86_64_AVX512, X86(AVX512), x86_64_avx512()))


@dataclass(frozen=True)
class Found:
    """The outcome of a claim: a verdict, and the word that shows it to be false, if one was found; or why the code could not be
    followed."""

    claim: Claim
    verdict: Verdict | None
    why: str
    seconds: float

    @property
    def state(self) -> str:
        """PROVED, BY_ONE or FAILED."""
        if self.verdict is None:
            return FAILED
        return PROVED if self.verdict.is_proved else BY_ONE if self.verdict.is_proved_by_one else FAILED

    def line(self) -> str:
        """A row of the table."""
        if self.verdict is None:
            said = self.why
        else:
            solvers = ", ".join(f"{name} {answer}" for name, answer in self.verdict.answers.items()) or "by the normal form"
            residues = f", {self.verdict.congruent} the same residues" if self.verdict.congruent else ""
            said = f"{self.verdict.same} words the same{residues}, {self.verdict.asked} asked: {solvers}{self.why}"
        return f"{self.state:<13} {self.claim.kernel:<26} {self.claim.note:<26} {self.seconds:6.1f} s  {said}"


def examined(claim: Claim, processor: Processor, kernel: Image, reference: Image) -> Found:
    """Runs both functions on terms, and asks the solvers."""
    start = time.process_time()
    try:
        found = ends(claim, processor, kernel, reference)
        verdict = decided(found, SECONDS)
        shown = counterexample(found) if not verdict.is_proved else None
        why = f"; {shown.name} is {shown.kernel:#x}, and {shown.reference:#x} in portable C" if shown else ""
    except Refused as refusal:
        verdict, why = None, str(refusal)
    return Found(claim, verdict, why, time.process_time() - start)


def portable(target: Target) -> Image:
    """Portable C for a processor. The Cortex-M55 runs that of the Cortex-M4, in which no vector stands."""
    return build(CORTEX_M4 if target is CORTEX_M55 else target, *PORTABLE)


def of_processor(target: Target, processor: Processor, claims: list[Claim]) -> list[Found]:
    """The outcomes of all claims about a processor, printed as they come."""
    images, found = (build(target, *NATIVE), portable(target)), []
    print(target.name, flush=True)
    for claim in claims:
        found.append(examined(claim, processor, *images))
        print(found[-1].line(), flush=True)
    return found


def states(found: list[Found]) -> list[set[str]]:
    """The states of each kernel's claims."""
    names = dict.fromkeys(one.claim.kernel for one in found)
    return [{one.state for one in found if one.claim.kernel == name} for name in names]


def main() -> int:
    """Exit status 1 if a claim is not proved."""
    every, kernels = [], []
    for target, processor, claims in PROCESSORS:
        chosen = [claim for claim in claims if len(sys.argv) == 1 or claim.kernel in sys.argv[1:]]
        found = of_processor(target, processor, chosen) if chosen else []
        kernels += states(found)
        every += found
    equal = sum(found == {PROVED} for found in kernels)
    by_one = sum(BY_ONE in found and FAILED not in found for found in kernels)
    if len(sys.argv) == 1:
        merge(OUT / "proofs.json", [{"case": "kernels-equal", "value": equal, "by-one-solver": by_one, "of": len(kernels)}])
    failed = sum(one.state == FAILED for one in every)
    print(f"\n{equal} of {len(kernels)} kernels are equal to portable C by both solvers, {by_one} by one\n"
          f"{len(every) - failed} passed, {failed} failed, 0 skipped")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
