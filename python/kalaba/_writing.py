"""Expressions as text: shared parts under [model.let], and where in the text each part stands."""

from __future__ import annotations

from ._expressions import ATOM, MASK, POWER, SIGN

_HIGHEST = 60  # operations on one another in one text
_LONGEST = 3000  # characters of one text
_WORTH = 60  # characters that a shared part saves


def write(root, names, defines=False):
    """The text of an expression, and the spans (begin, end, node) of its parts, outer ones last.

    `names`: of the nodes, by id, that are written elsewhere; `defines`: this is the place where the root is.
    """
    pieces, spans, length = [], [], 0
    stack = [("node", root, False)]
    while stack:
        kind, thing, begin = stack.pop()
        if kind == "text":
            pieces.append(thing)
            length += len(thing)
        elif kind == "end":
            spans.append((begin, length, thing))
        else:
            stack.append(("end", thing, length))
            stack.extend(reversed(_pieces(thing, names, is_open=defines and thing is root)))
    return "".join(pieces), spans


def _pieces(node, names, is_open):
    if not is_open and id(node) in names:
        return [("text", names[id(node)], 0)]
    if not node.arguments:
        return [("text", node.head, 0)]
    arguments = node.arguments
    if node.binds == ATOM:
        pieces = [("text", node.head + "(", 0)]
        for i, each in enumerate(arguments):
            pieces += [("text", ", ", 0)] * (i > 0) + [("node", each, 0)]
        return [*pieces, ("text", ")", 0)]
    if len(arguments) == 1:
        operand = arguments[0]
        least = POWER if node.binds == SIGN else ATOM
        return [("text", "not " if node.head == "not" else "-", 0), *_operand(operand, least, names)]
    left, right = arguments
    if node.binds == MASK:
        return [*_operand(left, MASK + 1, names), ("text", f" {node.head} ", 0), *_operand(right, MASK + 1, names)]
    if node.binds == POWER:
        return [*_operand(left, ATOM, names), ("text", "^", 0), *_operand(right, ATOM, names)]
    separator = f" {node.head} " if node.head in "+-" else node.head
    return [*_operand(left, node.binds, names), ("text", separator, 0), *_operand(right, node.binds + 1, names)]


def _operand(node, least, names):
    binds = ATOM if id(node) in names else node.binds
    if binds >= least:
        return [("node", node, 0)]
    return [("text", "(", 0), ("node", node, 0), ("text", ")", 0)]


def in_order(roots):
    """Every node below the roots, those it is made of first; and by id, how often each is used."""
    order, uses, visited = [], {}, set()
    for root in roots:
        uses[id(root)] = uses.get(id(root), 0) + 1
        stack = [(root, False)]
        while stack:
            node, is_done = stack.pop()
            if is_done:
                order.append(node)
            elif id(node) not in visited:
                visited.add(id(node))
                stack.append((node, True))
                for each in node.arguments:
                    uses[id(each)] = uses.get(id(each), 0) + 1
                    stack.append((each, False))
    return order, uses


def share(roots, taken):
    """Names for the parts that are better written once: those used often, and those of which a text grows too high or
    too long. Returns them by id, and the nodes in an order in which each uses earlier ones alone.
    """
    order, uses = in_order(roots)
    names, shared, height, length = {}, [], {}, {}
    for node in order:
        if not node.arguments:
            height[id(node)], length[id(node)] = 0, len(node.head)
            continue
        height[id(node)] = 1 + max(height[id(each)] for each in node.arguments)
        length[id(node)] = 4 + sum(length[id(each)] for each in node.arguments)
        often = (uses[id(node)] - 1) * length[id(node)] > _WORTH
        if node.binds != MASK and (often or height[id(node)] > _HIGHEST or length[id(node)] > _LONGEST):
            names[id(node)] = _free_name(len(shared) + 1, taken)
            shared.append(node)
            height[id(node)], length[id(node)] = 0, len(names[id(node)])
    return names, shared


def _free_name(number, taken):
    name = f"shared_{number}"
    while name in taken:
        name += "_"
    return name
