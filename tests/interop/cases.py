"""Counts the test cases that pass and those that fail."""

import contextlib
import sys
import traceback


class Cases:
    def __init__(self):
        self.passed = self.failed = 0

    @contextlib.contextmanager
    def case(self, name):
        """A test case, which passes if no exception is raised."""
        try:
            yield
        except Exception as error:
            self.failed += 1
            where = traceback.extract_tb(error.__traceback__)[-1]
            print(
                f"FAILED {name}: {type(error).__name__}: {str(error)[:600]} ({where.name}, line {where.lineno})", file=sys.stderr
            )
        else:
            self.passed += 1


def equal(what, found, expected):
    if found != expected:
        raise AssertionError(f"{what}: expected {shorten(expected)}, found {shorten(found)}")


def shorten(value):
    text = repr(value)
    return text if len(text) <= 240 else f"{text[:240]}… ({len(text)} characters)"
