from collections import Counter

from rankcast.lab.datasets import TEN_AGENCIES, news, news_table


def test_ten_agencies_are_there_from_end_to_end():
    posts = list(news(TEN_AGENCIES))
    assert len(posts) == 8172
    assert len(Counter(post.source for post in posts)) == 10
    assert [post.seq for post in posts] == list(range(1, 8173))
    assert posts == sorted(posts, key=lambda post: post.time)
    assert {post.source for post in posts[:800]} == {post.source for post in posts[-800:]}
    assert all(post.attributes["agency"] == (post.source,) for post in posts)


def test_all_of_it_as_columns():
    table = news_table()
    assert table.num_rows == 63_325
    assert table.column_names == ["id", "time", "agency", "text"]
    assert len(set(table["id"].to_pylist())) == 63_325
