"""The check that a user exists, with the same message and exit code in all commands."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankcast.model import Catalog

__all__ = ["check_user"]


def check_user(catalog: "Catalog", user: str) -> None:
    """Raise CatalogError, with the likely name, if the catalog has no record of the user."""
    from rankcast.errors import CatalogError, did_you_mean

    if not catalog.subscriptions_of(user) and user not in catalog.policies:
        raise CatalogError(f"there is no user {user!r}{did_you_mean(user, catalog.users())}")
