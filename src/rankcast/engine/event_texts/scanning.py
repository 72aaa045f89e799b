# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls
"""Finds the parts of a plain event in the bytes of its JSON, without making objects.

Plain are events with an id, a time in UTC, perhaps a source, and attributes that are strings, numbers, booleans, lists
of strings or times, without escapes. Everything else is left to `rankcast.language.decode_event`.
"""

import numpy as np
from numba import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from rankcast.compiling import kernel

HEAD = 7
IS_PLAIN, ID, TIME, SOURCE = 0, 1, 3, 5
"""The columns of an event: whether it is plain, then begin and end of three texts; a missing source begins at -1."""

NO_ASCII = 2
"""An event that is plain if its bytes are valid UTF-8."""

MEMBERS = 64
"""The number of attributes, and of values of one attribute, up to which an event is plain."""

MEMBER = 5
NAME, VALUE, KIND = 0, 2, 4
"""The columns of an attribute: begin and end of its name without quotes and of its value, and the kind of the value."""

EXACT, OTHER = 1, 0
"""Kinds of value: a number that `reals` has exactly, and all others."""

_SPACE, _QUOTE, _COMMA, _COLON, _BACKSLASH, _DELETE = 32, 34, 44, 58, 92, 127
_OPEN, _CLOSE, _OPEN_LIST, _CLOSE_LIST = 123, 125, 91, 93
_MINUS, _PLUS, _DOT, _ZERO, _NINE = 45, 43, 46, 48, 57
_MOST_DIGITS = 18
_EXACT_WHOLE = 1 << 53
_POWERS = np.array([float(f"1e{power}") for power in range(23)])
"""The powers of ten that a double has exactly."""


_ATTRIBUTES = np.frombuffer(b"attributes", np.uint8)
_TIME_WORD = np.frombuffer(b"time", np.uint8)
_SOURCE_WORD = np.frombuffer(b"source", np.uint8)
_TRUE = np.frombuffer(b"true", np.uint8)
_FALSE = np.frombuffer(b"false", np.uint8)


@intrinsic
def pointer_to(typing, array):
    """The bytes of an array without the array: each call with an array counts its users, which takes longer."""

    def made(context, builder, signature, arguments):
        return make_array(signature.args[0])(context, builder, arguments[0]).data

    return types.CPointer(types.uint8)(array), made


@kernel
def _is_word(data, at, word):
    place = 0
    while place < len(word) and data[at + place] == word[place]:
        place += 1
    return place == len(word)


@kernel
def hash_of(data, begin, end, seed):
    """A hash of some bytes."""
    found = np.uint64(seed) ^ np.uint64(0xCBF29CE484222325)
    for at in range(np.uint64(begin), np.uint64(end)):
        found = (found ^ np.uint64(data[at])) * np.uint64(0x100000001B3)
    return found ^ (found >> np.uint64(29))


@kernel
def _skip(data, at, end):
    while at < end and (data[at] == _SPACE or data[at] == 9 or data[at] == 10 or data[at] == 13):
        at += 1
    return at


@kernel
def _string(data, at, end):
    """The position of the closing quote, and whether all is ASCII; -1 if this is no string without escapes."""
    if at >= end or data[at] != _QUOTE:
        return np.int64(-1), True
    highest = np.uint8(0)
    for place in range(np.uint64(at + 1), np.uint64(end)):
        byte = data[place]
        if byte == _QUOTE:
            return np.int64(place), highest < 128
        if byte == _BACKSLASH or byte < _SPACE:
            break
        highest |= byte
    return np.int64(-1), True


@kernel
def _name(data, at, end, longest):
    """As `_string`, for a name: of printable ASCII, not empty, not too long; with its `hash_of`."""
    found = np.uint64(0xCBF29CE484222325)
    if at < end and data[at] == _QUOTE:
        for place in range(np.uint64(at + 1), np.uint64(min(end, at + longest + 2))):
            byte = data[place]
            if byte == _QUOTE:
                close = np.int64(place)
                return close if close > at + 1 else np.int64(-1), found ^ (found >> np.uint64(29))
            if byte == _BACKSLASH or byte < _SPACE or byte >= _DELETE:
                break
            found = (found ^ np.uint64(byte)) * np.uint64(0x100000001B3)
    return np.int64(-1), found


@kernel
def _digits(data, at, count):
    """The number that some digits write; -1 if one is no digit."""
    found = 0
    for place in range(at, at + count):
        if data[place] < _ZERO or data[place] > _NINE:
            return -1
        found = 10 * found + (data[place] - _ZERO)
    return found


@kernel
def _is_time(data, begin, end):
    """Whether a text is a time like 2004-02-13T20:05:00Z, perhaps with microseconds."""
    if (end - begin != 20 and end - begin != 27) or data[end - 1] != 90:
        return False
    if data[begin + 4] != _MINUS or data[begin + 7] != _MINUS or data[begin + 10] != 84:
        return False
    if data[begin + 13] != _COLON or data[begin + 16] != _COLON:
        return False
    if end - begin == 27 and (data[begin + 19] != _DOT or _digits(data, begin + 20, 6) < 0):
        return False
    year, month, day = _digits(data, begin, 4), _digits(data, begin + 5, 2), _digits(data, begin + 8, 2)
    hour, minute, second = _digits(data, begin + 11, 2), _digits(data, begin + 14, 2), _digits(data, begin + 17, 2)
    if year < 1 or month < 1 or month > 12 or day < 1 or hour < 0 or hour > 23:
        return False
    if minute < 0 or minute > 59 or second < 0 or second > 59:
        return False
    days = 31
    if month == 2:
        days = 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    elif month == 4 or month == 6 or month == 9 or month == 11:
        days = 30
    return day <= days


@kernel
def _number(data, at, end):
    """The end of a number, its kind and its value if that is exact; -1 if it is none, or a very long one."""
    is_negative = data[at] == _MINUS
    if is_negative:
        at += 1
    begin, whole, power, digits = at, np.int64(0), 0, 0
    while at < end and _ZERO <= data[at] <= _NINE:
        if digits < _MOST_DIGITS:
            whole = 10 * whole + np.int64(data[at] - _ZERO)
        digits += 1
        at += 1
    if digits == 0 or (digits > 1 and data[begin] == _ZERO):
        return np.int64(-1), OTHER, 0.0
    if at < end and data[at] == _DOT:
        at += 1
        begin = at
        while at < end and _ZERO <= data[at] <= _NINE:
            if digits < _MOST_DIGITS:
                whole = 10 * whole + np.int64(data[at] - _ZERO)
            digits += 1
            at += 1
        power = begin - at
        if power == 0:
            return np.int64(-1), OTHER, 0.0
    if digits > _MOST_DIGITS:
        return np.int64(-1), OTHER, 0.0
    if at < end and (data[at] == 101 or data[at] == 69):
        at += 1
        sign = 1
        if at < end and (data[at] == _PLUS or data[at] == _MINUS):
            sign = -1 if data[at] == _MINUS else 1
            at += 1
        begin, exponent = at, 0
        while at < end and _ZERO <= data[at] <= _NINE and at - begin < 3:
            exponent = 10 * exponent + np.int64(data[at] - _ZERO)
            at += 1
        if at == begin or at - begin > 2:
            return np.int64(-1), OTHER, 0.0
        power += sign * exponent
    value = np.float64(-whole if is_negative else whole)
    if whole > _EXACT_WHOLE or power < -22 or power > 22:
        return np.int64(at), OTHER, 0.0
    return np.int64(at), EXACT, value * _POWERS[power] if power >= 0 else value / _POWERS[-power]


@kernel
def _strings(data, at, end, hashes):
    """The end of a list of different strings, and whether all is ASCII; -1 if this is none, or a long one."""
    count, is_ascii = 0, True
    at = _skip(data, at + 1, end)
    while count < len(hashes):
        close, one = _string(data, at, end)
        if close < 0:
            break
        is_ascii &= one
        hashes[count] = hash_of(data, at + 1, close, 0)
        for other in range(count):
            if hashes[other] == hashes[count]:
                return np.int64(-1), True
        count += 1
        at = _skip(data, close + 1, end)
        if at < end and data[at] == _CLOSE_LIST:
            return np.int64(at + 1), is_ascii
        if at >= end or data[at] != _COMMA:
            break
        at = _skip(data, at + 1, end)
    return np.int64(-1), True


@kernel
def _time_object(data, at, end):
    """The end of an object with just a plain time; -1 if this is none."""
    at = _skip(data, at + 1, end)
    close, _ = _string(data, at, end)
    if close - at != 5 or not _is_word(data, at + 1, _TIME_WORD):
        return np.int64(-1)
    at = _skip(data, close + 1, end)
    if at >= end or data[at] != _COLON:
        return np.int64(-1)
    at = _skip(data, at + 1, end)
    close, _ = _string(data, at, end)
    if close < 0 or not _is_time(data, at + 1, close):
        return np.int64(-1)
    at = _skip(data, close + 1, end)
    return np.int64(at + 1) if at < end and data[at] == _CLOSE else np.int64(-1)


@kernel
def _word(data, at, end):
    """The end of `true` or `false`; -1 if this is neither."""
    if end - at >= 4 and _is_word(data, at, _TRUE):
        return np.int64(at + 4)
    return np.int64(at + 5) if end - at >= 5 and _is_word(data, at, _FALSE) else np.int64(-1)


@kernel
def _attributes(data, at, end, longest, members, hashes, reals, spare):
    """The end of the object of attributes, their number, and whether all is ASCII; -1 if it is not plain."""
    nothing, is_ascii, count = np.int64(-1), True, 0
    if at >= end or data[at] != _OPEN:
        return nothing, 0, True
    at = _skip(data, at + 1, end)
    if at < end and data[at] == _CLOSE:
        return np.int64(at + 1), 0, True
    while count < len(members):
        close, hashes[count] = _name(data, at, end, longest)
        if close < 0:
            break
        members[count, NAME], members[count, NAME + 1] = at + 1, close
        for other in range(count):
            if hashes[other] == hashes[count]:  # perhaps the same name twice
                return nothing, 0, True
        at = _skip(data, close + 1, end)
        if at >= end or data[at] != _COLON:
            break
        at = _skip(data, at + 1, end)
        if at >= end:
            break
        begin, byte, kind, one = at, data[at], OTHER, True
        if byte == _QUOTE:
            at, one = _string(data, at, end)
            at += at >= 0
        elif byte == _MINUS or _ZERO <= byte <= _NINE:
            at, kind, reals[count] = _number(data, at, end)
        elif byte == _OPEN_LIST:
            at, one = _strings(data, at, end, spare)
        elif byte == _OPEN:
            at = _time_object(data, at, end)
        else:
            at = _word(data, at, end)
        if at < 0:
            break
        is_ascii &= one
        members[count, VALUE], members[count, VALUE + 1], members[count, KIND] = begin, at, kind
        count += 1
        at = _skip(data, at, end)
        if at < end and data[at] == _CLOSE:
            return np.int64(at + 1), count, is_ascii
        if at >= end or data[at] != _COMMA:
            break
        at = _skip(data, at + 1, end)
    return nothing, 0, True


@kernel
def scan_event(data, begin, end, longest, head, members, hashes, reals, spare):
    """Find the parts of the event in data[begin:end]: fills `head`, and a row for each attribute.

    Returns the number of attributes, or -1 if the event is not plain. `longest` is the length of the longest name.
    """
    head[IS_PLAIN] = 0
    head[ID] = head[TIME] = head[SOURCE] = -1
    count, is_ascii = -1, True
    at = _skip(data, begin, end)
    if at >= end or data[at] != _OPEN:
        return -1
    at = _skip(data, at + 1, end)
    while True:
        close, _ = _string(data, at, end)
        if close < 0:
            return -1
        length, first = close - at - 1, data[at + 1]
        at = _skip(data, close + 1, end)
        if at >= end or data[at] != _COLON:
            return -1
        at = _skip(data, at + 1, end)
        field = close - length
        if length == 10 and count < 0 and _is_word(data, field, _ATTRIBUTES):
            at, count, is_ascii = _attributes(data, at, end, longest, members, hashes, reals, spare)
            if at < 0:
                return -1
        else:
            part = -1
            if length == 2 and first == 105 and data[field + 1] == 100:
                part = ID
            elif length == 4 and _is_word(data, field, _TIME_WORD):
                part = TIME
            elif length == 6 and _is_word(data, field, _SOURCE_WORD):
                part = SOURCE
            if part < 0 or head[part] >= 0:
                return -1
            close, _ = _name(data, at, end, longest)
            if close < 0 or (part == TIME and not _is_time(data, at + 1, close)):
                return -1
            head[part], head[part + 1] = at + 1, close
            at = close + 1
        at = _skip(data, at, end)
        if at < end and data[at] == _CLOSE:
            break
        if at >= end or data[at] != _COMMA:
            return -1
        at = _skip(data, at + 1, end)
    if _skip(data, at + 1, end) != end or count < 0 or head[ID] < 0 or head[TIME] < 0:
        return -1
    head[IS_PLAIN] = 1 if is_ascii else NO_ASCII
    return count


@kernel
def scan_events(data, bounds, longest, heads):
    """Find the parts of many events, each in data[bounds[i] : bounds[i + 1] - 1]: fills a row of `heads` for each."""
    members, hashes = np.empty((MEMBERS, MEMBER), np.int64), np.empty(MEMBERS, np.uint64)
    reals, spare = np.empty(MEMBERS), np.empty(MEMBERS, np.uint64)
    content = pointer_to(data)
    for i in range(len(bounds) - 1):
        scan_event(content, bounds[i], bounds[i + 1] - 1, longest, heads[i], members, hashes, reals, spare)
