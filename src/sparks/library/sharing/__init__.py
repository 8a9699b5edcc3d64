"""Links to albums, the guests who open them, and what they bring: counted in the very transactions that make or delete
a photo, so that no cap is ever passed.
"""

from sparks.library.sharing.counting import given_back, reserve_for_guest
from sparks.library.sharing.finding import NO_LINK, find_link, guests_of, links_of
from sparks.library.sharing.guests import GUEST_FOR, find_guest, let_guest_in, rename_guest, send_away, tell_persons
from sparks.library.sharing.making import LinkEdit, LinkTerms, edit_link, make_link, revoke_link
from sparks.library.sharing.moderating import as_link_says

__all__ = [
    "GUEST_FOR",
    "NO_LINK",
    "LinkEdit",
    "LinkTerms",
    "as_link_says",
    "edit_link",
    "find_guest",
    "find_link",
    "given_back",
    "guests_of",
    "let_guest_in",
    "links_of",
    "make_link",
    "rename_guest",
    "reserve_for_guest",
    "revoke_link",
    "send_away",
    "tell_persons",
]
