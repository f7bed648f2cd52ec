"""`python3 -m bench.cost.advice --isopod PROGRAM --out FILE`: asks `isopod advise` for the answers that the page of the report
shows."""
import argparse
import csv
import itertools
import json
import subprocess
from pathlib import Path

from bench.record import write

TABLES = Path("crates/cost/tables")
JOBS = ("mean", "sum", "linear", "histogram", "alarm")
ASKED = ((24, 0.1), (24, 0.001), (512, 0.1))
FIELDS = ("set", "key", "layout", "bytes", "energy_mj", "latency_ms", "server_ms")


def names(table: str) -> list[str]:
    """The names in a table."""
    with open(TABLES / table, newline="") as file:
        return [row["name"] for row in csv.DictReader(file)]


def answer(program: str, job: str, board: str, link: str, asked: tuple[int, float]) -> dict:
    """The cheapest way to do a job, or the reason why there is none."""
    values, precision = asked
    words = [program, "--json", "advise", "--job", job, "--values", str(values), "--precision", str(precision), "--board", board,
             "--link", link]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    facts = {"job": job, "board": board, "link": link, "values": values, "precision": precision}
    if done.returncode:
        return facts | {"refusal": f"nothing measured fits {board}"}
    best = json.loads(done.stdout)[0]
    return facts | {field: best[field] for field in FIELDS}


def main() -> None:
    """Asks for every job, board and link."""
    parser = argparse.ArgumentParser(prog="python3 -m bench.cost.advice", description=__doc__)
    parser.add_argument("--isopod", required=True, help="the program isopod")
    parser.add_argument("--out", type=Path, required=True, help="where the answers go")
    options = parser.parse_args()
    boards = [name for name in names("boards.csv") if not name.startswith("raspberry")]
    links = [name for name in names("links.csv") if name != "loopback"]
    answers = [answer(options.isopod, *one) for one in itertools.product(JOBS, boards, links, ASKED)]
    write(options.out, {"jobs": JOBS, "boards": boards, "links": links, "answers": answers})


if __name__ == "__main__":
    main()
