# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls
"""Arrays without a count of their users, for kernels that hand many arrays from one to the other."""

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array


def _lent(typing, given):
    """The same arrays, in tuples of any depth, without owners: whoever calls this must hold them meanwhile.

    numba counts the users of each array at the beginning and the end of each call, for each of some fifty columns.
    """

    def made(context, builder, signature, arguments):
        return _lend(context, builder, signature.args[0], arguments[0])

    return given(given), made


lent: Any = intrinsic(_lent)
"""As a function that kernels call with arrays or tuples of them."""


def _lend(context, builder, kind, value):
    if isinstance(kind, types.Array):
        array = make_array(kind)(context, builder, value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        array.parent = cgutils.get_null_value(array.parent.type)
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):
        parts = [
            _lend(context, builder, one, builder.extract_value(value, place)) for place, one in enumerate(kind.types)
        ]
        return context.make_tuple(builder, kind, parts)
    return value
