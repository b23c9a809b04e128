"""Inputs drawn by the thousand, valid and hostile: whatever comes in, ctree takes it or refuses it in a sentence.

::

    python -m tests.fuzz --minutes 60 --jobs 2 --keep found       a long run; what it finds is kept in that folder
    python -m tests.fuzz --count 20000 --seed 7 --kind model      so many inputs of one kind
    python -m tests.fuzz --kind model --seed 7 --replay 1234      one input again: what it is, and what becomes of it
    python -m tests.fuzz --file tests/fuzz/found/x.json           an input that was kept
    python -m tests.fuzz --atheris model --minutes 5              led by coverage, where atheris is installed

A kind of input is a module with three things: ``draw(rng)`` gives an input as plain JSON, ``run(given, folder)`` does
with it what a user would do and says whether it was accepted, and ``MEMORY_MAY_RUN_OUT`` says whether a `MemoryError`
is an honest answer; ``prepare()``, if there is one, does beforehand what is needed once. Most inputs are mutations of
valid ones, so that about half of them get past the first checks. An input depends on nothing but its kind, the seed and
its number.

Inputs are run in a process of their own (`worker`), which has a limit of time and memory for each, and is started again
when an input ends it. What counts as a finding is in `judging`. A finding is made smaller and kept as a JSON file; once
the fault is mended, the file moves to ``found/``, and the suite runs it from then on.
"""
