"""Headless Chromium, driven over its debugging pipe (descriptors 3 and 4): no port, no driver."""

import base64
import json
import os
import select
import shutil
import subprocess
import time

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe",
]  # fmt: skip
PATIENCE = 30.0


def found():
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Chromium:
    """A browser with one page. `events` are what the page reported since it was opened."""

    def __init__(self, profile):
        to_browser, self.write = os.pipe()
        self.read, from_browser = os.pipe()
        # The browser reads from 3 and writes to 4, whatever the numbers are here.
        script = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        command = ["bash", "-c", script, "chromium", found(), *FLAGS, f"--user-data-dir={profile}"]
        self.process = subprocess.Popen(
            [*command, "about:blank"],
            pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self.left, self.count, self.events, self.session = b"", 0, [], None
        self.patience = PATIENCE
        page = next(t for t in self.targets() if t["type"] == "page")
        attached = self.send("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.send(f"{domain}.enable")

    def targets(self):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            targets = self.send("Target.getTargets")["targetInfos"]
            if any(t["type"] == "page" for t in targets):
                return targets
            time.sleep(0.05)
        raise TimeoutError("chromium opened no page")

    def send(self, method, **params):
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write, data) :]
        while True:
            answer = self.receive()
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def receive(self):
        end = time.monotonic() + self.patience
        while b"\0" not in self.left:
            ready, _, _ = select.select([self.read], [], [], max(0.0, end - time.monotonic()))
            chunk = os.read(self.read, 1 << 20) if ready else b""
            if not chunk:
                raise TimeoutError("chromium does not answer")
            self.left += chunk
        line, self.left = self.left.split(b"\0", 1)
        return json.loads(line)

    def open(self, path, *, width=1280, scripts=True, scheme="light", media="screen"):
        self.events.clear()
        self.send("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=False,
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.send("Emulation.setEmulatedMedia", media=media, features=features)
        self.send("Page.navigate", url=path.as_uri())
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self.receive())

    def evaluate(self, expression):
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return answer["result"].get("value")

    def press(self, key, code, number):
        for kind in ("rawKeyDown", "keyUp"):
            self.send(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=code,
                windowsVirtualKeyCode=number,
            )

    def screenshot(self, path, *, whole=False):
        image = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(image["data"]))

    def requests(self):
        sent = [e["params"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        return [p["request"]["url"] for p in sent]

    def complaints(self):
        """Console messages of any kind, exceptions, and what the browser itself logs."""
        kinds = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        return [e["params"] for e in self.events if e.get("method") in kinds]

    def close(self):
        try:
            self.session = None
            self.send("Browser.close")
            self.process.wait(10)
        except (OSError, RuntimeError, TimeoutError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        for end in (self.read, self.write):
            os.close(end)
