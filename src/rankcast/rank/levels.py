"""Qualitative preference: levels by repeated winnow, and the score of a level.

See semantics: Preference; DEBS'09, 3.1.
"""

from collections.abc import Iterable, Sequence

from rankcast.errors import CatalogError, ModelError, PreferenceCycle, did_you_mean
from rankcast.model import LEVELS, Catalog, Levels, Preference, Subscription, check_levels


def levels(subscription_ids: Iterable[str], preferences: Iterable[Preference]) -> dict[str, int]:
    """The level of each subscription of one user.

    Level 1 holds the subscriptions that no other is preferred to, level 2 those that none is preferred to after
    removing level 1, and so on. O(subscriptions + preferences). Raises PreferenceCycle if the preferences form a
    cycle.

    >>> pairs = ["s1>s4", "s2>s4", "s2>s5", "s3>s6", "s5>s7"]
    >>> preferences = [Preference("addison", *pair.split(">")) for pair in pairs]
    >>> levels(["s1", "s2", "s3", "s4", "s5", "s6", "s7"], preferences)
    {'s1': 1, 's2': 1, 's3': 1, 's4': 2, 's5': 2, 's6': 2, 's7': 3}
    """
    found = dict.fromkeys(subscription_ids, 0)
    pairs = {(preference.prefer, preference.over): preference.user for preference in preferences}
    beaten_by: dict[str, list[str]] = {name: [] for name in found}
    beats: dict[str, list[str]] = {name: [] for name in found}
    for (prefer, over), user in pairs.items():
        for name in (prefer, over):
            if name not in found:
                raise CatalogError(f"user {user!r} has no subscription {name!r}{did_you_mean(name, found)}")
        beats[prefer].append(over)
        beaten_by[over].append(prefer)

    beaters_left = {name: len(beaters) for name, beaters in beaten_by.items()}
    level = 1
    unbeaten = [name for name, left in beaters_left.items() if not left]
    while unbeaten:
        following = []
        for name in unbeaten:
            found[name] = level
            for loser in beats[name]:
                beaters_left[loser] -= 1
                if not beaters_left[loser]:
                    following.append(loser)
        unbeaten = following
        level += 1

    if not all(found.values()):
        cycle = _cycle([name for name, at in found.items() if not at], beaten_by)
        raise PreferenceCycle(pairs[cycle[0], cycle[1 % len(cycle)]], cycle)
    return found


def level_score(levels: Levels | str, level: int, count: int) -> float:
    """G(level) with `count` levels: strictly decreasing in [0, 1].

    `levels` is a built-in function, or the name of a registered one (`rankcast.model.LEVELS`). Floats limit halving to
    1075 levels.

    >>> [level_score(Levels.LINEAR, level, 4) for level in (1, 2, 3, 4)]
    [1.0, 0.75, 0.5, 0.25]
    >>> level_score(Levels.INVERSE, 4, 4), level_score(Levels.HALVING, 4, 4)
    (0.25, 0.125)
    """
    if not 1 <= level <= count:
        raise ModelError(f"level is {level}; it must lie in 1..{count}")
    match levels:
        case Levels.LINEAR:
            return (count - level + 1) / count
        case Levels.INVERSE:
            return 1 / level
        case Levels.HALVING:
            return 2.0 ** (1 - level)
        case str():
            return LEVELS[levels](level, count)


def scores(
    subscriptions: Sequence[Subscription], preferences: Iterable[Preference], levels: Levels | str = Levels.LINEAR
) -> dict[str, float]:
    """The score of each subscription of a user: the user's own score, or else the score of its level.

    Without preferences, all subscriptions are at level 1 and score 1.
    """
    preferences = list(preferences)
    if not preferences:
        return {one.id: 1.0 if one.score is None else one.score for one in subscriptions}
    level_of = _levels([subscription.id for subscription in subscriptions], preferences)
    count = max(level_of.values(), default=1)
    score_of = [level_score(levels, level, count) for level in range(1, count + 1)]
    if isinstance(levels, str):
        check_levels(levels, score_of)
    return {
        subscription.id: score_of[level_of[subscription.id] - 1] if subscription.score is None else subscription.score
        for subscription in subscriptions
    }


_levels = levels  # `scores` has a parameter of the same name


def scores_of(catalog: Catalog, user: str) -> dict[str, float]:
    """The scores of a user's subscriptions, by the preferences and the policy of the catalog."""
    return scores(catalog.subscriptions_of(user), catalog.preferences_of(user), catalog.policy_of(user).levels)


def _cycle(names: list[str], beaten_by: dict[str, list[str]]) -> list[str]:
    """A cycle among `names`, each of which another one beats.

    It starts with the first of `names` that is in the cycle.
    """
    among = set(names)
    at = names[0]
    walked: dict[str, None] = {}
    while at not in walked:
        walked[at] = None
        at = next(beater for beater in beaten_by[at] if beater in among)
    path = list(walked)
    circle = path[path.index(at) :][::-1]
    start = circle.index(next(name for name in names if name in circle))
    return circle[start:] + circle[:start]
