"""Kernels that run a transition system under learnt weights: greedily or with a beam, while they learn or not.

Greedy search takes the transition with the greatest score, and labels each arc by itself. It learns from the sequence
of a static oracle, as a perceptron on each configuration in it, or from a dynamic oracle. The loss of a possible
transition is the number of gold arcs that cannot be built after it. Learning raises the weights of the best transition
among those with the least loss. From some epoch on, the parser follows its own transitions, right or wrong
(exploration; Goldberg & Nivre 2012). A beam keeps the sequences with the greatest sums of scores, and learns from the
place where the gold sequence falls out of it (early update; Collins & Roark 2004, Zhang & Clark 2008).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from schemata.language import model as m
from schemata.learning.states import StateTemplate, default_templates, features_text, parse_state_templates
from schemata.learning.steps import PartPlaces, steps_text
from schemata.machine.compile import machine_code
from schemata.machine.text import filled, with_types

if TYPE_CHECKING:
    from numpy.typing import NDArray

PARSE, STATIC, DYNAMIC = 0, 1, 2
_TEXT = """
def weigh(F, f, W, S, s, count):
    for k in range(0, count):
        S[s + k] = 0.0
    for t in range(0, {templates}):
        q = F[f + t]
        for k in range(0, count):
            S[s + k] = S[s + k] + W[q + k]
    return 0


def best_label(F, f, L, S, s, count):
    weigh(F, f, L, S, s, count)
    best = 0
    for k in range(1, count):
        if S[s + k] > S[s + best]:
            best = k
    return best


def raise_weights(F, f, k, W, U, sign, now):
    y = 1.0
    if sign < 0:
        y = -1.0
    z = y * now[0]
    for t in range(0, {templates}):
        q = F[f + t] + k
        W[q] = W[q] + y
        U[q] = U[q] + z
    return 0


def learn_label(F, f, L, V, S, s, count, gold, now):
    found = best_label(F, f, L, S, s, count)
    if found != gold:
        raise_weights(F, f, gold, L, V, 1, now)
        raise_weights(F, f, found, L, V, 0 - 1, now)
    return found


def has_ended(C, c, N):
    {ended}
    return 0


def weigh_all(C, c, N, root, A, width, F, W, S):
    gaps = 1
    {gaps}
    for g in range(0, gaps):
        hashed_features(C, c, N, g, A, width, F, g * {templates})
        weigh(F, g * {templates}, W, S, g * {moves}, {moves})
        for k in range(0, {moves}):
            if allowed(C, c, N, root, k, g) == 0:
                S[g * {moves} + k] = {never}
    return gaps


def reachable(C, c, N, words, P, heads):
    found = 0
    for x in range(0, words + 1):
        P[x] = 0
    {places}
    for d in range(1, words + 1):
        h = heads[d]
        if C[c + {heads} + d] != 0:
            if C[c + {heads} + d] == h:
                found += 1
        elif h != 0:
            {reached}
    return found


def hashed_greedy(mode, {numbers}, {common}, {learnt}):
    c = 0
    d = size
    e = 2 * size
    begin(C, c, N, size, words)
    right = 0
    done = 0
    wild = st[0]
    rest = st[1]
    while done < steps:
        if mode == 1:
            if O[2 * done] < 0:
                break
        elif has_ended(C, c, N) == 1:
            break
        gaps = weigh_all(C, c, N, root, A, width, F, W, S)
        best = 0 - 1
        for x in range(0, gaps * {moves}):
            if S[x] > {never}:
                if best < 0:
                    best = x
                elif S[x] > S[best]:
                    best = x
        if best < 0:
            break
        target = best
        if mode == 1:
            target = O[2 * done + 1] * {moves} + O[2 * done]
            if S[target] <= {never}:
                break
        if mode == 2:
            most = 0 - 1
            own = 0 - 1
            for x in range(0, gaps * {moves}):
                if S[x] > {never}:
                    xg = x // {moves}
                    move(C, c, e, N, size, x - xg * {moves}, xg, 0)
                    value = reachable(C, e, N, words, P, heads)
                    if x == best:
                        own = value
                    if value > most:
                        most = value
                        target = x
                    elif value == most:
                        if S[x] > S[target]:
                            target = x
            if own == most:
                target = best
        if target == best:
            right += 1
        tg = target // {moves}
        tk = target - tg * {moves}
        label = 0
        if mode > 0:
            if target != best:
                bg = best // {moves}
                raise_weights(F, tg * {templates}, tk, W, U, 1, now)
                raise_weights(F, bg * {templates}, best - bg * {moves}, W, U, 0 - 1, now)
            h = head_of(C, c, N, tk, tg)
            if h != 0:
                x = dependent_of(C, c, N, tk, tg)
                if heads[x] == h:
                    label = learn_label(F, tg * {templates}, L, V, S, 0, labels, names[x], now)
                    if mode == 1:
                        label = names[x]
                else:
                    label = best_label(F, tg * {templates}, L, S, 0, labels)
        if mode == 2 and wild == 1 and target != best:
            rest = (rest * 25214903917 + 11) & 281474976710655
            if (rest >> 20) % 10 != 0:
                target = best
                tg = target // {moves}
                tk = target - tg * {moves}
                h = head_of(C, c, N, tk, tg)
                if h != 0:
                    label = best_label(F, tg * {templates}, L, S, 0, labels)
        if mode == 0:
            h = head_of(C, c, N, tk, tg)
            if h != 0:
                label = best_label(F, tg * {templates}, L, S, 0, labels)
        move(C, c, d, N, size, tk, tg, label)
        x = c
        c = d
        d = x
        done += 1
    for x in range(1, words + 1):
        out[x] = C[c + {heads} + x]
        out[N + x] = C[c + {labels} + x] - 1
    st[1] = rest
    st[2] = done
    return right


def enter(B, P, beam, full, b, x):
    value = B[2 * beam]
    place = full
    while place > 0 and B[beam + place - 1] < value:
        place = place - 1
    if place == beam:
        return full
    last = min(full, beam - 1)
    while last > place:
        B[beam + last] = B[beam + last - 1]
        P[2 * last] = P[2 * last - 2]
        P[2 * last + 1] = P[2 * last - 1]
        last = last - 1
    B[beam + place] = value
    P[2 * place] = b
    P[2 * place + 1] = x
    return min(full + 1, beam)


def replay(words, N, size, width, length, Q, C, A, F, W, U, sign, from_here, now):
    c = 0
    d = size
    begin(C, c, N, size, words)
    for t in range(0, length):
        k = Q[3 * t]
        g = Q[3 * t + 1]
        if t >= from_here:
            hashed_features(C, c, N, g, A, width, F, 0)
            raise_weights(F, 0, k, W, U, sign, now)
        move(C, c, d, N, size, k, g, Q[3 * t + 2])
        x = c
        c = d
        d = x
    return 0


def hashed_beam(mode, beam, {numbers}, {common}, B, T, Q, {learnt}):
    begin(C, 2 * size, N, size, words)
    live = 1
    B[0] = 0.0
    here = 2
    there = 2 + beam
    gold = 0
    done = 0
    ended = 0
    fell = 0
    same = 0
    while done < steps and ended == 0 and fell == 0:
        if mode == 1:
            if O[2 * done] < 0:
                break
        full = 0
        ended = 1
        for b in range(0, live):
            c = (here + b) * size
            alive = 0
            if has_ended(C, c, N) == 0:
                gaps = weigh_all(C, c, N, root, A, width, F, W, S)
                for x in range(0, gaps * {moves}):
                    if S[x] > {never}:
                        alive = 1
                        B[2 * beam] = B[b] + S[x]
                        full = enter(B, P, beam, full, b, x)
            if alive == 1:
                ended = 0
            else:
                B[2 * beam] = B[b]
                full = enter(B, P, beam, full, b, 0 - 1)
        if ended == 1:
            break
        next_gold = 0 - 1
        for b in range(0, full):
            x = P[2 * b + 1]
            c = (here + P[2 * b]) * size
            e = (there + b) * size
            T[4 * (done * beam + b)] = P[2 * b]
            if x < 0:
                for k in range(0, size):
                    C[e + k] = C[c + k]
                T[4 * (done * beam + b) + 1] = 0 - 1
            else:
                g = x // {moves}
                k = x - g * {moves}
                label = 0
                h = head_of(C, c, N, k, g)
                is_gold = 0
                if mode == 1 and P[2 * b] == gold:
                    if O[2 * done] == k and O[2 * done + 1] == g:
                        is_gold = 1
                        next_gold = b
                if h != 0:
                    if is_gold == 1:
                        label = names[dependent_of(C, c, N, k, g)]
                    else:
                        hashed_features(C, c, N, g, A, width, F, 0)
                        label = best_label(F, 0, L, S, 0, labels)
                move(C, c, e, N, size, k, g, label)
                T[4 * (done * beam + b) + 1] = k
                T[4 * (done * beam + b) + 2] = g
                T[4 * (done * beam + b) + 3] = label
            B[b] = B[beam + b]
        x = here
        here = there
        there = x
        live = full
        gold = next_gold
        done += 1
        if mode == 1 and gold < 0:
            fell = 1
    if mode == 1 and gold != 0 and done > 0:
        slot = 0
        t = done - 1
        length = done
        while t >= 0:
            row = 4 * (t * beam + slot)
            if T[row + 1] < 0:
                length = t
            Q[3 * t] = T[row + 1]
            Q[3 * t + 1] = T[row + 2]
            Q[3 * t + 2] = T[row + 3]
            slot = T[row]
            t = t - 1
        while same < length and Q[3 * same] == O[2 * same] and Q[3 * same + 1] == O[2 * same + 1]:
            same += 1
        replay(words, N, size, width, length, Q, C, A, F, W, U, 0 - 1, same, now)
    if mode == 1:
        c = 0
        d = size
        begin(C, c, N, size, words)
        wrong = 0
        if gold != 0:
            wrong = 1
        for t in range(0, done):
            k = O[2 * t]
            g = O[2 * t + 1]
            hashed_features(C, c, N, g, A, width, F, 0)
            if wrong == 1:
                if t >= same:
                    raise_weights(F, 0, k, W, U, 1, now)
            label = 0
            if head_of(C, c, N, k, g) != 0:
                label = names[dependent_of(C, c, N, k, g)]
                learn_label(F, 0, L, V, S, 0, labels, label, now)
            move(C, c, d, N, size, k, g, label)
            x = c
            c = d
            d = x
        st[2] = done
        st[3] = fell
        return done - wrong
    c = here * size
    for x in range(1, words + 1):
        out[x] = C[c + {heads} + x]
        out[N + x] = C[c + {labels} + x] - 1
    st[2] = done
    return 0
"""
_NEVER = "-1000000000000000000000000000000.0"
_REACHED = {
    "arc-eager-system": "if (P[d] != 0 and P[h] > 1) or (P[d] > 1 and P[h] != 0):\n    found += 1",
    "hybrid-system": (
        "if (P[d] > 1 and P[h] != 0) or (P[d] == 1 and (P[h] > 1 or P[N + d] == h)):\n    found += 1"
    ),
    "easy-first-system": "if P[d] > 1 and P[h] > 1:\n    found += 1",
    "covington-system": (
        "y = max(d, h)\nx = min(d, h)\n"
        "if (P[y] == 2 or (P[y] == 3 and P[x] == 1)) and is_above(C, c, N, d, h) == 0:\n    found += 1"
    ),
}
"""Whether an arc that is wanted can still be built, by system; P is 1 for words of the first stack, 2 for those of the
buffer, 3 for its front.

Goldberg & Nivre 2012 and 2013; for covington-system Gómez-Rodríguez & Fernández-González 2015, with cycles that are
closed already; for easy-first-system Goldberg & Elhadad 2010.
"""
_FUNCTIONS = (
    "hashed_greedy", "hashed_beam", "begin", "allowed", "move", "has_ended", "hashed_features", "reachable",
)  # fmt: skip


class Guide:
    """The kernels of a system with templates, and the arrays in which they work.

    Attributes
    ----------
    layout : where the parts of a configuration are.
    beam : how many sequences of transitions are kept; 1 for greedy search.
    has_dynamic : whether the losses of transitions are known.
    kernels : the compiled functions.
    """

    def __init__(
        self, schema: m.Schema, templates: str | None, beam: int, labels: int, file: str = "<templates>"
    ) -> None:
        self.layout, steps = steps_text(schema)
        self.text = templates or default_templates(self.layout)
        chosen = parse_state_templates(self.text, file)
        self.beam, self.labels, self.features = beam, labels, len(chosen)
        self.has_dynamic = schema.name in _REACHED
        self.kernels = _compiled(steps + "\n\n" + _guided_text(schema, chosen, self.layout))
        self._room = 0

    def _arrays(self, room: int, steps: int) -> None:
        """Make arrays for sentences that need so much room."""
        if room <= self._room:
            return
        self._room = room
        moves, layout = len(self.layout.moves), self.layout
        integers = {
            "C": layout.size(room) * (2 + 2 * self.beam + 1),
            "F": (room + 1) * self.features,
            "P": 2 * max(room, self.beam) + 2,
            "T": 4 * (steps + 1) * self.beam,
            "Q": 3 * (steps + 1),
            "out": 2 * room,
        }
        self._made: dict[str, Any] = {name: np.zeros(size, np.int64) for name, size in integers.items()}
        self._made["S"] = np.zeros(max((room + 1) * moves, self.labels) + 1)
        self._made["B"] = np.zeros(2 * self.beam + 1)

    def run(
        self,
        mode: int,
        columns: NDArray[np.int64],
        words: int,
        root: int,
        weights: tuple[NDArray[np.float64], ...],
        gold: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]] | None = None,
        now: float = 0.0,
        state: NDArray[np.int64] | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], int, int]:
        """Parse a sentence, and learn from it.

        Parameters
        ----------
        mode : PARSE, STATIC or DYNAMIC.
        columns : as `examples.columns_of` returns them.
        words : their number, with the artificial root, if there is one.
        root : the place of the artificial root, which is the last one; 0 without a root.
        weights : of transitions and labels; in training the weighted sums of changes of both, too.
        gold : the oracle's transitions and gaps, one after the other and -1 at the end; heads and labels, by word.
        now : the time by which changes are weighed.
        state : two numbers: whether the parser follows its own transitions, and the state of the random generator.

        Returns
        -------
        Heads (0 for none) and labels (-1 for none) of words, from 1; transitions that were right, and all.
        """
        room = words + 2
        steps = 4 * words + 20 + (words * words if self.layout.may_go_back else 0)
        self._arrays(room, steps)
        made = self._made
        transitions, label_weights, *sums = weights
        u, v = sums or (_NOTHING, _NOTHING)
        o, heads, names = gold or (_NONE, _NONE, _NONE)
        st = np.zeros(4, np.int64)
        if state is not None:
            st[:2] = state
        size = self.layout.size(room)
        numbers = words, room, size, columns.shape[1], root, self.labels, steps
        common = made["C"], columns.reshape(-1), made["F"], made["S"], made["P"]
        learnt = transitions, u, label_weights, v, o, heads, names, made["out"], np.array([now]), st
        if self.beam == 1:
            right = self.kernels["hashed_greedy"](mode, *numbers, *common, *learnt)
        else:
            places = made["B"], made["T"], made["Q"]
            right = self.kernels["hashed_beam"](mode, self.beam, *numbers, *common, *places, *learnt)
        if state is not None:
            state[:] = st[:2]
        out = made["out"]
        return out[: words + 1].copy(), out[room : room + words + 1].copy(), right, int(st[2])

    def possible(self, words: int, transitions: list[tuple[str, int]]) -> list[tuple[int, int]] | None:
        """Return transitions, named with gaps, by their numbers; None if one of them is not possible."""
        room = words + 2
        size = self.layout.size(room)
        configurations = np.zeros(2 * size, np.int64)
        kernels, found = self.kernels, list[tuple[int, int]]()
        kernels["begin"](configurations, 0, room, size, words)
        here, there = 0, size
        for name, gap in transitions:
            for k, move in enumerate(self.layout.moves):
                if move.step == name and kernels["allowed"](configurations, here, room, 0, k, gap):
                    break
            else:
                return None
            found.append((k, gap))
            kernels["move"](configurations, here, there, room, size, k, gap, 0)
            here, there = there, here
        return found


_NOTHING, _NONE = np.zeros(1), np.zeros(1, np.int64)


def _guided_text(schema: m.Schema, templates: tuple[StateTemplate, ...], layout: PartPlaces) -> str:
    free = any(move.is_free for move in layout.moves)
    stack, buffer = layout.stacks[0], layout.buffer
    stack_at, buffer_at = layout.list_at(stack), layout.list_at(buffer)
    places = (
        f"for x in range(0, C[c + {stack}]):\n    P[C[c + {stack_at} + x]] = 1\n"
        f"    P[N + C[c + {stack_at} + x]] = 0 if x == 0 else C[c + {stack_at} + max(x - 1, 0)]\n"
        f"for x in range(0, C[c + {buffer}]):\n    P[C[c + {buffer_at} + x]] = 3 if x == 0 else 2"
    )
    text = filled(
        _TEXT,
        numbers="words, N, size, width, root, labels, steps",
        common="C, A, F, S, P",
        learnt="W, U, L, V, O, heads, names, out, now, st",
        templates=len(templates),
        moves=len(layout.moves),
        never=_NEVER,
        ended="return is_final(C, c, N)" if layout.ends_early else "",
        gaps=f"gaps = C[c + {buffer}] + 1" if free else "",
        heads=layout.tree_at("heads"),
        labels=layout.tree_at("labels"),
        places=places,
        reached=_REACHED.get(schema.name, "found = found"),
    )
    return features_text(templates, layout) + "\n\n" + text


@cache
def _compiled(text: str) -> Mapping[str, Callable[..., int]]:
    arrays = dict.fromkeys(("C", "A", "F", "P", "T", "Q", "O", "heads", "names", "out", "st"), "i64[]")
    arrays |= dict.fromkeys(("S", "B", "W", "U", "L", "V", "now"), "f64[]")
    return machine_code(with_types(text.strip("\n") + "\n", arrays), _FUNCTIONS)
