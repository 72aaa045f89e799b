"""The picture of a subscription graph: well-formed, nothing overlaps, nothing is left out."""

import xml.etree.ElementTree as ElementTree

from rankcast.cover import SubscriptionGraph, draw
from rankcast.language import parse
from rankcast.model import Subscription

SVG = "{http://www.w3.org/2000/svg}"


def drawn(wheres, title="", users=("ann",)):
    subscriptions = [
        Subscription(f"s{number}-{user}", user, parse(where)) for number, where in enumerate(wheres) for user in users
    ]
    return ElementTree.fromstring(draw(SubscriptionGraph(subscriptions), title))


def boxes(svg):
    return [
        tuple(float(box.get(name)) for name in ("x", "y", "width", "height"))
        for box in svg.iter(f"{SVG}rect")
        if box.get("rx")
    ]


def test_a_box_for_each_node_and_a_line_for_each_edge():
    svg = drawn(["x > 1", "x > 2", "x > 2 and y = '<&>'", "z = 1"], "Mine & yours")
    assert len(boxes(svg)) == 4
    assert len(list(svg.iter(f"{SVG}path"))) == 2
    words = [text.text for text in svg.iter(f"{SVG}text")]
    assert "Mine & yours" in words
    assert any("<&>" in word for word in words)


def test_no_two_boxes_overlap_and_all_are_on_the_page():
    svg = drawn([f"x > {number} and y = {number % 3}" for number in range(15)] + [f"w = {n}" for n in range(20)])
    places = boxes(svg)
    width, height = float(svg.get("width")), float(svg.get("height"))
    for number, (x, y, w, h) in enumerate(places):
        assert x >= 0
        assert y >= 0
        assert x + w <= width
        assert y + h <= height
        for a, b, c, d in places[:number]:
            assert x >= a + c or a >= x + w or y >= b + d or b >= y + h


def test_many_users_of_one_node_are_counted():
    words = [text.text for text in drawn(["x = 1"], users=[f"user{n}" for n in range(9)]).iter(f"{SVG}text")]
    assert "and 3 more" in words


def test_an_empty_graph_is_an_empty_picture():
    assert boxes(drawn([])) == []
