"""`python3 -m bench.scale.page`: the tables of docs/scale.md, by bench/scale/measured.json, stated assumptions and a simulation.

Without options it writes the page, and with --check it fails if the page is stale. With an assumption of your own, such as
--core-hour 0.05 or --packet-seconds 3600, it prints the tables and writes nothing."""
import argparse
import sys
from dataclasses import fields, replace
from pathlib import Path

from bench.document import markdown, with_table
from bench.freshness import stale
from bench.record import ROOT
from bench.scale.simulation import Death, Outcome, Site, bad_time, simulate
from bench.scale.sizes import ASSUMED, Assumptions, Fleet, assumed, measured, site, size

PAGE = ROOT / "docs/scale.md"
PARTS = ("costs", "needs", "bad", "deaths", "check")
FLEETS = [Fleet(devices, kind, has_brokers) for kind in ("packet", "frame")
          for devices, has_brokers in ((10_000, False), (10_000, True), (1_000_000, True), (100_000_000, True))]
NAMES = {10_000: "ten thousand", 1_000_000: "a million", 100_000_000: "a hundred million"}
SECONDS = 300.0  # of a simulated time
SERVER_AWAY, BROKER_AWAY = 30.0, 60.0
RUNS = 50  # simulations that a measured run is held against


def figure(value: float) -> str:
    """A number with three digits, or whole."""
    if value >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.3g}"


def seconds(value: float) -> str:
    """A time, in seconds."""
    return f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def named(fleet: Fleet) -> tuple[str, str, str]:
    """The columns that name a fleet."""
    return NAMES[fleet.devices], f"{fleet.kind}s", "Kafka" if fleet.has_brokers else "one server"


def costs(figures: dict[str, float], _given: Assumptions) -> str:
    """The price of a message."""
    columns = ("one message", "bytes", "processor µs to take it", "processor µs in a sum", "bytes of log", "bytes of table",
               "peak MB of the server")
    cases = ("bytes", "ingest-cpu-us", "sum-cpu-us", "log-bytes", "table-bytes", "rss-mb")
    names = {"packet": "packet of ten readings, a thousand in a body", "frame": "frame of 2,048 values, sixteen in a body"}
    return markdown(columns, [(name, *(figure(figures[f"{kind}-{case}"]) for case in cases)) for kind, name in names.items()])


def needs(figures: dict[str, float], given: Assumptions) -> str:
    """Needs of fleets."""
    columns = ("devices", "messages", "through", "a second", "MB a second", "busy cores at the peak", "servers", "RAM, GB",
               "core hours of a day's sum", "brokers", "disk, GB", "object store, GB", "cost an hour")
    rows = []
    for fleet in FLEETS:
        of = size(fleet, figures, given)
        rows.append((*named(fleet), figure(of.rate), figure(of.mb), figure(of.cores), of.servers, figure(of.ram_gb),
                     figure(of.sum_hours), of.brokers, figure(of.disk_gb), figure(of.object_gb), f"{of.price:.2f}"))
    return markdown(columns, rows, 3)


def told(found: Outcome) -> tuple[str, ...]:
    """The columns of a simulated time."""
    times = (found.receipt.quantile(0.99), found.receipt.most, found.lag.quantile(0.99), found.lag.most)
    return (f"{100 * found.busy:.1f}", *map(seconds, times),
            f"{100 * (found.attempts / found.sent - 1):.1f}", f"{100 * found.again / found.sent:.1f}")


TOLD = ("servers busy, %", "receipt: 99 %", "last", "lag: 99 %", "last", "sent again, %", "read again, %")


def bad(figures: dict[str, float], given: Assumptions) -> str:
    """Fleets in a bad time."""
    rows = []
    for fleet in FLEETS:
        away = site(fleet, figures, given, SECONDS)
        rows.append((*named(fleet), *told(simulate(bad_time(away, SERVER_AWAY, BROKER_AWAY)))))
    return markdown(("devices", "messages", "through", *TOLD), rows, 3)


def deaths(figures: dict[str, float], given: Assumptions) -> str:
    """One death at a time."""
    kafka = site(Fleet(1_000_000, "packet"), figures, given, SECONDS)
    alone = site(Fleet(10_000, "packet", False), figures, given, SECONDS)
    server, broker = Death(120, "server", 0, SERVER_AWAY), Death(120, "broker", 0, BROKER_AWAY)
    cases: list[tuple[str, Site, tuple[Death, ...]]] = [
        ("nobody", kafka, ()), ("a server of the group", kafka, (server,)),
        ("all servers of the group", kafka, tuple(replace(server, number=number) for number in range(kafka.servers))),
        ("a broker", kafka, (broker,)), ("two brokers", kafka, (broker, replace(broker, number=1))),
        ("the only server, without Kafka", alone, (server,)),
    ]
    rows = [(name, *told(simulate(replace(of, deaths=dying)))) for name, of, dying in cases]
    return markdown(("who dies", *TOLD), rows)


def of_run(found: Outcome) -> dict[str, float]:
    """The figures that a run and its simulation have in common."""
    return {"attempts for a message": found.attempts / found.sent, "known, for a message": found.known / found.sent,
            "receipt: mean": found.receipt.mean(), "receipt: 90 %": found.receipt.quantile(0.9),
            "receipt: 99 %": found.receipt.quantile(0.99), "receipt: last": found.receipt.most}


def foretold(figures: dict[str, float], away: float | None = None) -> dict[str, tuple[float, float, float]]:
    """For each figure of the measured run: the least and the largest of RUNS simulations, and the measured one."""
    rate = figures["run-sent"] / 60
    run = Site(rate=rate, seconds=180, quiet=120, per_second=1e6 / figures["frame-ingest-cpu-us"], loss=0.02, first_pause=1,
               deaths=(Death(20, "server", 0, figures["run-away-seconds"] if away is None else away),))
    found = [of_run(simulate(run, seed)) for seed in range(RUNS)]
    seen = {"attempts for a message": figures["run-attempts"] / figures["run-sent"],
            "known, for a message": figures["run-known"] / figures["run-sent"], "receipt: mean": figures["run-receipt-mean"],
            "receipt: 90 %": figures["run-receipt-p90"], "receipt: 99 %": figures["run-receipt-p99"],
            "receipt: last": figures["run-receipt-most"]}
    return {name: (min(each[name] for each in found), max(each[name] for each in found), value) for name, value in seen.items()}


def check(figures: dict[str, float], _given: Assumptions) -> str:
    """The simulation beside the measured run."""
    rows = [(name, f"{least:.3g} to {most:.3g}", f"{value:.3g}") for name, (least, most, value) in foretold(figures).items()]
    rows.append(("lost, doubled", "0, 0", f"{figures['run-lost']:.0f}, {figures['run-doubled']:.0f}"))
    return markdown(("", f"{RUNS} simulations", "measured"), rows)


def tables(figures: dict[str, float], given: Assumptions) -> dict[str, str]:
    """All tables, by name."""
    makers = {"costs": costs, "needs": needs, "bad": bad, "deaths": deaths, "check": check}
    return {part: makers[part](figures, given) for part in PARTS}


def notes(figures: dict[str, float]) -> str:
    """A sentence on the cases that are not measured yet."""
    missing = assumed(figures)
    if not missing:
        return "Every figure of the path over Kafka is measured."
    listed = ", ".join(f"`{case}` {ASSUMED[case]:g}" for case in missing)
    return f"**Not measured yet** on the path over Kafka, and taken at their limits: {listed}."


def filled(text: str, figures: dict[str, float]) -> str:
    """The page with fresh tables."""
    parts = tables(figures, Assumptions()) | {"notes": notes(figures)}
    for part, table in parts.items():
        text = with_table(text, table, f"<!-- {part}-begin -->", f"<!-- {part}-end -->")
    return text


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the page is stale")
    for each in fields(Assumptions):
        parser.add_argument(f"--{each.name.replace('_', '-')}", type=type(each.default), help=f"{each.default:g} unless given")
    return parser.parse_args()


def main(page: Path = PAGE) -> int:
    """Writes, checks or prints."""
    options = arguments()
    own = {each.name: value for each in fields(Assumptions) if (value := getattr(options, each.name)) is not None}
    try:
        figures = measured()
        if own:
            for name, table in tables(figures, Assumptions(**own)).items():
                print(f"{name}\n\n{table}\n")
            return 0
        text = page.read_text()
        fresh = filled(text, figures)
    except (OSError, ValueError, KeyError) as error:
        print(f"{type(error).__name__}: {error}; `python3 -m bench.scale.measure --keep` measures", file=sys.stderr)
        return 2
    if options.check:
        complaints = stale(text, fresh)
        print("\n".join(["scale.md is stale; `python3 -m bench.scale.page` rewrites it", *complaints] if complaints else []),
              file=sys.stderr)
        return int(bool(complaints))
    page.write_text(fresh)
    return 0


if __name__ == "__main__":
    sys.exit(main())
