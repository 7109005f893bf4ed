"""A program that does what its first argument names; without any library, as somebody else's would be."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

MODE = sys.argv[1]
HELLO = {"type": "hello", "protocol": 1}
QUESTIONS_BEFORE = 3


def say(message):
    print(json.dumps(message), flush=True)


def wait_forever():
    while True:
        time.sleep(60)


def complain_forever():
    while True:
        print("no " * 1_000, file=sys.stderr, flush=True)


def answer(question):
    return {"type": "answer", "id": question["id"], "action": question["legal"][0]}


def misbehave(question):
    """What it does at a question, after a few that it answers."""
    right = answer(question)
    if MODE == "crashes":
        raise RuntimeError("lost my cards")
    if MODE == "kills_itself":
        os.kill(os.getpid(), signal.SIGKILL)
    if MODE == "garbage":
        print("take the pile!", flush=True)
    if MODE == "no_object":
        say([1, 2])
    if MODE == "long_line":
        print("x" * 10_000_000, flush=True)
    if MODE == "endless_line":
        while True:
            sys.stdout.write("x" * 1_000)
    if MODE == "many_lines":
        while True:
            print("{}")
    if MODE == "leaves_a_flood":  # by a process that ends only when nobody reads any more
        subprocess.Popen(["yes", "{}"], start_new_session=True)
        wait_forever()
    if MODE == "illegal":
        say(right | {"action": "meld joker joker joker"})
    if MODE == "unknown_action":
        say(right | {"action": "think"})
    if MODE == "wrong_id":
        say(right | {"id": 1})
    if MODE == "answers_twice":
        say(right)
        say(right)
    if MODE == "closes_output":
        os.close(1)
        wait_forever()
    if MODE == "floods_errors":
        complain_forever()
    if MODE == "silent":
        wait_forever()
    if MODE == "slow":
        time.sleep(2)
        say(right)


if MODE == "crashes_in_hello":
    print("cannot find my weights", file=sys.stderr)
    sys.exit(3)
if MODE == "silent_in_hello":
    wait_forever()
if MODE == "other_protocol":
    HELLO["protocol"] = 99
if MODE == "stubborn":  # ignores what can be ignored, and has a child
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen(["sleep", "600"])
if len(sys.argv) > 2 and MODE == "stubborn":
    with Path(sys.argv[2]).open("a") as file:
        file.write(f"{os.getpid()} {child.pid} ")

num_questions = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say(HELLO)
    elif message["type"] == "question":
        num_questions += 1
        if MODE == "noisy":
            print("thinking " * 20_000, file=sys.stderr, flush=True)
        if MODE not in ("noisy", "stubborn") and num_questions > QUESTIONS_BEFORE:
            misbehave(message)
        else:
            say(answer(message))
if MODE == "stubborn":
    wait_forever()
