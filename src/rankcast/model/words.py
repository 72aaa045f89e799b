"""The words of a text, in any script and case."""

import re
from functools import lru_cache
from unicodedata import category

from rankcast.errors import ModelError

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
