"""What all tests share: Hypothesis draws the same examples every time, and slow machines are no failures."""

from hypothesis import settings

settings.register_profile("deterministic", derandomize=True, deadline=None, database=None, max_examples=12)
settings.load_profile("deterministic")
