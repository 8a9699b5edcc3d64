"""Upload limits: taken by reservations, given back by deletions, changed by administrators.

Before and after every call, `limit` + the account's photos = `given`, and `bytesLeft` + the bytes of these photos
(`fileSize`) = `bytesGiven`. Reserved and trashed photos count; those that are being deleted do not.

An imported row may have `limit` alone. A missing amount is neither enforced nor counted, and no Add creates it. When an
administrator sets the bytes that are left, every photo moves `bytesLeft` from then on, also older ones, and the sum is
constant. The sum itself, `bytesGiven`, stays unknown until the photos are counted.
"""
