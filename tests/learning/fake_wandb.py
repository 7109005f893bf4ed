"""A module with the little of Weights & Biases that is called, which keeps what it is told."""

import sys
from types import ModuleType


class FakeWandb(ModuleType):
    """Stands in for `wandb`; `refuses` is what it says to `init`."""

    class Error(Exception):
        """As wandb.Error."""

    def __init__(self, refuses=""):
        super().__init__("wandb")
        self.refuses = refuses
        self.begun, self.lines, self.num_finished = [], [], 0

    def install(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "wandb", self)

    def init(self, **options):
        if self.refuses:
            raise self.Error(self.refuses)
        self.begun.append(options)
        return self

    def log(self, metrics, step):
        self.lines.append((step, metrics))

    def finish(self):
        self.num_finished += 1
