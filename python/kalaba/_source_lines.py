"""Errors of a recorded model, reported at the line of Python that wrote the wrong part."""

from __future__ import annotations

import linecache
import re

from ._errors import SCENARIO, InputError, ModelError
from ._places import NUMPY, PACKAGE


def at_line(error):
    """An error raised while a function was recorded, at the innermost of its frames that is the user's own."""
    place, traceback = None, error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if not code.co_filename.startswith((PACKAGE, NUMPY, "<__array")):
            place = (code, traceback.tb_lasti, traceback.tb_lineno)
        traceback = traceback.tb_next
    return model_error(str(error), place)


def explained(message, lines, code):
    """Message of the reader of models about a recorded text, with the line of Python if it can be determined.

    `lines`: of the text, from 1 -> the expressions there, with the spans of their parts; `code`: the function's.
    """
    match = re.match(rf"(?:kalaba: )?{re.escape(SCENARIO)}:(\d+): (?:model\.)?(.*)", message, re.DOTALL)
    if match is None:
        return InputError(message)
    words, *excerpt = match[2].split("\n")
    place = _place(lines.get(int(match[1])), excerpt)
    return model_error(words, place or (code, -1, code.co_firstlineno), "\n".join(excerpt[2:]))


def _place(written, excerpt):
    """Place of the innermost part that has all the carets."""
    if not written:
        return None
    text, spans = _joined(written)
    if len(excerpt) < 2:
        return spans[-1][2].place
    shown, carets = excerpt[0][4:], excerpt[1][4:]
    cut = 4 if shown.startswith("... ") else 0
    shown = shown[cut:].removesuffix(" ...")
    offset = text.find(shown) - cut
    begin, end = offset + len(carets) - len(carets.lstrip()), offset + len(carets)
    holding = [(e - b, node) for b, e, node in spans if b <= begin and end <= e and node.place is not None]
    return min(holding, key=lambda each: each[0])[1].place if holding else spans[-1][2].place


def _joined(written):
    """The two sides of an equation as the one text they are; of a table its texts one after another."""
    separator = " = " if len(written) == 2 else "\n"
    text, all_spans = "", []
    for each, spans in written:
        text += separator if all_spans else ""
        all_spans += [(begin + len(text), end + len(text), node) for begin, end, node in spans]
        text += each
    return text, all_spans


def model_error(message, place, rest=""):
    """The message with file, line, the line's text and carets under the part, if Python gives them."""
    if place is None:
        return ModelError(message)
    code, instruction, line = place
    first, last, begin, end = _span_of(code, instruction)
    line = first or line
    text = linecache.getline(code.co_filename, line).rstrip("\n")
    lines = [f"{code.co_filename}:{line}: {message}"]
    if text.strip():
        lines.append("    " + text.strip())
        if begin is not None:
            margin = len(text) - len(text.lstrip())
            stop = end if last == first else None
            width = max(1, len(text.encode()[begin:stop].decode(errors="replace")))
            lead = len(text.encode()[:begin].decode(errors="replace")) - margin
            lines.append("    " + " " * lead + "^" * width)
    if rest:
        lines.append(rest)
    return ModelError("\n".join(lines), code.co_filename, line, text.strip())


def _span_of(code, instruction):
    """(line, last line, first byte, last byte) of an instruction; Python 3.11 and later know them."""
    if instruction >= 0 and hasattr(code, "co_positions"):
        for i, position in enumerate(code.co_positions()):
            if 2 * i == instruction:
                return position
    return None, None, None, None
