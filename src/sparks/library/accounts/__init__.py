"""Accounts: made whole or not at all, found by e-mail or identity, changed by what is really there.

A user who is being removed (`removed_at`) is as good as gone for everyone here but the removal itself.
"""

from sparks.library.accounts.changing import (
    change_password,
    change_role,
    end_all_sessions,
    rename_user,
    replace_hash,
    set_password,
)
from sparks.library.accounts.closing import (
    begin_removal,
    closed_user,
    erase_account,
    is_open,
    while_closed,
    while_there,
)
from sparks.library.accounts.finding import (
    NO_USER,
    all_users,
    find_identity,
    find_user,
    find_user_and_password,
    get_user,
    has_administrator,
    page_of_users,
)
from sparks.library.accounts.identities import identity_name, identity_of, link_identity, unlink_identity
from sparks.library.accounts.making import TAKEN, create_user
from sparks.library.accounts.persons import become_person, claim_person, page_of_claims, settle_claim, users_who_are
from sparks.library.accounts.pictures import drop_picture, keep_picture

__all__ = [
    "NO_USER",
    "TAKEN",
    "all_users",
    "become_person",
    "begin_removal",
    "change_password",
    "change_role",
    "claim_person",
    "closed_user",
    "create_user",
    "drop_picture",
    "end_all_sessions",
    "erase_account",
    "find_identity",
    "find_user",
    "find_user_and_password",
    "get_user",
    "has_administrator",
    "identity_name",
    "identity_of",
    "is_open",
    "keep_picture",
    "link_identity",
    "page_of_claims",
    "page_of_users",
    "rename_user",
    "replace_hash",
    "set_password",
    "settle_claim",
    "unlink_identity",
    "users_who_are",
    "while_closed",
    "while_there",
]
