"""Headless Chromium for tests of pages, driven by its DevTools protocol over a pipe."""

import base64
import itertools
import json
import os
import select
import shutil
import subprocess
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")


def installed():
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page. `events` are the notifications of the protocol so far."""

    def __init__(self, folder, width=1400, height=1500):
        down_read, self._down = os.pipe()
        self._up, up_write = os.pipe()
        # The browser reads commands from descriptor 3 and writes to 4.
        words = [
            installed(), "--headless", "--no-sandbox", "--remote-debugging-pipe", f"--user-data-dir={folder}",
            f"--window-size={width},{height}", "--hide-scrollbars", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
            "about:blank",
        ]  # fmt: skip
        script = f'exec 3<&{down_read} 4>&{up_write}; exec "$@"'
        self._process = subprocess.Popen(
            ["bash", "-c", script, "browser", *words], pass_fds=(down_read, up_write), stderr=subprocess.DEVNULL
        )
        os.close(down_read)
        os.close(up_write)
        self._numbers, self._rest, self.events, self._session = itertools.count(1), b"", [], None
        page = self.send("Target.createTarget", url="about:blank", width=width, height=height)["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait(20)
        os.close(self._down)
        os.close(self._up)

    def send(self, method, limit=60, **parameters):
        """Sends a command and returns its result."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._down, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + limit
        while True:
            answer = self._read(until - time.monotonic(), method)
            if answer.get("id") == number:
                assert "error" not in answer, answer["error"]
                return answer["result"]
            self.events.append(answer)

    def _read(self, limit, method):
        while b"\0" not in self._rest:
            if not select.select([self._up], [], [], max(0, limit))[0]:
                raise TimeoutError(f"the browser did not answer {method}")
            part = os.read(self._up, 1 << 16)
            assert part, "the browser ended"
            self._rest += part
        line, self._rest = self._rest.split(b"\0", 1)
        return json.loads(line)

    def open(self, path, limit=30):
        loader = self.send("Page.navigate", url=f"file://{path}")["loaderId"]
        until = time.monotonic() + limit
        while self.send("Page.getFrameTree")["frameTree"]["frame"]["loaderId"] != loader:  # still the page before it
            assert time.monotonic() < until, f"not within {limit} s: {path}"
            time.sleep(0.05)
        self.wait_for("document.readyState === 'complete'", limit)

    def value(self, expression):
        """Value of an expression of JavaScript."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait_for(self, expression, limit=30):
        until = time.monotonic() + limit
        while not self.value(expression):
            assert time.monotonic() < until, f"not within {limit} s: {expression}"
            time.sleep(0.05)

    def drag(self, *points):
        """Presses the mouse at the first point, moves it through the others and releases it at the last."""
        for i, (x, y) in enumerate(points):
            self._mouse("mouseMoved", x, y, **({"button": "left", "buttons": 1} if i else {}))
            if i == 0:
                self._mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        self._mouse("mouseReleased", *points[-1], button="left", clickCount=1)

    def _mouse(self, kind, x, y, **more):
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.send("Page.captureScreenshot")["data"]))

    def complaints(self):
        """Errors of the console, exceptions and requests to a network."""
        found = []
        for each in self.events:
            method, given = each.get("method"), each.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(given["exceptionDetails"])
            if method == "Runtime.consoleAPICalled" and given["type"] in ("error", "assert"):
                found.append(given["args"])
            if method == "Log.entryAdded" and given["entry"]["level"] == "error":
                found.append(given["entry"])
            if method == "Network.requestWillBeSent" and not given["request"]["url"].startswith(("file:", "data:", "blob:")):
                found.append(given["request"]["url"])
        return found
