"""Names in addresses: the last part of a path takes any name, also one with slashes, such as an event's id that is a URL."""

from starlette.convertors import Convertor, register_url_convertor

__all__ = ["register_names"]


class _Name(Convertor[str]):
    regex = ".+"

    def convert(self, value: str) -> str:
        """The name in a path."""
        return value

    def to_string(self, value: str) -> str:
        """The part of a path for a name."""
        return value


def register_names() -> None:
    """Let routes end in such a part: `/events/{event:name}`.

    The parts before it cannot have slashes: servers hand over `%2F` as a slash like any other.
    """
    register_url_convertor("name", _Name())
