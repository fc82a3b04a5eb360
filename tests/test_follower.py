from context_strategies import Message, Session, choose
from context_strategies.follower import Follower
from conversations import HEAD, turn


def test_each_item_is_translated_once_and_a_list_that_does_not_go_on_begins_anew() -> None:
    begun: list[list[int]] = []

    def begin() -> "Translate":
        begun.append([])
        return Translate(begun[-1])

    class Translate:
        def __init__(self, keys: list[int]) -> None:
            self.keys = keys

        def __call__(self, item: Message, key: int) -> Message:
            self.keys.append(key)
            return item

    follow = Follower[Message](Session(choose("raw")), begin)
    items = [*HEAD, *turn(1)]
    assert len(list(follow(items[:2]))) == 2
    assert len(list(follow(items))) == 4
    assert follow.goes_on(items)
    assert not follow.goes_on(items[1:])
    assert len(list(follow([*HEAD, *turn(2)]))) == 4
    assert begun == [[0, 1, 2, 3], [0, 1, 2, 3]]
