"""Biometric erasure: begun with a receipt, carried out, and verified by a scan.

1. `begin` counts the traces of a person and writes the receipt, the consent and the recognition opt-out.
2. `erase` finds (`find_traces`) and removes (`remove_traces`) the listed traces while the caller waits.
3. A job scans the whole table, removes the traces that are left, and finishes the receipt (`receipts`).

Decisions are not removed with the other traces, but lose what they say about the person (`redact_decisions`).
"""
