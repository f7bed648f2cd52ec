"""Runs the app under Flower on this machine: a SuperLink, four SuperNodes, one with the emulated board, and `flwr run`:

    PYTHONPATH=.:python python3 examples/federated/with_flower.py --rounds 3"""
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

from ports import emulate

APP = Path(__file__).resolve().parent / "app"
FOLDER = emulate.ROOT / emulate.BUILD / "federated-flower"
CLIENTS = 4
SECONDS = 1800


def free_ports(count: int) -> list[int]:
    """Ports of this machine that nobody listens on."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [found.getsockname()[1] for found in sockets]


class Flower:
    """Flower's processes, ended together."""

    def __init__(self, folder: Path):
        self.folder, self.processes = folder, []
        self.ports = free_ports(CLIENTS + 1)
        places = [str(emulate.ROOT), str(emulate.ROOT / "python"), str(APP), os.environ.get("PYTHONPATH", "")]
        self.environment = {**os.environ, "FLWR_HOME": str(folder / "flower"), "FLWR_TELEMETRY_ENABLED": "0",
                            "PYTHONPATH": os.pathsep.join(places),
                            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}

    def start(self, name: str, *words: str) -> None:
        """Starts one of its programs; what it says goes into a file."""
        log = (self.folder / f"{name}.log").open("w")
        program = str(Path(sys.executable).with_name(words[0]))
        self.processes.append(subprocess.Popen([program, *words[1:]], env=self.environment, cwd=emulate.ROOT, stdout=log,
                                               stderr=subprocess.STDOUT))

    def wait(self, port: int) -> None:
        """Until the link listens."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and self.processes[0].poll() is None:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                return
            time.sleep(0.5)
        raise RuntimeError(f"superlink: does not listen; {self.folder}/superlink.log says why")

    def start_all(self, keys: isopod.Keys, board: int) -> None:
        """The link, and a node for each client."""
        link, *nodes = self.ports
        self.start("superlink", "flower-superlink", "--insecure", "--disable-runtime-dependency-installation", "--port",
                   str(link))
        self.wait(link)
        for number, port in enumerate(nodes, 1):
            node = f'device={number} keys="{keys.device(number)}" board={str(number == board).lower()}'
            self.start(f"node-{number}", "flower-supernode", "--insecure", "--superlink", f"127.0.0.1:{link}", "--port",
                       str(port), "--node-config", node)

    def run(self, config: dict[str, str]) -> None:
        """Submits the app and waits for its end."""
        home = self.folder / "flower"
        home.mkdir(exist_ok=True)
        (home / "config.toml").write_text(
            f'[superlink]\ndefault = "here"\n\n[superlink.here]\naddress = "127.0.0.1:{self.ports[0]}"\ninsecure = true\n')
        words = " ".join(f"{name}={value}" for name, value in config.items())
        program = str(Path(sys.executable).with_name("flwr"))
        subprocess.run([program, "run", str(self.folder / "app"), "here", "--stream", "--run-config", words],
                       env=self.environment, cwd=emulate.ROOT, check=True, timeout=SECONDS)

    def stop(self) -> None:
        """Ends every process."""
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(30)


def run(folder: Path, rounds: int) -> dict:
    """The server's report."""
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
    return json.loads(report.read_text())


def main() -> None:
    """Runs and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    print(json.dumps(run(FOLDER, parser.parse_args().rounds), indent=1))


if __name__ == "__main__":
    main()
