"""Settings of the documentation; ``python/docs/build`` makes it."""

import os
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import tangency

# the pages are the same wherever they are made
os.environ["MPLBACKEND"] = "Agg"
os.environ.pop("TANGENCY_CLIMATE", None)
warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")

project = "tangency"
author = "the tangency project"
version = release = tangency.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "matplotlib.sphinxext.plot_directive",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "gallery", "auto_gallery/*.ipynb", "auto_gallery/*.py"]
default_role = "literal"
nitpicky = False

autodoc_typehints = "none"
autodoc_member_order = "bysource"
autosummary_generate = False
napoleon_google_docstring = False
napoleon_use_rtype = False
# lists in which names that share a description stay together
napoleon_use_param = False
napoleon_custom_sections = [("Attributes", "params_style")]
add_module_names = False
python_use_unqualified_type_names = True

plot_html_show_formats = False
plot_html_show_source_link = False
plot_formats = [("png", 100)]

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_gallery",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "gallery_order.Order",
    "capture_repr": ("_repr_html_", "__repr__"),
    "ignore_repr_types": r"matplotlib|Text|BarContainer",
    # all examples are tried, then an error in any of them fails the build
    "abort_on_example_error": False,
    "only_warn_on_example_error": False,
    "write_computation_times": False,
    "download_all_examples": False,
    "show_signature": False,
    "remove_config_comments": True,
    "min_reported_time": 0,
    "doc_module": ("tangency",),
    "image_scrapers": ("matplotlib",),
    "matplotlib_animations": False,
}

html_theme = "furo"
html_title = f"tangency {release}"
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["pages.css"]
