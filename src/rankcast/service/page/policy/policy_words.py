"""A policy in words."""

from datetime import timedelta

from rankcast.model import Length, Mode, Policy, ScorePart


def in_words(policy: Policy) -> str:
    """What a policy does, in a sentence or two.

    >>> from rankcast.model import Length
    >>> in_words(Policy("ann"))
    'Everything that matches is sent at once.'
    >>> in_words(Policy("ann", Mode.SLIDING, 4, Length(50), sigma=0.5))
    'Sent at once: what is among the 4 best of the last 50 events, by what you prefer and how different it is.'
    """
    said = [_what(policy)]
    if policy.mode is Mode.SLIDING and policy.calm:
        said.append(f"A set stays until another one is better by more than {policy.calm:g}.")
    if policy.filter is not None:
        kept = policy.filter
        said.append(
            f"A filter first lets through only {kept.novelty.meaning.format(rate=kept.rate, minimum=kept.minimum)}."
        )
    return " ".join(said)


def _what(policy: Policy) -> str:
    if policy.mode is Mode.ALL or policy.k is None or policy.length is None:
        return "Everything that matches is sent at once."
    parts = [part.meaning for part in ScorePart if policy.score.get(part, 0) > 0]
    if policy.sigma < 1:
        parts = [*(parts if policy.sigma > 0 else []), "how different it is"]
    by = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    best = "the best" if policy.k == 1 else f"the {policy.k} best"
    length = length_words(policy.length)
    match policy.mode:
        case Mode.PERIODIC:
            return f"Every {length}: {best}, by {by}."
        case Mode.SLIDING:
            return f"Sent at once: what is among {best} of the last {length}, by {by}."
        case Mode.HISTORY:
            return f"Sent at once: what betters {best} that you got in the last {length}, by {by}."


def length_words(length: Length) -> str:
    """A length for people.

    >>> from datetime import timedelta
    >>> from rankcast.model import Unit
    >>> length_words(Length(timedelta(minutes=90), Unit.TIME)), length_words(Length(20, Unit.MATCHED))
    ('90 minutes', '20 matches')
    """
    match length:
        case Length(timedelta() as span, _):
            for unit, name in (
                (timedelta(days=1), "day"),
                (timedelta(hours=1), "hour"),
                (timedelta(minutes=1), "minute"),
            ):
                if span % unit == timedelta(0):
                    amount = span // unit
                    return f"{name}" if amount == 1 else f"{amount} {name}s"
            return f"{span.total_seconds():g} seconds"
        case Length(amount, unit):
            return f"{amount} {unit.title}"
