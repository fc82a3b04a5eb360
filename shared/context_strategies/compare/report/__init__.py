"""One self-contained HTML page: the tables, the figures, and what the model was shown at every call."""

from context_strategies.compare.report.build import page_of, viewer_of
from context_strategies.compare.report.page import LARGEST, Page, Viewer, html_of

__all__ = ["LARGEST", "Page", "Viewer", "html_of", "page_of", "viewer_of"]
