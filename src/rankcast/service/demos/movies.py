"""The demo dataset of films: 58,788 films, and seven users with different tastes."""

from datetime import timedelta
from hashlib import blake2b

from rankcast.lab.datasets import FIRST_PUBLICATION
from rankcast.lab.datasets.movies import read_films
from rankcast.model import Event
from rankcast.plain import JsonObject
from rankcast.service.demos.world import Script, World


def _read() -> Script:
    """The films in the order of a hash of their row number, so that the years are mixed; one a minute."""
    films = [(f"m{number:05}", film) for number, film in enumerate(read_films(), 1)]
    films.sort(key=lambda film: blake2b(film[0].encode(), digest_size=8).digest())
    return Script(films, _event)


def _event(number: int, row: tuple[str, JsonObject]) -> Event:
    name, film = row
    values = {key: tuple(value) if isinstance(value, list) else (value,) for key, value in film.items()}
    return Event(name, FIRST_PUBLICATION + timedelta(minutes=number), values, source="films")


MOVIES = World(
    name="movies",
    title="Films",
    summary=(
        "Every film a film data base knew in 2005, published one after the other, to seven people of different taste: "
        "who get the few that they would want to hear of, and not the thousands that match."
    ),
    data="58,788 real films with year, length, genres, rating, votes and budget; the times of publication are made up.",
    people={
        "ada": "loves the classics, and is strict about it",
        "bruno": "action, the louder the better",
        "celeste": "romance, with a clear order of what comes first",
        "dmitri": "documentaries: the very long and the very short",
        "greta": "films for the whole family",
        "ines": "a bit of everything, as long as it is new to her",
        "milo": "collects bad films, and has his own idea of a classic",
    },
    read=_read,
)
