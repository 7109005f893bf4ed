"""What all tests share: Hypothesis draws the same examples every time, and slow machines are no failures.

Test processes run beside each other, so PyTorch's threads must not wait actively.
"""

from hypothesis import settings

from canasta_agents.processes import wait_passively

wait_passively()

settings.register_profile("deterministic", derandomize=True, deadline=None, database=None, max_examples=12)
settings.load_profile("deterministic")
