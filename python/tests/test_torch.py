"""kalaba.torch: derivatives against finite differences, batches, transforms."""

import subprocess
import sys

import numpy as np
import pytest

import kalaba

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import kalaba.torch  # noqa: E402

MOTION = {"end": 1.0, "dt": 0.01, "save_every": 10, "compile": "never"}
BOTTOM = kalaba.event("bottom", when="x", direction="falling", action="record")


def double(value, **options):
    return torch.tensor(value, dtype=torch.float64, **options)


@pytest.fixture(name="last")
def the_last_place(bead):
    def last(c, g=9.81, **options):
        return kalaba.torch.simulate(bead, c=c, g=g, **options, **MOTION)["x"][..., -1]

    return last


def test_the_motion_is_that_of_simulate(bead):
    expected = kalaba.simulate(bead, c=0.7, **MOTION)
    found = kalaba.torch.simulate(bead, c=0.7, **MOTION)
    assert set(found) == {"time", "x", "y", "x_dot", "y_dot"}
    for name, each in found.items():
        assert each.dtype == torch.float64 and not each.requires_grad
        np.testing.assert_array_equal(each.numpy(), expected[name])


def test_derivatives_are_those_of_finite_differences(bead):
    def outputs(*inputs):
        named = dict(zip(("c", "g", "x"), inputs))
        found = kalaba.torch.simulate(bead, fields=["q", "w", "energy"], events=[BOTTOM], **named, **MOTION)
        return tuple(each for name, each in found.items() if name != "time")

    inputs = [double(value, requires_grad=True) for value in ([0.5, 0.7], 9.81, 0.9)]
    assert torch.autograd.gradcheck(outputs, inputs, check_forward_ad=True, rtol=1e-4, atol=1e-5)


def test_backward_and_the_transforms_agree(last):
    curvatures = double([0.4, 0.6, 0.9], requires_grad=True)
    last(curvatures).sum().backward()
    expected = curvatures.grad
    functions, batch = torch.func, curvatures.detach()
    together = {
        "vmap of grad": functions.vmap(functions.grad(last))(batch),
        "grad of vmap": functions.grad(lambda c: functions.vmap(last)(c).sum())(batch),
        "grad": functions.grad(lambda c: last(c).sum())(batch),
        "jvp": functions.jvp(last, (batch,), (torch.ones_like(batch),))[1],
        "jacfwd": torch.diagonal(functions.jacfwd(last)(batch)),
        "jacrev": torch.diagonal(functions.jacrev(last)(batch)),
        "float32": functions.grad(lambda c: last(c).sum())(batch.float()).double(),
    }
    for name, each in together.items():
        np.testing.assert_allclose(each, expected, rtol=1e-12 if name != "float32" else 1e-5, err_msg=name)


def test_a_batch_is_one_ensemble(last, monkeypatch):
    members = []
    run = kalaba._gradients.run

    def counted(ensemble, **options):
        members.append(ensemble.members)
        return run(ensemble, **options)

    monkeypatch.setattr(kalaba._gradients, "run", counted)
    curvatures, gravities = torch.linspace(0.4, 0.9, 5).double(), double([9.0, 10.0])
    slope = torch.func.grad(last, (0, 1))
    every = torch.func.vmap(torch.func.vmap(slope, (None, 0)), (0, None))(curvatures, gravities)
    assert members == [10]
    one_by_one = [[slope(c, g) for g in gravities] for c in curvatures]
    np.testing.assert_array_equal(np.stack(every, axis=-1), np.array(one_by_one))


def test_unused_inputs_and_constants_cost_no_column(last, monkeypatch):
    asked = []
    run = kalaba._gradients.run
    monkeypatch.setattr(kalaba._gradients, "run", lambda *a, **k: (asked.append(k.get("sensitivities")), run(*a, **k))[1])
    c = double(0.5, requires_grad=True)
    last(c, double(9.81)).backward()
    with torch.no_grad():
        last(c)
    assert asked == [["parameters.c"], None]


def test_members_that_fail_raise_or_are_nan(last):
    with pytest.raises(kalaba.MembersFailed, match="2 members failed"):
        last(double([0.5, 0.6]), integrator="dopri5", max_steps=3)
    c = double([0.5, np.nan, 0.6], requires_grad=True)
    found = last(c, on_failure="nan")
    found.sum().backward()
    assert torch.isnan(found).tolist() == torch.isnan(c.grad).tolist() == [False, True, False]


def test_second_derivatives_are_refused(last):
    functions, c = torch.func, double(0.6, requires_grad=True)
    twice = [functions.grad(functions.grad(last)), functions.hessian(last), functions.jacfwd(functions.jacfwd(last))]
    for second in twice:
        with pytest.raises(kalaba.InputError, match="second one"):
            second(c.detach())
    (first,) = torch.autograd.grad(last(c), c, create_graph=True)
    with pytest.raises(kalaba.InputError, match="second one"):
        first.backward()


def test_errors_name_what_was_expected(last):
    with pytest.raises(kalaba.InputError, match="parameters.c: expected real numbers, found torch.complex64"):
        last(torch.tensor(1j))
    with pytest.raises(kalaba.InputError, match="parameters.c: expected numbers, found '2"):
        last("2*g")
    with pytest.raises(TypeError, match="kalaba.torch.simulate has no argument 'xx'; did you mean x?"):
        last(0.5, xx=1.0)


def test_without_torch_the_message_says_what_to_install():
    program = "import sys; sys.modules['torch'] = None; import kalaba; kalaba.torch"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "ModuleNotFoundError: kalaba.torch requires the package torch: pip install 'kalaba[torch]'" in done.stderr
