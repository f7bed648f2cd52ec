"""Drives a headless Chromium over its debugging pipe, with every host but this machine out of reach."""
import base64
import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import harness

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
           "--ignore-certificate-errors", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
           "--remote-debugging-pipe"]
DESKTOP, PHONE = (1180, 1500), (390, 2400)


class Page:
    """A page in a browser of its own."""

    def __init__(self, address: str, size: tuple[int, int] = DESKTOP, scheme: str = "light", zone: str = "Europe/Berlin"):
        ours, into = os.pipe()
        out, theirs = os.pipe()
        shell = ["bash", "-c", f'exec "$0" "$@" 3<&{ours} 4>&{theirs}']
        command = [*shell, CHROMIUM, *OPTIONS, f"--user-data-dir={harness.folder()}"]
        self.process = subprocess.Popen(command, pass_fds=(ours, theirs), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        env=os.environ | {"TZ": zone})
        os.close(ours)
        os.close(theirs)
        self.into, self.out, self.number, self.session = os.fdopen(into, "wb"), os.fdopen(out, "rb"), 0, None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=size == PHONE)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.enable")
        self.call("Page.navigate", url=address)
        self.wait("location.href !== 'about:blank' && document.readyState === 'complete'")

    def call(self, method: str, **parameters: object) -> dict:
        """The result of a command to the browser."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.into.write(json.dumps(message).encode() + b"\0")
        self.into.flush()
        while True:
            found = json.loads(self.read())
            if found.get("id") == self.number:
                if "error" in found:
                    raise RuntimeError(f"{method}: {found['error']}")
                return found["result"]

    def read(self) -> bytes:
        """The next message."""
        message = b""
        while (one := self.out.read(1)) != b"\0":
            if not one:
                raise RuntimeError("the browser has ended")
            message += one
        return message

    def value(self, expression: str) -> object:
        """The value of an expression in the page."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise RuntimeError(found["exceptionDetails"]["exception"].get("description", expression))
        return found["result"].get("value")

    def wait(self, expression: str) -> None:
        """Waits until an expression is true."""
        harness.wait_for(lambda: self.value(expression), lambda: f"{expression}\n{self.value('document.body.innerText')}", 30)

    def reload(self) -> None:
        """Loads the page again."""
        self.value("window.before = true")
        self.call("Page.reload")
        self.wait("!window.before && document.readyState === 'complete'")

    def picture(self, path: Path) -> Path:
        """A picture of the page as a PNG file."""
        time.sleep(0.3)
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
        return path

    def __enter__(self) -> "Page":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        self.into.close()
        self.out.close()
