"""What string operators look for besides plain text: regular expressions, and words in any case.

Regular expressions are of bounded size and are matched in linear time (RE2).
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any
from unicodedata import category

from rankcast.errors import ModelError

MAX_REGEX = 1_000
"""Maximum number of characters of a regular expression."""
MAX_REGEX_BYTES = 256 * 1024
"""Maximum memory of a compiled regular expression, including its cache of matching states."""

_COMPILED = 1024


def check_regex(pattern: str) -> None:
    """Raise `ModelError` with RE2's reason if the pattern is invalid or too large."""
    if len(pattern) > MAX_REGEX:
        raise ModelError(
            f"a regular expression of {len(pattern):,} characters; it must have at most {MAX_REGEX:,}: "
            "write several, joined by 'or'"
        )
    _compiled(pattern)


def regex_test(pattern: str) -> Callable[[str], bool]:
    """A test of whether the pattern occurs anywhere in a string. O(characters).

    >>> regex_test("rises|sets")("the moon rises"), regex_test("^moon")("the moon rises")
    (True, False)
    """
    find = _compiled(pattern).Match
    return lambda value: find(value) is not None


def regex_options() -> Any:
    """The options for compiling patterns."""
    options = _re2().Options()
    options.max_mem = MAX_REGEX_BYTES
    options.never_capture = True
    options.log_errors = False
    return options


@lru_cache(maxsize=_COMPILED)
def _compiled(pattern: str) -> Any:
    # A set with one pattern answers yes or no five times as fast as a search, which also finds the position. It
    # checks its memory limit when it is compiled, so it never fails later.
    re2 = _re2()
    options = regex_options()
    try:
        re2.compile(pattern, options)
        only = re2.Set.SearchSet(options)
        only.Add(pattern)
        only.Compile()
    except re2.error as error:
        reason = error.args[0].decode() if isinstance(error.args[0], bytes) else str(error)
        if reason.startswith(("pattern too large", "failed to compile")):
            reason = f"it needs more than {MAX_REGEX_BYTES // 1024} KiB of memory; use fewer or smaller repetitions"
        raise ModelError(f"not a regular expression that RE2 takes: {reason}") from None
    return only


def _re2() -> Any:
    try:
        import re2
    except ImportError:
        raise ModelError("matches needs the package google-re2, which is missing: pip install google-re2") from None
    return re2


_ASCII_WORDS = re.compile(r"\w+", re.ASCII)
_JOINERS = "\u200c\u200d"


def word_key(text: str) -> str:
    """The words of a text in lower case, with a space around each.

    A substring search in it finds whole words.

    A word is a run of letters, marks, numbers and connecting punctuation, as in level 1 of Unicode's regular
    expressions (UTS #18, simple word boundaries). Case is folded; nothing else is normalised. O(characters).

    >>> word_key("Blue MOON, rising!")
    ' blue moon rising '
    """
    text = text.casefold()
    if not text.isascii():
        text = "".join([letter if _is_of_word(letter) else " " for letter in text])
        words = [word for word in text.split(" ") if word]
    else:
        words = _ASCII_WORDS.findall(text)
    return f" {' '.join(words)} " if words else ""


@lru_cache(maxsize=65_536)
def _is_of_word(letter: str) -> bool:
    kind = category(letter)
    return kind[0] in "LMN" or kind == "Pc" or letter in _JOINERS


def check_words(text: str) -> None:
    """Raise `ModelError` if the text contains no word."""
    if not word_key(text):
        raise ModelError(f"has needs at least one word, and {text!r} has none")
