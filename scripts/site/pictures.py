"""Draws the pictures of docs/concepts from what Rankcast computes: python scripts/site/pictures.py."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")

import numpy as np
from matplotlib import pyplot as plt

from rankcast.engine.reference.shard import replay
from rankcast.fuzzy import degree, possibility_necessity
from rankcast.lab.datasets import TEN_AGENCIES, news
from rankcast.language import decode_record, parse
from rankcast.model import (
    Advertisement,
    Catalog,
    Decay,
    Decaying,
    Event,
    Levels,
    Preference,
    Subscription,
    Trapezoid,
    Triangle,
)
from rankcast.overlay import STRATEGIES, forwarded
from rankcast.rank import DecayingNovelty, level_score, levels

FOLDER = Path(__file__).parents[2] / "docs" / "concepts"
BLUE, GREY, ORANGE = "#3f51b5", "#9e9e9e", "#e65100"


def preferences(ax: plt.Axes) -> None:
    """The levels of DEBS'09, section 3.1, and the score of each."""
    pairs = ["s1>s4", "s2>s4", "s2>s5", "s3>s6", "s5>s7"]
    found = levels([f"s{n}" for n in range(1, 8)], [Preference("ann", *pair.split(">")) for pair in pairs])
    count = max(found.values())
    place = {}
    for level in range(1, count + 1):
        names = [name for name, at in found.items() if at == level]
        place |= {name: (3 * (n + 0.5) / len(names), count - level) for n, name in enumerate(names)}
        score = level_score(Levels.LINEAR, level, count)
        ax.text(3.2, count - level, f"level {level}: score {score:.3g}", va="center")
    for pair in pairs:
        better, worse = (place[name] for name in pair.split(">"))
        arrow = {"arrowstyle": "->", "color": GREY, "shrinkA": 14, "shrinkB": 14}
        ax.annotate("", worse, better, arrowprops=arrow)
    for name, at in place.items():
        ax.text(
            *at, name, ha="center", va="center", color="white", bbox={"boxstyle": "round", "fc": BLUE, "ec": "none"}
        )
    ax.set(xlim=(0, 4.6), ylim=(-0.5, count - 0.5))
    ax.axis("off")


def diversity(ax: plt.Axes) -> None:
    """Which of eight events each delivery mode sends (SPEC example: k 2, sigma 0.5)."""
    genres = ["comedy", "romance", "drama", "comedy", "comedy", "comedy", "comedy", "romance"]
    start = datetime(2026, 1, 1, tzinfo=UTC)
    films = [
        Event(f"e{n}", start + timedelta(minutes=n), {"genre": (genre,)}, seq=n) for n, genre in enumerate(genres, 1)
    ]
    scores = {"comedy": 0.9, "romance": 0.9, "drama": 0.8}
    rows = [("periodic", 0.5), ("sliding", 0.5), ("sliding", 1.0), ("history", 0.5), ("history", 1.0)]
    for line, (mode, sigma) in enumerate(rows):
        catalog = Catalog(
            [Subscription(name, "ann", parse(f"genre = '{name}'"), score=score) for name, score in scores.items()]
        )
        policy = {"kind": "policy", "user": "ann", "mode": mode, "k": 2, "length": 4, "sigma": sigma}
        catalog.add(decode_record(policy))
        sent = {one.seq for one in replay(catalog, films)}
        for film in films:
            colour = BLUE if film.seq in sent else "white"
            ax.scatter(film.seq, -line, s=260, color=colour, edgecolor=BLUE if film.seq in sent else GREY)
        ax.text(0.3, -line, f"{mode}, {'with variety' if sigma < 1 else 'rank alone'}", ha="right", va="center")
    for film in films:
        ax.text(film.seq, 0.6, f"{film.id}\n{film.attributes['genre'][0]}", ha="center", va="bottom", fontsize=8)
    ax.set(xlim=(-2.6, 8.6), ylim=(-4.6, 1.5))
    ax.axis("off")


def decaying_novelty(ax: plt.Axes) -> None:
    """How the novelty of a subscription falls with its matches."""
    matches = range(11)
    for form, alpha, colour in ((Decay.LINEAR, 0.1, BLUE), (Decay.EXPONENTIAL, 0.7, ORANGE)):
        novelty = DecayingNovelty(Decaying(form=form, alpha=alpha))
        label = f"{form.value}, alpha {alpha}"
        ax.plot(matches, [novelty.after(n) for n in matches], "o-", color=colour, label=label)
    ax.set(xlabel="events that matched the subscription", ylabel="novelty")
    ax.legend()


def delivery_novelty(ax: plt.Axes) -> None:
    """Shares of ten agencies in what is published, and in what a threshold filter delivers."""
    posts = list(news(TEN_AGENCIES))
    published = Counter(post.source for post in posts)
    reader = Catalog([Subscription(name, "reader", parse(f"agency = '{name}'")) for name in sorted(published)])
    chosen = {"novelty": "threshold", "update": "paced", "rate": 0.2, "period": 500}
    reader.put(decode_record({"kind": "policy", "user": "reader", "filter": chosen}))
    sent = Counter(one.subscriptions[0] for one in replay(reader, posts))
    names = [name for name, _ in published.most_common()]
    at = np.arange(len(names))
    for shift, counts, colour, label in ((-0.2, published, GREY, "published"), (0.2, sent, BLUE, "delivered")):
        ax.bar(at + shift, [100 * counts[name] / counts.total() for name in names], 0.4, color=colour, label=label)
    ax.set_xticks(at, names, rotation=30, ha="right", fontsize=8)
    ax.set_ylabel("share in %")
    ax.legend()


def covering(ax: plt.Axes) -> None:
    """Seven subscriptions as rectangles; what a broker forwards for k = 2, scored by area."""
    boxes = {
        "s1": (1, 10, 1, 10),
        "s2": (1, 10, 1, 5),
        "s3": (3, 7, 1, 8),
        "s4": (9, 10, 9, 10),
        "s5": (1, 5, 1, 5),
        "s6": (3, 10, 2, 4),
        "s7": (3, 6, 1, 5),
    }
    subscriptions = [
        Subscription(name, name, parse(f"x between {a} and {b} and y between {c} and {d}"))
        for name, (a, b, c, d) in boxes.items()
    ]
    under = Advertisement("a1", "shop", parse("x >= 0 and y >= 0"), 2)
    catalog = Catalog([*subscriptions, under])
    sent = {known.subscription.id for known in forwarded(catalog, under, STRATEGIES["rank-cover"])}
    for name, (a, b, c, d) in boxes.items():
        colour = BLUE if name in sent else GREY
        style = "-" if name in sent else "--"
        ax.add_patch(plt.Rectangle((a, c), b - a, d - c, fill=False, ec=colour, ls=style, lw=2))
        ax.text(b - 0.1, d - 0.1, name, ha="right", va="top", color=colour)
    ax.set(xlim=(0.5, 10.5), ylim=(0.5, 10.5), xlabel="x", ylabel="y", title="solid: forwarded for k = 2, by area")


def vagueness(ax: plt.Axes) -> None:
    """A vague wish and an imprecise offer: possibility and necessity."""
    wish, offer = Trapezoid(50, 70, 100, 130), Triangle(40, 60, 80)
    x = np.linspace(30, 140, 441)
    mu, pi = (np.array([degree(shape, (), float(value)) for value in x]) for shape in (wish, offer))
    possibility, necessity = possibility_necessity(wish, (), offer, ())
    ax.plot(x, mu, color=BLUE, label="wish: size is medium")
    ax.plot(x, pi, color=ORANGE, label="offer: about 60 m²")
    ax.fill_between(x, np.minimum(mu, pi), color=GREY, alpha=0.3)
    for value, name in ((possibility, "possibility"), (necessity, "necessity")):
        ax.axhline(value, color=GREY, ls=":")
        ax.text(140, value + 0.02, f"{name} {value:.3g}", ha="right")
    ax.set(xlabel="m²", ylabel="degree", ylim=(0, 1.25))
    ax.legend(loc="upper left")


def main() -> None:
    """Draw all pictures. Their bytes depend on nothing but what is drawn."""
    mpl.rcParams |= {"svg.hashsalt": "rankcast", "svg.fonttype": "path", "font.size": 10, "figure.facecolor": "white"}
    for draw in (preferences, diversity, decaying_novelty, delivery_novelty, covering, vagueness):
        figure, ax = plt.subplots(figsize=(7, 3.4 if draw is not covering else 4.4), layout="constrained")
        draw(ax)
        figure.savefig(FOLDER / f"{draw.__name__.replace('_', '-')}.svg", metadata={"Date": None})
        plt.close(figure)


if __name__ == "__main__":
    main()
