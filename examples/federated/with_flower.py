"""Runs the app under Flower on this machine: a SuperLink, four SuperNodes, one with the emulated board, and `flwr run`:

    PYTHONPATH=.:python:examples/federated/app python3 examples/federated/with_flower.py --rounds 12

Beside it the same training in the clear."""
import argparse
import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import isopod
import numpy as np
from federated import network

from ports import emulate

APP = Path(__file__).resolve().parent / "app"
FOLDER = emulate.ROOT / emulate.BUILD / "federated-flower"
CLIENTS = 4
ROUNDS = 12
SECONDS = 3600
# Flower gives each process 30 seconds from its start to its first word, then starts another one, without end.
LATE = "task-token authentication failed"


def free_ports(count: int) -> list[int]:
    """Ports of this machine on which nobody listens."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [found.getsockname()[1] for found in sockets]


class Flower:
    """Flower's processes, which end together."""

    def __init__(self, folder: Path):
        self.folder, self.processes = folder, []
        self.ports = free_ports(CLIENTS + 1)
        places = [str(emulate.ROOT), str(emulate.ROOT / "python"), str(APP), os.environ.get("PYTHONPATH", "")]
        self.environment = {**os.environ, "FLWR_HOME": str(folder / "flower"), "FLWR_TELEMETRY_ENABLED": "0",
                            "PYTHONPATH": os.pathsep.join(places),
                            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}

    def start(self, name: str, *words: str) -> None:
        """Starts one of Flower's programs; its output goes into a file."""
        log = (self.folder / f"{name}.log").open("w")
        program = str(Path(sys.executable).with_name(words[0]))
        self.processes.append(subprocess.Popen([program, *words[1:]], env=self.environment, cwd=emulate.ROOT, stdout=log,
                                               stderr=subprocess.STDOUT))

    def wait(self, name: str, port: int) -> None:
        """Waits until the program that was started last listens."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and self.processes[-1].poll() is None:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                return
            time.sleep(0.5)
        raise RuntimeError(f"{name}: does not listen; {self.folder}/{name}.log says why")

    def start_all(self, keys: isopod.Keys, board: int) -> None:
        """Starts the link, then a node for each client, one after another. Together they would start too slowly for the link."""
        link, *nodes = self.ports
        self.start("superlink", "flower-superlink", "--insecure", "--disable-runtime-dependency-installation", "--port",
                   str(link))
        self.wait("superlink", link)
        for number, port in enumerate(nodes, 1):
            node = f'device={number} keys="{keys.device(number)}" board={str(number == board).lower()}'
            self.start(f"node-{number}", "flower-supernode", "--insecure", "--superlink", f"127.0.0.1:{link}", "--port",
                       str(port), "--node-config", node)
            self.wait(f"node-{number}", port)

    def run(self, config: dict[str, str]) -> None:
        """Submits the app and waits for its end."""
        home = self.folder / "flower"
        home.mkdir(exist_ok=True)
        (home / "config.toml").write_text(
            f'[superlink]\ndefault = "here"\n\n[superlink.here]\naddress = "127.0.0.1:{self.ports[0]}"\ninsecure = true\n')
        words = " ".join(f"{name}={value}" for name, value in config.items())
        program = str(Path(sys.executable).with_name("flwr"))
        command = [program, "run", str(self.folder / "app"), "here", "--stream", "--run-config", words]
        with subprocess.Popen(command, env=self.environment, cwd=emulate.ROOT) as submitted:
            try:
                self.follow(submitted)
            finally:
                submitted.terminate()

    def follow(self, submitted: subprocess.Popen) -> None:
        """Waits until the app ends."""
        end = time.monotonic() + SECONDS
        while submitted.poll() is None:
            for log in self.folder.glob("*.log"):
                if LATE in log.read_text(errors="replace"):
                    raise RuntimeError(f"{log.stem}: a process took over 30 seconds to start; leave the machine less to do")
            if time.monotonic() > end:
                raise RuntimeError(f"flwr run: took over {SECONDS} seconds; logs are in {self.folder}")
            time.sleep(1)
        if submitted.returncode != 0:
            raise RuntimeError(f"flwr run: exit status {submitted.returncode}; logs are in {self.folder}")

    def stop(self) -> None:
        """Ends every process."""
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(30)


def run(folder: Path, rounds: int) -> dict:
    """The server's report, with the accuracy of the same training in the clear."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copytree(APP, folder / "app", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(emulate.ROOT / "LICENSE", folder / "app")
    keys = isopod.keygen(folder / "keys", set="ckks-2048x1-air", devices=range(1, CLIENTS + 1), passphrase=None)
    report = folder / "report.json"
    config = {"rounds": str(rounds), "server-keys": f'"{keys.server}"', "owner-keys": f'"{keys.owner}"', "report": f'"{report}"'}
    flower = Flower(folder)
    try:
        flower.start_all(keys, board=CLIENTS)
        flower.run(config)
    finally:
        flower.stop()
    if not report.exists():
        raise RuntimeError(f"the server wrote no report; logs are in {folder}")
    return json.loads(report.read_text()) | {"rounds": rounds, "accuracy_in_the_clear": accuracy_in_the_clear(rounds)}


def accuracy_in_the_clear(rounds: int) -> float:
    """The accuracy after the same training without encryption."""
    shares, test = network.digits(CLIENTS)
    weights = network.start()
    for _ in range(rounds):
        weights = np.mean([network.trained(weights, share) for share in shares], axis=0, dtype=np.float32)
    return network.accuracy(weights, test)


def main() -> None:
    """Runs and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    print(json.dumps(run(FOLDER, parser.parse_args().rounds), indent=1))


if __name__ == "__main__":
    main()
