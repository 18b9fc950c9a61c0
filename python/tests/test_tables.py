"""Tables in and out: pandas, polars, Arrow, Parquet."""

import subprocess
import sys

import numpy as np
import pytest
from conftest import quick

import kalaba

COLUMNS = {"c": [0.4, 0.5, 0.6], "m": [1.0, 2.0, 3.0]}
BOTTOM = kalaba.event("bottom", when="x", direction="falling", action="record")
NEVER = kalaba.event("never", when="x - 5", action="record")


@pytest.mark.parametrize("package, make", [
    ("pandas", lambda pandas: pandas.DataFrame(COLUMNS, index=[7, 3, 5])),
    ("polars", lambda polars: polars.DataFrame(COLUMNS)),
    ("pyarrow", lambda arrow: arrow.table(COLUMNS)),
    ("pyarrow", lambda arrow: arrow.Table.from_batches([arrow.record_batch({n: v[:1] for n, v in COLUMNS.items()}),
                                                        arrow.record_batch({n: v[1:] for n, v in COLUMNS.items()})])),
    ("pyarrow", lambda arrow: arrow.record_batch(COLUMNS)),
])  # fmt: skip
def test_tables_are_inputs(bead, package, make):
    table = make(pytest.importorskip(package, reason=f"{package} is not installed"))
    ensemble = kalaba.Ensemble(bead, parameters=table)
    for name, values in COLUMNS.items():
        np.testing.assert_array_equal(ensemble.inputs[name], values)


@pytest.mark.parametrize("package, make", [
    ("polars", lambda polars: polars.DataFrame({"c": [0.4, None]})),
    ("polars", lambda polars: polars.DataFrame({"c": ["a", "b"]})),
    ("pyarrow", lambda arrow: arrow.table({"c": [0.4, None]})),
    ("pyarrow", lambda arrow: arrow.table({"c": ["a", "b"]})),
    ("pandas", lambda pandas: pandas.DataFrame({"c": [0.4, None]})),
])  # fmt: skip
def test_tables_with_missing_numbers_or_texts_are_refused(bead, package, make):
    table = make(pytest.importorskip(package, reason=f"{package} is not installed"))
    with pytest.raises(kalaba.InputError, match="parameters.c"):
        kalaba.Ensemble(bead, parameters=table)


def test_other_columns_are_named(bead):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    with pytest.raises(kalaba.InputError, match=r"there is no label .*; pass the columns of inputs alone"):
        kalaba.Ensemble(bead, parameters=pandas.DataFrame({**COLUMNS, "label": ["a", "b", "c"]}))
    with pytest.raises(kalaba.InputError, match=r"there is no C; did you mean c\? "):
        kalaba.Ensemble(bead, parameters={"C": 0.5})


def test_a_lazy_table_is_refused(bead):
    polars = pytest.importorskip("polars", reason="polars is not installed")
    with pytest.raises(kalaba.InputError, match=r"parameters: expected a table in memory, found LazyFrame; its collect\(\)"):
        kalaba.Ensemble(bead, parameters=polars.LazyFrame(COLUMNS))


@pytest.fixture(name="result")
def the_result(bead):
    return quick(bead, parameters=COLUMNS, end=1.0, events=[BOTTOM, NEVER], fields=["q", "w", "energy"], sensitivities=["c"])


def test_members_are_a_parquet_table(result, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    path = tmp_path / "members.parquet"
    assert result.to_parquet(path) == str(path)
    table = parquet.read_table(path)
    assert table["member"].to_pylist() == [0, 1, 2] and table["status"].to_pylist() == ["ok"] * 3
    assert table["c"].to_pylist() == COLUMNS["c"]
    for name in ("x", "y_dot", "energy"):
        np.testing.assert_array_equal(table[f"final_{name}"], np.asarray(result[name])[-1])
    assert table.schema.field("final_x").metadata == {b"units": b"m"}
    assert table.schema.field("c").metadata == {b"units": b"1/m"}
    result.save(tmp_path / "run.nc")
    again = tmp_path / "again.parquet"
    kalaba.open(tmp_path / "run.nc").to_parquet(again)
    same = parquet.read_table(again)
    assert same.schema.equals(table.schema, check_metadata=True)
    for name in table.column_names:
        np.testing.assert_array_equal(same[name], table[name], err_msg=name)
    assert sorted(each.name for each in tmp_path.glob("*.p*")) == ["again.parquet", "members.parquet"]


def test_events_are_a_parquet_table(result, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    table = parquet.read_table(result.to_parquet(tmp_path / "events.parquet", table="events"))
    assert table["member"].to_pylist() == [0, 0, 1, 1, 2, 2]
    assert table["event"].to_pylist() == ["bottom", "never"] * 3
    events = result.events
    np.testing.assert_array_equal(table["time"].to_numpy()[::2], np.asarray(events["event_time"])[0])
    assert np.isnan(table["time"].to_numpy()[1::2]).all()
    assert table["count"].to_pylist() == np.asarray(events["event_count"]).T.reshape(-1).tolist()
    np.testing.assert_array_equal(table["x_dot"].to_numpy()[::2], np.asarray(events["event_w"])[0, 0])
    np.testing.assert_array_equal(
        table["sensitivity_time_to_parameters.c"].to_numpy()[::2], np.asarray(events["event_time_sensitivity"])[0, 0]
    )
    np.testing.assert_array_equal(
        table["sensitivity_y_to_parameters.c"].to_numpy()[::2], np.asarray(events["event_q_sensitivity"])[0, 0, 1]
    )
    assert table.schema.field("time").metadata == {b"units": b"s"}


def test_errors_name_what_was_expected(bead, result):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    with pytest.raises(kalaba.InputError, match='expected "members" or "events", found \'motions\''):
        result.to_parquet("a.parquet", table="motions")
    with pytest.raises(kalaba.InputError, match="expected a name that ends in .parquet, found a.csv"):
        result.to_parquet("a.csv")
    with pytest.raises(kalaba.InputError, match="expected a run with events"):
        quick(bead).to_parquet("a.parquet", table="events")
    with pytest.raises(kalaba.InputError, match="a run without trajectories"):
        quick(bead, trajectories=False, statistics=["mean"]).to_parquet("a.parquet")


def test_without_pyarrow_the_message_says_what_to_install():
    program = (
        "import sys; sys.modules['pyarrow'] = None; import kalaba;"
        "kalaba.run('spherical_pendulum', end=0.01, compile='never').to_parquet('a.parquet')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "result.to_parquet requires the package pyarrow: pip install 'kalaba[parquet]'" in done.stderr
