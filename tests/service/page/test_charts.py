from rankcast.service.page.charts import ChartLine, over, over_time


def test_a_chart_says_what_it_shows() -> None:
    made = over_time([ChartLine("published", [(60, 0), (30, 40), (0, 20)], "red", filled=True)], 60, "events <per> s")
    assert (made["xAxis"]["min"], made["xAxis"]["max"], made["xAxis"]["inverse"]) == (0, 60, True)
    assert made["yAxis"]["name"] == "events <per> s"
    (line,) = made["series"]
    assert (line["name"], line["data"], line["areaStyle"]["opacity"] > 0) == (
        "published",
        [(0, 20), (30, 40), (60, 0)],
        True,
    )


def test_no_line_is_drawn_over_a_gap() -> None:
    line = ChartLine("delivered", [(500, 1), (400, 2), (100, 3), (50, 4)], "red")
    (broken,) = over_time([line], 600, "per s", gaps=[(400, 100)])["series"]
    assert broken["data"] == [(50, 4), (100, 3), (250, None), (400, 2), (500, 1)]
    assert broken["markArea"]["data"] == [[{"xAxis": 400, "name": "nothing recorded"}, {"xAxis": 100}]]
    (whole,) = over_time([line], 600, "per s")["series"]
    assert (len(whole["data"]), whole["markArea"]["data"]) == (4, [])


def test_a_place_can_be_marked() -> None:
    made = over([ChartLine("crisp", [(0, 1)], "red", dashed=True)], {"name": "width"}, "matches", mark=5)
    (line,) = made["series"]
    assert line["markLine"]["data"] == [{"xAxis": 5}]
    assert line["lineStyle"]["type"] == "dashed"
    assert line["showSymbol"], "a single point would be no line"


def test_nothing_makes_a_chart_too() -> None:
    assert over_time([], 60, "per s")["series"] == []
