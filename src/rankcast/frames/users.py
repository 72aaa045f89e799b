"""One user's wishes in one line: `user("ann").wants("genre = 'drama'").gets(top=3, per="1w")`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias, cast

from rankcast.errors import ModelError
from rankcast.frames.concepts import DrawnConcept
from rankcast.frames.tables import Frame, arrow_of, kind_of, refuse_any
from rankcast.language import RecordTexts, decode_record, parse, read_catalog
from rankcast.language.tables import record_form
from rankcast.model import Catalog, Policy, Record, Subscription


@dataclass(frozen=True, slots=True)
class User:
    """One user's subscriptions and policy. Every method returns a new `User`, so variants are easy to compare."""

    name: str
    subscriptions: tuple[Subscription, ...] = ()
    policy: Policy | None = None

    def wants(self, where: str, *, score: float | None = None, name: str | None = None) -> "User":
        """Subscribe to the events that match an expression.

        `score`, in 0..1, is how much the user likes them; `name` is the id of the subscription.
        """
        known = name if name is not None else f"{self.name}/{len(self.subscriptions) + 1}"
        added = Subscription(known, self.name, parse(where), score)
        return replace(self, subscriptions=(*self.subscriptions, added))

    def gets(
        self,
        top: int | None = None,
        *,
        per: str | int | None = None,
        last: str | int | None = None,
        variety: float = 0.0,
        **fields: object,
    ) -> "User":
        """Set how many events the user gets, and when.

        Parameters
        ----------
        top
            The maximum number of events.
        per, last
            Give one of the two: `per` for the best of each period, `last` for events that enter the best of a sliding
            window. The length is a number of events, or a time such as "1w", "2d" or "30m".
        variety
            0 chooses by rank alone, 1 by variety alone.
        fields
            Other fields of a policy, as in its JSON form.
        """
        if (per is None) == (last is None):
            raise ModelError("say either per= (the best of each period) or last= (the best of a sliding window)")
        if top is None:
            raise ModelError("say how many events at most, as in gets(top=3, per='1w')")
        if not 0 <= variety <= 1:
            raise ModelError(f"variety is {variety}; it must lie in 0..1")
        mode, length = ("periodic", per) if per is not None else ("sliding", last)
        record = {
            "kind": "policy",
            "user": self.name,
            "mode": mode,
            "k": top,
            "length": length,
            "sigma": 1.0 - variety,
            **fields,
        }
        policy = decode_record(record)
        assert isinstance(policy, Policy)
        return replace(self, policy=policy)

    def records(self) -> list[Record]:
        """The catalog records of the user."""
        return [*self.subscriptions, *([self.policy] if self.policy else [])]


_Entries: TypeAlias = "Iterable[User | DrawnConcept | Record | Mapping[str, object]]"

CatalogData: TypeAlias = "Catalog | User | str | Path | Frame | _Entries"
"""The kinds of input that `catalog` accepts."""


def user(name: str) -> User:
    """Start describing a user; add subscriptions with `wants` and a policy with `gets`.

    >>> ann = user("ann").wants("genre = 'drama'", score=0.9).gets(top=3, per="1w", variety=0.5)
    >>> ann.policy.k, ann.policy.sigma, [one.id for one in ann.subscriptions]
    (3, 0.5, ['ann/1'])
    """
    return User(name)


def catalog(data: CatalogData) -> Catalog:
    """Make a catalog from users, records, dictionaries in their JSON form, a table, or the path of a file.

    The file is JSON Lines, Parquet or Arrow. The columns of a table are the fields of records; a row without a `kind` is
    a subscription.

    >>> catalog([user("ann").wants("year > 1999"), {"kind": "concept", "name": "cheap", "attribute": "price",
    ...     "left_shoulder": [500, 900]}]).users()
    ['ann']
    """
    match data:
        case Catalog():
            return data
        case User():
            return Catalog(data.records())
        case str() | Path():
            read, rejects = read_catalog(data)
            refuse_any(rejects)
            return read
    if (kind := kind_of(data)) is not None:
        if (table := arrow_of(data, kind)) is None:
            raise ModelError("a column of the catalog has values of several types; each field of records has one type")
        texts = RecordTexts()
        return Catalog([texts.decode(record_form(row)) for row in table.to_pylist()])
    made = Catalog()
    for one in cast(_Entries, data):
        for record in one.records() if isinstance(one, User | DrawnConcept) else [_record(one)]:
            made.add(record)
    return made


def _record(given: "Record | Mapping[str, object]") -> Record:
    return decode_record(dict(given)) if isinstance(given, Mapping) else given
