"""Which users live in which shard."""

from collections.abc import Sequence

from rankcast.engine.reference.shard import shard_of


class UserHomes:
    """The users of each shard. A list of users is divided once, for all shards of this process."""

    def __init__(self, shards: int) -> None:
        self.shards = shards
        self._divided: tuple[Sequence[str], list[list[str]]] = ((), [[] for _ in range(shards)])

    def of(self, shard: int) -> "ShardHome":
        """The home of one shard's users."""
        return ShardHome(self, shard)

    def shard_of(self, user: str) -> int:
        """The shard of a user."""
        return shard_of(user, self.shards)

    def divided(self, users: Sequence[str]) -> list[list[str]]:
        """The users of each shard."""
        if self._divided[0] is not users:
            parts: list[list[str]] = [[] for _ in range(self.shards)]
            for user in users:
                parts[self.shard_of(user)].append(user)
            self._divided = users, parts
        return self._divided[1]


class ShardHome:
    """Tells whether a user lives in a shard."""

    def __init__(self, homes: UserHomes, shard: int) -> None:
        self._homes = homes
        self.shard = shard

    @property
    def shards(self) -> int:
        """The number of shards."""
        return self._homes.shards

    def __call__(self, user: str) -> bool:
        """Whether the user lives here."""
        return self._homes.shard_of(user) == self.shard

    def among(self, users: Sequence[str]) -> Sequence[str]:
        """Those of the users who live here."""
        return self._homes.divided(users)[self.shard]
