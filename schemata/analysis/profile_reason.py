"""Why a block of the kernel takes its time, in a sentence."""

from __future__ import annotations

from schemata.analysis.profile_figures import BlockProfile, PlanMove

__all__ = ["reason"]

_POOR = 0.5  # instances per candidate below which a join is said to select badly
_FINDING = ("index", "scan", "item", "choose")  # kinds of moves that find partners or values


def reason(block: BlockProfile) -> str:
    """Return why a block takes its time, in a sentence."""
    looks = [move for move in block.plan if move.kind in _FINDING]
    widest = max(looks, key=lambda move: move.found or 0, default=None)
    begin = "needs no partner" if widest is None else _join(widest)
    if block.instances >= _POOR * block.candidates:
        cost = f"so the cost is that of its {block.instances:,} instances"
        return f"{begin}; 1 in {block.candidates / block.instances:.1f} candidates fits, {cost}"
    fit = f"none of {block.candidates:,} candidates fits"
    if block.instances:
        fit = f"1 in {block.candidates / block.instances:.1f} candidates fits"
    if widest is not None and widest.kind == "scan" and widest.found == block.candidates:
        return f"{begin}; {fit}, since nothing that is known narrows the choice before it is made"
    return f"{begin}; {fit}, the others {_losses(block, widest)}"


def _losses(block: BlockProfile, widest: PlanMove | None) -> str:
    """Return what candidates may fail at that are no instances: what comes after the widest part of the search."""
    after = block.plan
    reasons = []
    if widest is not None and widest.found == block.candidates:
        after = block.plan[block.plan.index(widest) + 1 :]
    elif block.place:
        reasons.append(f"do not match {block.trigger}")
    if any(move.kind in _FINDING for move in after):
        reasons.append("find no partner")
    tests = [move.text.removeprefix("test ") for move in after if move.kind == "test"]
    if tests:
        reasons.append(f"fail {' or '.join(tests)}")
    return " or ".join(reasons) or "do not match"


def _join(move: PlanMove) -> str:
    match move.kind:
        case "scan":
            return f"joins every item of {move.form} with every one that takes the place (no field is a key)"
        case "index":
            return f"looks up {move.form} by {', '.join(f'{part} = {value}' for part, value in move.key)}"
        case "item":
            return f"looks up one item of {move.form}, all fields known"
    return move.text.replace("try every choice", "tries every choice", 1)
