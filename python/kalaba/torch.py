"""Motions as differentiable functions for PyTorch: `kalaba.torch.simulate`."""

from __future__ import annotations

import math

import numpy as np

from ._errors import InputError, required
from ._gradients import Motions

torch = required("torch", "torch", "kalaba.torch")


def simulate(model, *, parameters=None, initial=None, project=None, on_failure="raise", **options):
    """A motion as a differentiable function of parameters and initial values.

    Tensors that require gradients are differentiated, with `backward` and with the transforms of torch.func (grad, vmap,
    jvp, jacfwd, jacrev). Inputs that are tensors of several numbers, and vmap, make one ensemble. Derivatives are the
    sensitivities of docs/scenario.md; second derivatives are not available.

    Parameters
    ----------
    parameters, initial : dicts of numbers or tensors, which are broadcast against each other; or by their own names, as
        keywords: simulate(pendulum, L=L, x=x, end=2)
    project, on_failure, events, fields, end, dt, ... : as `kalaba.jax.simulate`

    Returns
    -------
    dict of float64 tensors on the device of the inputs
        with the names and shapes of `kalaba.jax.simulate`
    """
    motions = Motions("kalaba.torch.simulate", model, parameters, initial, project, on_failure, options)
    values = [_double(name, each) for name, each in zip(motions.names, motions.values)]
    devices = {each.device for each in motions.values if isinstance(each, torch.Tensor)}
    if len(devices) > 1:
        raise InputError(f"expected inputs on one device, found {', '.join(sorted(map(str, devices)))}")
    device = devices.pop() if devices else torch.device("cpu")
    _refuse_nested_forward_mode()
    of = tuple(i for i, each in enumerate(motions.values) if _is_variable(each))
    found = _Motion.apply(motions, of, *torch.broadcast_tensors(*values)) if values else _Motion.apply(motions, of)
    times = torch.as_tensor(motions.times, device=device)
    return {"time": times, **{name: each.to(device) for name, each in zip(motions.outputs, found)}}


def _double(name, value):
    tensor = value if isinstance(value, torch.Tensor) else torch.from_numpy(np.array(value))
    if tensor.is_complex() or tensor.dtype == torch.bool:
        raise InputError(f"{name}: expected real numbers, found {tensor.dtype}")
    return tensor.to(device="cpu", dtype=torch.float64)


def _is_variable(value):
    """True for a tensor with a gradient or a tangent, and for every tensor in a transform of torch.func."""
    if not isinstance(value, torch.Tensor) or not value.is_floating_point():
        return False
    is_transformed = torch._C._functorch.peek_interpreter_stack() is not None
    has_tangent = torch.autograd.forward_ad.unpack_dual(value).tangent is not None
    return is_transformed or has_tangent or (value.requires_grad and torch.is_grad_enabled())


class _Motion(torch.autograd.Function):
    """Outputs and their columns of derivatives. The columns are outputs too: a second derivative differentiates them, which
    `backward` refuses and `jvp` answers with NaN."""

    @staticmethod
    def forward(motions, of, *values):
        shape = values[0].shape if values else ()
        parts = motions([each.detach().numpy().reshape(-1) for each in values], of)
        return tuple(
            torch.from_numpy(each.reshape((*shape, *each.shape[1:]))) for part in parts for each in part.values()
        )

    @staticmethod
    def setup_context(ctx, inputs, output):
        motions, of, *values = inputs
        columns = output[len(motions.outputs) :]
        ctx.motions, ctx.of, ctx.inputs = motions, of, len(values)
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*columns)
        ctx.save_for_forward(*columns)

    @staticmethod
    def backward(ctx, *gradients):
        motions, of = ctx.motions, ctx.of
        _refuse_second(gradients[len(motions.outputs) :])
        found = [None] * ctx.inputs
        for tail, gradient, columns in zip(motions.outputs.values(), gradients, ctx.saved_tensors):
            if gradient is None:
                continue
            for j, i in enumerate(of):
                part = columns.select(-1 - len(tail), j) * gradient
                part = part.sum(-1) if tail else part
                found[i] = part if found[i] is None else found[i] + part
        return None, None, *found

    @staticmethod
    def jvp(ctx, *tangents):
        motions, of = ctx.motions, ctx.of
        found = []
        for tail, columns in zip(motions.outputs.values(), ctx.saved_tensors):
            moved = torch.zeros_like(columns.select(-1 - len(tail), 0))
            for j, i in enumerate(of):
                tangent = tangents[2 + i]
                if tangent is not None:
                    moved = moved + columns.select(-1 - len(tail), j) * (tangent.unsqueeze(-1) if tail else tangent)
            found.append(moved)
        return *found, *(torch.full_like(each, math.nan) for each in ctx.saved_tensors)

    @staticmethod
    def vmap(info, in_dims, motions, of, *values):
        batched = [
            each.unsqueeze(0).expand(info.batch_size, *each.shape) if dim is None else each.movedim(dim, 0)
            for each, dim in zip(values, in_dims[2:])
        ]
        found = _Motion.apply(motions, of, *batched)
        return found, (0,) * len(found)


_SECOND = "kalaba.torch.simulate: expected first derivatives, found a second one, which is not available"


def _refuse_second(gradients):
    if any(each is not None for each in gradients):
        raise InputError(_SECOND)


def _refuse_nested_forward_mode():
    """Raises InputError inside two derivatives of torch.func one of which is in forward mode: PyTorch drops the tangents of
    the columns there, and the second derivative would be zero."""
    kinds = [str(each.key()).rpartition(".")[2] for each in torch._C._functorch.get_interpreter_stack() or ()]
    if "Jvp" in kinds and kinds.count("Jvp") + kinds.count("Grad") > 1:
        raise InputError(_SECOND)
