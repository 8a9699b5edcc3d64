"""What an account may still upload: taken by a reservation, given back by a deletion, changed by administrators.

Before and after every call here, `limit` + the account's photos = `given`, and `bytesLeft` + the bytes of these photos
(`fileSize`) = `bytesGiven`. Reserved and trashed photos count; those that are being deleted do not.

[Note: rows from elsewhere] A limit's row may have `limit` alone. What is not there is neither enforced nor counted, and
no Add makes it spring up. Nothing has to be remembered for the day on which an administrator says how many bytes are
left: from then on every photo moves `bytesLeft`, those from before too, and the sum is constant. Only what the sum is,
`bytesGiven`, stays unknown until somebody counts.
"""

from sparks.library.limits.account import all_limits, change_limit, new_limit, read_limit, set_left
from sparks.library.limits.photos import confirm, give_back, reserve

__all__ = ["all_limits", "change_limit", "confirm", "give_back", "new_limit", "read_limit", "reserve", "set_left"]
