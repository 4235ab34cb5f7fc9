# SPDX-License-Identifier: MIT
"""What the frameworks have in common. `calls` gives the ways to do a work, each a function without arguments."""

import re

from works import Unsupported


def slug(name):
    return re.sub(r"[^a-z0-9]+", "-", re.sub(r"\((r|tm)\)", "", name.lower())).strip("-") or "device"


class Base:
    graphs = False

    def calls(self, work):
        """[(name, call)]: call() does one iteration, or enqueues it, and gives the result."""
        name = type(work).__name__.lower()
        if not hasattr(self, name):
            raise Unsupported(f"{type(self).__module__[5:]} has no such operation")
        return getattr(self, name)(work)

    def loop(self, call):
        finish = self.finish

        def run(iterations):
            for _ in range(iterations - 1):
                call()
            finish(call())

        return run

    def finish(self, result):
        """Waits until `result` and all before it are done."""

    def release(self):
        """Frees what the last work held."""
