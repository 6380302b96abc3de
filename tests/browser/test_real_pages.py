"""Pages made by the command hold the numbers of its other files, open without error or request, and keep text text."""

from __future__ import annotations

import json
import math
import shlex

import numpy as np
import pytest
from driving import NARROW, TABS
from make_sample import numbers
from real_files import HOSTILE, columns, model, table, write


def with_error(value, deviation):
    """A number as the page writes it: to the second digit of its deviation."""
    decimals = max(0, 1 - math.floor(math.log10(deviation)))
    return f"{value:.{decimals}f} ± {deviation:.{decimals}f}".replace("-", "−")


# ---- All of them.

PAGES = ["two", "three", "one", "new rows", "hostile", "select", "prune", "images"]


@pytest.mark.parametrize("name", PAGES)
def test_every_part_opens_without_an_error_and_without_a_request(page, all_pages, name):
    page.open(all_pages[name])
    for tab in [*TABS, "map"]:
        page.click(f"tab-{tab}")
        assert page.ask("tab") == tab
        if tab != "evidence":
            page.mouse(page.at(3))
    data = page.data(all_pages[name])
    assert page.ask("pointsDrawn") == data["n_points"] + data["n_new"]
    assert not page.all('[data-test="failed"]')
    assert page.trouble() == []


@pytest.mark.parametrize("name", PAGES)
def test_every_part_fits_a_phone_in_the_dark(page, all_pages, name):
    page.size(*NARROW, touch=True)
    page.open(all_pages[name], dark=True)
    for tab in TABS:
        page.click(f"tab-{tab}")
        assert page.run("return document.documentElement.scrollWidth") <= NARROW[0], tab


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_one_small_file_that_names_no_address(all_pages, name):
    text = all_pages[name].read_text(encoding="utf-8")
    assert len(text) < 2_000_000
    addresses = text.replace("http://www.w3.org/2000/svg", "")
    assert "http://" not in addresses and "https://" not in addresses


# ---- Numbers.


def test_the_head_says_what_was_done(page, curve):
    file, told = curve
    page.open(file)
    facts = page.facts()
    assert page.text("title") == "curve.csv in 2 dimensions" == page.driver.title
    assert facts["data"] == "curve.csv, 150 points, 3 features"
    assert f"{told['n_edges']} edges" in facts["graph"]
    assert facts["bound"] == f"{told['bound']:.2f} nats, {told['bound_per_point']:.4f} per point"
    assert facts["seed"] == "0" and facts["engine"] == "exact" and facts["version"]
    assert page.text("command") == "tangency fit curve.csv --columns y1:y3"


@pytest.mark.parametrize("row", [0, 60, 120])
def test_a_hovered_point_has_the_coordinates_of_the_model_and_the_values_of_the_table(page, curve, folder, row):
    arrays, _ = model(folder / "curve.st")
    page.open(curve[0])
    row = page.lonely(row)
    page.mouse(page.at(row))
    shown = page.rows("card")
    assert page.text("card-id") == str(row)
    for a, name in enumerate(["x1", "x2"]):
        deviation = math.sqrt(arrays["coordinate_covariances"][row, a, a])
        assert shown[name] == with_error(arrays["coordinates"][row, a], deviation)
    measured = columns(folder / "curve.csv", "y1", "y2", "y3")[row]
    read = [float(shown[name].replace("−", "-")) for name in ("y1", "y2", "y3")]
    assert np.allclose(read, measured, rtol=1e-3)


def test_columns_that_were_not_fitted_stand_in_the_card_and_can_be_colours(page, curve, folder):
    page.open(curve[0])
    row = page.lonely(0)
    page.mouse(page.at(row))
    truth = columns(folder / "curve.csv", "true1", "true2")[row]
    assert [float(page.rows("card-columns")[name]) for name in ("true1", "true2")] == pytest.approx(truth)
    assert {"column:0", "column:1"} <= set(page.options("colour-by"))
    page.choose("colour-by", "column:0")
    assert page.ask("colourBy") == "column:0" and page.trouble() == []


def test_the_saved_selection_agrees_with_the_embedding_that_fit_wrote(page, curve, folder):
    page.open(curve[0])
    left, top, width, height = page.box()
    page.click("mode-box")
    page.mouse((left + 2, top + 2), "down", (left + 99, top + 99), (left + width - 3, top + height - 3), "up")
    (folder / "saved.csv").write_text(page.download("export", "selection.csv"), encoding="utf-8")
    names = ["x1", "x2", "sd1", "sd2"]
    assert [row["id"] for row in table(folder / "saved.csv")] == [str(row) for row in range(150)]
    assert np.allclose(columns(folder / "saved.csv", *names), columns(folder / "curve-x.csv", *names), rtol=1e-6)


def test_the_evidence_is_that_of_the_fit(page, curve, folder):
    file, told = curve
    page.open(file, "evidence")
    facts = {name: float(text.split()[0].replace("−", "-")) for name, text in page.facts("bound-facts").items()}
    wanted = [told["bound"], told["bound_per_point"], told["bound_scaled"]]
    assert [facts[name] for name in ("bound", "per point", "in scaled units")] == pytest.approx(wanted, rel=1e-4)
    assert page.text("stop") == f"The bound had stopped rising after {told['n_iter']} iterations."
    # the history, part by part
    bound = page.data(file)["bound"]
    learned = {line["name"]: numbers(line["values"]) for line in bound["hyperparameters"]}
    assert set(learned) == set(told["hyperparameters"])
    trace = columns(folder / "curve-t.csv", "bound", *learned)
    for place, values in enumerate([numbers(bound["bound"]), *learned.values()]):
        assert np.allclose(values, trace[:, place], rtol=1e-5), place
    assert {line["name"] for line in bound["parts"]} == set(told["bound_parts_scaled"])
    parts = sum(numbers(line["values"]).astype(float) for line in bound["parts"])
    assert np.allclose(parts, trace[:, 0], atol=1e-3)


def test_a_reconstruction_is_that_of_the_command(page, curve, folder, tangency):
    page.open(curve[0], "explore")
    seen = []
    for row in (10, 70, 130):
        x, y = page.at(row)
        page.mouse((x + 7, y - 5))
        seen.append(page.ask("reconstruction()"))
    write(folder / "at.csv", ["x1", "x2"], [answer["at"] for answer in seen])
    words = "reconstruct curve.st at.csv --predicts measurement --out at-y.csv --force"
    tangency(*words.split(), folder=folder)
    names = ["y1", "y2", "y3"]
    assert np.allclose([answer["values"] for answer in seen], columns(folder / "at-y.csv", *names), atol=1e-5)
    spread = columns(folder / "at-y.csv", *(f"sd_{name}" for name in names))
    # the page has only the diagonals of the maps' covariances
    assert np.allclose([answer["deviations"] for answer in seen], spread, rtol=0.01)


def test_loadings_are_those_of_the_command(page, curve, folder, tangency):
    found = json.loads(tangency("loadings", "curve.st", "--json", folder=folder))
    page.open(curve[0], "loadings")
    page.click("loadings-all")
    for axis, rows in zip(found["axes"], found["directions"], strict=True):
        words = page.find(f"loadings-{axis}").get_attribute("aria-label")
        assert len(rows) == 3
        for row in rows:
            assert f"{row['feature']} {with_error(row['standardised'], row['standardised_sd'])}" in words


def test_no_edge_of_a_clean_graph_is_marked(page, curve):
    page.open(curve[0], "graph")
    assert "none stands out" in page.driver.find_element("id", "panel-graph").text
    assert page.text("suspect-words").startswith("None stands out")
    assert not page.all('[data-test="edge-list"] tbody tr')


def test_all_edges_of_the_model_are_drawn(page, curve, folder):
    arrays, _ = model(folder / "curve.st")
    page.open(curve[0], "graph")
    page.choose("edges-show", "all")
    assert page.ask("edgesShown") == len(arrays["edges"]) == curve[1]["n_edges"]
    drawn = {tuple(edge) for edge in numbers(page.data(curve[0])["graph"]["edges"]).tolist()}
    assert drawn == {tuple(edge) for edge in arrays["edges"].tolist()}


# ---- Other dimensions.


def test_three_dimensions_are_a_space(page, cube, folder):
    arrays, _ = model(folder / "cube.st")
    page.open(cube)
    view = page.ask("view")
    assert view["kind"] == "space" and page.ask("pointsDrawn") == 150
    page.choose("axes", "1,2")
    across, down = page.places().T
    assert np.corrcoef(across, arrays["coordinates"][:, 1])[0, 1] > 0.9999
    # a curve has no third coordinate: it is a millionth of the others, and the page holds single precision
    assert np.corrcoef(down, arrays["coordinates"][:, 2])[0, 1] < -0.999


def test_one_dimension_is_a_strip_in_the_order_of_the_coordinate(page, helix, folder):
    x = columns(folder / "helix-x.csv", "x1")[:, 0]
    page.open(helix)
    assert page.ask("view")["kind"] == "strip" and page.ask("pointsDrawn") == 120
    assert np.corrcoef(page.places()[:, 0], x)[0, 1] > 0.9999


# ---- Other commands.


def test_new_rows_stand_where_transform_puts_them(page, placed, folder):
    page.open(placed)
    assert page.text("title") == "Old and new"
    assert page.facts()["new rows"].startswith("30, ")
    assert page.ask("pointsDrawn") == 180
    data, names = page.data(placed), ["x1", "x2", "novelty", "log_density"]
    x, novelty, density = numbers(data["coordinates"]), numbers(data["novelty"]), numbers(data["log_density"])
    told = columns(folder / "new-x.csv", *names)
    assert np.allclose(np.column_stack([x, novelty, density])[150:], told, rtol=1e-5, atol=1e-6)
    row = page.lonely(150)
    page.mouse(page.at(row))
    spread = columns(folder / "new-x.csv", "sd1", "sd2")[row - 150]
    shown = page.rows("card")
    assert "new row" in page.text("card") and page.text("card-id") == str(row - 150)
    assert [shown["x1"], shown["x2"]] == [with_error(*pair) for pair in zip(told[row - 150], spread, strict=False)]
    page.choose("colour-by", "kind")
    old, new = page.colours(page.lonely(0), row)
    assert (old != new).any()


def test_hostile_texts_of_a_table_stay_text(page, hostile):
    file, ids, labels = hostile
    page.open(file)
    assert page.text("title") == HOSTILE[2] == page.driver.title
    assert HOSTILE[0] in page.facts()["data"] and HOSTILE[0] in page.text("command")
    for tab in TABS:
        page.click(f"tab-{tab}")
        if tab == "evidence":
            continue
        row = page.lonely(40)
        page.mouse(page.at(row))
        page.press(row)
        assert page.ask("picked()") == ids[row]
        assert page.all("img, iframe, object, embed, script[src]") == []
        assert page.run("return document.scripts.length") <= 2
    page.click("tab-map")
    shown = page.rows("pinned")
    assert page.text("pinned-id") == ids[row] and page.text("pinned-label") == labels[row]
    assert set(HOSTILE[:3]) <= set(shown)
    page.find("search").send_keys("<img")
    page.settle()
    assert '"><img src=x onerror=alert(1)>' in page.text("search-list")
    page.choose("colour-by", "feature:1")
    assert HOSTILE[1] in page.text("legend")
    page.click("tab-loadings")
    assert HOSTILE[0] in page.find("loadings-x1").get_attribute("aria-label")
    assert page.all("img, iframe, object, embed, script[src]") == []


def test_no_folder_of_the_machine_is_in_a_page(page, curve, folder, tangency):
    words = ["fit", folder / "curve.csv", "--columns", "y1:y3"]
    tangency(*words, "--out", folder / "far.st", "--report", folder / "far.html", folder=folder.parent)
    tangency("edges", folder / "far.st", "--report", folder / "far-edges.html", folder=folder.parent)
    assert page.data(folder / "far.html")["command"] == "tangency fit curve.csv --columns y1:y3"
    assert page.data(folder / "far-edges.html")["command"] == "tangency edges far.st --report far-edges.html"
    for name in ("far.html", "far-edges.html"):
        assert str(folder) not in (folder / name).read_text(encoding="utf-8")


def test_a_page_of_a_model_knows_its_table(page, curve, folder, tangency):
    tangency("report", "curve.st", "--out", "again.html", folder=folder)
    data = page.data(folder / "again.html")
    assert data["title"] == "curve.csv in 2 dimensions"
    assert data["command"].startswith("tangency fit curve.csv")
    assert dict(data["facts"])["data"].startswith("curve.csv, 150 points")


def test_the_command_that_compares_runs(page, curve, folder, tangency):
    words = page.data(curve[0])["compare"].split()
    assert words[:3] == ["tangency", "select", "curve.csv"] and words[-2:] == ["--report", "compared.html"]
    small = ["--seeds", "1", "--max-iter", "3", "--out", "compared.csv"]
    assert words[words.index("-k") + 1] == "6,9,13" and words[words.index("-d") + 1] == "1:3"
    words[words.index("-k") + 1], words[words.index("-d") + 1] = "9", "1:2"
    tangency(*words[1:], *small, folder=folder)
    assert page.data(folder / "compared.html")["selection"]["candidates"]


def test_hostile_ids_and_labels_come_back_whole(page, hostile):
    file, ids, labels = hostile
    data = page.data(file)
    assert data["ids"] == ids and data["labels"] == labels and data["features"]["names"] == HOSTILE[:3]


def test_a_selection_shows_its_heat_map_and_lines(page, selected, folder):
    file, told = selected
    page.open(file, "evidence")
    bounds = {}
    for row in table(folder / "select.csv"):
        bounds.setdefault((row["n_neighbors"], row["n_components"]), []).append(float(row["bound"]))
    script = "return [...arguments[0].rows].map((r) => [...r.cells].map((c) => c.textContent))"
    head, *rows = page.run(script, page.find("heat"))
    assert len(head) == 3 and [row[0] for row in rows] == ["d = 1", "d = 2"]
    for row in rows:
        for graph, text in zip(head[1:], row[1:], strict=True):
            mean = np.mean(bounds[graph.split()[-1], row[0].split()[-1]])
            assert float(text.replace("−", "-")) == pytest.approx(mean, rel=1e-3)
    best = max(bounds, key=lambda key: np.mean(bounds[key]))
    assert f"{best[0]} in {best[1]} dimension" in page.text("best")
    assert page.find("heat").find_element("css selector", "td.best").text in sum(rows, [])
    assert page.all('[data-test="chart-candidates"] path')
    # the page is that of the best
    assert page.data(file)["n_components"] == int(best[1])


def test_a_pruned_graph_shows_what_was_removed(page, pruned, folder):
    file, bad = pruned
    arrays, _ = model(folder / "pruned.st")
    assert bad in {tuple(edge) for edge in arrays["removed"].tolist()}
    data = page.data(file)
    assert data["graph"]["removed"] == arrays["removed"].tolist()
    page.open(file, "graph")
    assert f"{len(arrays['removed'])} edge" in page.driver.find_element("id", "panel-graph").text
    assert "removed" in page.facts()["graph"]
    page.choose("edges-show", "all")
    assert page.ask("edgesShown") == len(arrays["edges"])


def refit(page, folder, file, tangency):
    """Removes an edge in the page, saves the others, and runs the command that the page gives."""
    page.choose("edges-show", "all")
    points = np.array([page.at(row) for row in range(page.ask("pointsDrawn"))])
    edges = numbers(page.data(folder / file)["graph"]["edges"])
    middles = points[edges].mean(1)
    free = [np.hypot(*(points - middle).T).min() for middle in middles]
    place = tuple(middles[int(np.argmax(free))])
    page.mouse(place, "down", "up")
    page.all('[data-test="edge-detail"] button')[0].click()
    page.settle()
    (gone,) = page.ask("removedEdges()")
    (folder / "kept.csv").write_text(page.download("save-edges", "kept.csv"), encoding="utf-8")
    program, *words = shlex.split(page.text("refit-command"))
    assert program == "tangency"
    tangency(*words, "--out", "refitted.st", "--force", folder=folder)
    arrays, about = model(folder / "refitted.st")
    return tuple(gone), {tuple(edge) for edge in arrays["edges"].tolist()}, about


def test_the_command_in_the_page_refits_without_the_edge(page, curve, folder, tangency):
    rows = columns(folder / "curve.csv", "y1", "y2", "y3")
    write(folder / "three.csv", ["a", "b", "c"], rows.tolist())
    tangency(*"fit three.csv -k 8 --out three.st --report three.html --force".split(), folder=folder)
    arrays, about = model(folder / "three.st")
    page.open(folder / "three.html", "graph")
    gone, left, again = refit(page, folder, "three.html", tangency)
    assert left == {tuple(edge) for edge in arrays["edges"].tolist()} - {gone}
    assert again["feature_names"] == about["feature_names"]


def test_the_command_in_the_page_refits_the_same_columns(page, curve, folder, tangency):
    page.open(curve[0], "graph")
    _, about = model(folder / "curve.st")
    _, _, again = refit(page, folder, curve[0].name, tangency)
    assert again["feature_names"] == about["feature_names"]


def test_images_are_shown_as_images(page, digits, folder):
    file, pictures = digits
    page.open(file)
    row = page.lonely(20, room=7)
    page.mouse(page.at(row))
    assert page.text("card-label") == str(pictures.target[row])
    painted = page.pixels(page.all('[data-test="card"] canvas.picture')[0])
    assert np.abs(painted[:, :, 0] - pictures.images[row] / 16 * 255).max() <= 1
    page.click("tab-explore")
    page.mouse(page.at(row))
    painted = page.pixels(page.find("explore-picture"))
    expected = np.clip(np.array(page.ask("reconstruction()")["values"]).reshape(8, 8) / 16, 0, 1) * 255
    assert np.abs(painted[:, :, 0] - expected).max() <= 1
