"""`.venv/bin/python -m proofs.kernels.run [NAME ...]`: proves kernels equal to portable C for all inputs, and prints a table.

Writes bench/out/proofs.json: how many kernels are equal. The exit status is 1 if a claim is not proved by both solvers. NAME
selects kernels."""
import sys
import time
from dataclasses import dataclass

from bench.record import OUT, write
from proofs.kernels.claim import Claim, ends
from proofs.kernels.claims import cortex_m4
from proofs.kernels.image import CORTEX_M4, Image, build
from proofs.kernels.machine import Processor, Refused
from proofs.kernels.solver import Verdict, decided
from proofs.kernels.thumb import Thumb

SECONDS = 60
NATIVE, PORTABLE = ("native", ("-O2",)), ("portable", ("-O2", "-DISOPOD_BACKEND=portable"))


@dataclass(frozen=True)
class Found:
    """The outcome of a claim: a verdict, or why the code could not be followed."""

    claim: Claim
    verdict: Verdict | None
    why: str
    seconds: float

    @property
    def is_proved(self) -> bool:
        """Whether the claim holds."""
        return self.verdict is not None and self.verdict.is_proved

    def line(self) -> str:
        """A row of the table."""
        if self.verdict is None:
            said = self.why
        else:
            solvers = ", ".join(f"{name} {answer}" for name, answer in self.verdict.answers.items()) or "by the normal form"
            said = f"{self.verdict.same} words the same, {self.verdict.asked} asked: {solvers}"
        state = "proved" if self.is_proved else "OPEN"
        return f"{state:<7} {self.claim.kernel:<26} {self.claim.note:<26} {self.seconds:6.1f} s  {said}"


def examined(claim: Claim, processor: Processor, kernel: Image, reference: Image) -> Found:
    """Runs both functions on terms, and asks the solvers."""
    start = time.process_time()
    try:
        verdict, why = decided(ends(claim, processor, kernel, reference), SECONDS), ""
    except Refused as refusal:
        verdict, why = None, str(refusal)
    return Found(claim, verdict, why, time.process_time() - start)


def main() -> int:
    """Exit status 1 if a claim is not proved."""
    processor, images = Thumb(), [build(CORTEX_M4, *one) for one in (NATIVE, PORTABLE)]
    found = []
    for claim in cortex_m4():
        if len(sys.argv) == 1 or claim.kernel in sys.argv[1:]:
            found.append(examined(claim, processor, *images))
            print(found[-1].line(), flush=True)
    kernels = {one.claim.kernel for one in found}
    equal = kernels - {one.claim.kernel for one in found if not one.is_proved}
    write(OUT / "proofs.json", [{"case": "kernels-equal", "value": len(equal), "of": len(kernels)}])
    failed = sum(not one.is_proved for one in found)
    print(f"\n{len(equal)} of {len(kernels)} kernels of the Cortex-M4 are equal to portable C\n"
          f"{len(found) - failed} passed, {failed} failed, 0 skipped")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
