"""The web page of the service, in the same process. It uses NiceGUI and loads nothing from other servers."""

from rankcast.service.page.mounting import attach
from rankcast.service.page.pages import PAGES, PageEntry
from rankcast.service.page.shell import frame
from rankcast.service.page.visitors import View, Visitor

__all__ = ["PAGES", "PageEntry", "View", "Visitor", "attach", "frame"]
