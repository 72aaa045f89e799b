"""The web page: what a person sees of the service, in the same process (NiceGUI; nothing is loaded from elsewhere)."""

from rankcast.serve.page.mounting import attach
from rankcast.serve.page.pages import PAGES, Page
from rankcast.serve.page.shell import frame
from rankcast.serve.page.visitors import View, Visitor

__all__ = ["PAGES", "Page", "View", "Visitor", "attach", "frame"]
