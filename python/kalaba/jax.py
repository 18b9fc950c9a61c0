"""Motions as differentiable functions for JAX: `kalaba.jax.simulate`."""

from __future__ import annotations

import numpy as np

from ._errors import InputError, required
from ._gradients import Motions

jax = required("jax", "jax", "kalaba.jax")


def simulate(model, *, parameters=None, initial=None, project=None, on_failure="raise", **options):
    """A motion as a differentiable function of parameters and initial values.

    jit, vmap, grad, jacfwd and jacrev apply to functions that call it. Inputs that are arrays, and vmap, make one
    ensemble. Derivatives are the sensitivities of docs/scenario.md; second derivatives are not available.

    Parameters
    ----------
    parameters, initial : dicts of numbers or JAX arrays, which are broadcast against each other; or by their own names,
        as keywords: simulate(pendulum, L=L, x=x, end=2)
    project : as `Ensemble`; left out: as in a run with sensitivities
    on_failure : "raise": MembersFailed if a member fails; "nan": its numbers are NaN
    events : list of `kalaba.event`
    fields : of "q", "w", "energy", "invariants", "multipliers"; left out: ["q", "w"]
    end, dt, save_every, save_at, tolerance, backend, ... : as `run`

    Returns
    -------
    dict of float64 arrays
        "time" (times); every coordinate, rate and component by its name (..., times); for each event its first
        occurrence: "event_time_NAME", "event_x_NAME" (...), NaN if there is none. `...` is the shape of the inputs.
    """
    if not jax.config.jax_enable_x64:
        raise InputError('kalaba.jax requires 64-bit numbers: jax.config.update("jax_enable_x64", True)')
    motions = Motions("kalaba.jax.simulate", model, parameters, initial, project, on_failure, options)
    values = jax.numpy.broadcast_arrays(*(_double(name, each) for name, each in zip(motions.names, motions.values)))
    return {"time": jax.numpy.asarray(motions.times), **_function(motions)(*values)}


def _double(name, value):
    array = jax.numpy.asarray(value)
    if not jax.numpy.issubdtype(array.dtype, np.floating) and not jax.numpy.issubdtype(array.dtype, np.integer):
        raise InputError(f"{name}: expected real numbers, found {array.dtype}")
    return array.astype(np.float64)


def _function(motions):
    """The outputs as a function of the inputs, arrays of one shape."""

    @jax.custom_jvp
    def outputs(*values):
        return _computed(motions, (), values)[0]

    def derivative(values, tangents):
        of = tuple(i for i, each in enumerate(tangents) if not isinstance(each, jax.custom_derivatives.SymbolicZero))
        found, columns = _with_columns(motions, of)(*values)
        moved = {name: 0.0 for name in found}
        for j, i in enumerate(of):
            for name, tail in motions.outputs.items():
                tangent = tangents[i].reshape(tangents[i].shape + (1,) * len(tail))
                moved[name] += columns[name][(..., j, *(slice(None) for _ in tail))] * tangent
        return found, moved

    outputs.defjvp(derivative, symbolic_zeros=True)
    return outputs


def _with_columns(motions, of):
    """The outputs and their columns of derivatives as a function of the inputs."""

    @jax.custom_jvp
    def computed(*values):
        return _computed(motions, of, values)

    @computed.defjvp
    def refuse(values, tangents):
        raise InputError("kalaba.jax.simulate: expected first derivatives, found a second one, which is not available")

    return computed


def _computed(motions, of, values):
    """Calls the library when the numbers are known."""
    shape = values[0].shape if values else ()
    double = np.float64
    outputs = {name: jax.ShapeDtypeStruct((*shape, *tail), double) for name, tail in motions.outputs.items()}
    columns = {name: jax.ShapeDtypeStruct((*shape, len(of), *tail), double) for name, tail in motions.outputs.items()}

    def run(*arrays):
        arrays = [np.asarray(each) for each in arrays]
        batch = arrays[0].shape if arrays else ()
        parts = motions([each.reshape(-1) for each in arrays], of)
        return tuple({name: each.reshape(batch + each.shape[1:]) for name, each in part.items()} for part in parts)

    return jax.pure_callback(run, (outputs, columns), *values, vmap_method="broadcast_all")
