"""Swarms, where they differ from other systems."""

import pytest

import kalaba


@pytest.mark.parametrize("agents", [None, 1000])
def test_a_swarm_has_no_terms(agents):
    swarm = kalaba.Model.catalogue("swarm", **({} if agents is None else {"agents": agents}))
    with pytest.raises(kalaba.InputError, match="swarm"):
        swarm.terms()
