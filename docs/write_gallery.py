"""Runs the gallery's examples and writes their page and pictures: write_gallery.py KALABA EXAMPLES FOLDER.

Every example is a list of `kalaba` commands; the last one writes the picture FOLDER/NAME.png. Exits with 1 if a command fails
or leaves no picture.
"""

import subprocess
import sys
from pathlib import Path

# Name, title, sentence, file of the model or "", commands.
EXAMPLES = [
    (
        "pendulum", "A pendulum of random length",
        "Quantiles over time of 2,000 spherical pendulums whose lengths are uniform between 0.5 m and 2 m.", "",
        ["run spherical_pendulum -s ensemble.members=2000 -s parameters.L={uniform=[0.5,2]} -o pendulum.nc",
         "plot pendulum.nc --kind fan --variables x,z -o pendulum.png"],
    ),
    (
        "bead", "A bead on a wire",
        "The model is a text of eighteen lines. The curvature of the wire varies between the members.", "models/bead.toml",
        ["run bead.toml -s ensemble.members=500 -s parameters.c={uniform=[0.3,0.7]} -o bead.nc",
         "plot bead.nc --kind fan -o bead.png"],
    ),
    (
        "sleigh", "Chaplygin's sleigh",
        "A nonholonomic system in quasi-velocities: the paths of sleighs that start with different spins.",
        "models/chaplygin_sleigh.toml",
        ["describe chaplygin_sleigh.toml",
         "run chaplygin_sleigh.toml -s ensemble.members=40 -s initial.omega={uniform=[-3,3]} -s time.end=8.0 -o sleigh.nc",
         "plot sleigh.nc --kind path --variables x,y -o sleigh.png"],
    ),
    (
        "chain", "A chain of four links",
        "Four masses on massless rods; the picture shows where the masses are over time.", "",
        ["run chain -s time.end=2.0 -s time.save_every=10 -o chain.nc", "plot chain.nc --kind snapshots -o chain.png"],
    ),
    (
        "squeezer", "Andrews' squeezing mechanism",
        "Seven bodies and three loops, a benchmark of stiff and constrained codes.", "",
        ["run andrews_squeezer -o squeezer.nc", "plot squeezer.nc -o squeezer.png"],
    ),
    (
        "disk", "A rolling disk that falls or not",
        "A grid over two initial rates of a thin disk: the colours are the deepest lean of each member in a second.", "",
        ["run rolling_disk -s initial.w_a={linspace=[2,8,40]} -s initial.w_u={linspace=[0,3,40]} "
         "-s time.end=1.0 -o disk.nc",
         "plot disk.nc --kind heatmap --variables min(lean) --over initial.w_a,initial.w_u -o disk.png"],
    ),
    (
        "swarm", "A swarm of agents",
        "A flocking law as constraints on every agent, redrawn from the published figure with eight agents.", "",
        ["plot --figure swarm_8 -o swarm.png"],
    ),
]  # fmt: skip


def run(kalaba, words, folder):
    """Runs a command in the folder; returns its standard output."""
    result = subprocess.run([kalaba, *words.split()], cwd=folder, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"gallery: kalaba {words}: exit code {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def main(kalaba, examples, folder):
    page = ["# Gallery", "", "Every picture on this page was drawn by the commands beside it when the page was built.", ""]
    for name, title, sentence, model, commands in EXAMPLES:
        page += [f"## {title}", "", sentence, ""]
        if model:
            text = (examples / model).read_text()
            (folder / Path(model).name).write_text(text)
            page += [f"`{Path(model).name}`:", "", "```toml", text.rstrip(), "```", ""]
        for words in commands:
            run(kalaba, words, folder)
        if not (folder / f"{name}.png").is_file():
            sys.exit(f"gallery: {name} left no picture {name}.png")
        shell = [" ".join(f"'{w}'" if set(w) & set("{}[]()\"") else w for w in words.split()) for words in commands]
        page += ["```", *(f"kalaba {words}" for words in shell), "```", "", f"![{title}]({name}.png)", ""]
    (folder / "gallery.md").write_text("\n".join(page))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
