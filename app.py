"""The router: which pages there are. `planviz serve` starts it, and so does `streamlit run app.py`."""

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from streamlit.runtime.pages_manager import PagesManager

from planviz.ui import signin
from planviz.ui.doors import Doors
from planviz.ui.ending import ends_soon
from planviz.ui.front import Front
from planviz.ui.guard import Guard
from planviz.ui.page import addresses, pages
from planviz.ui.room import Room
from planviz.ui.routes import routes

if st.runtime.exists():
    # A session runs this file as its script.
    if signin.refusal():
        signin.navigate(addresses())
    else:
        st.navigation([st.Page(**page) for page in pages(Path(__file__).parent)], position="hidden").run()
else:
    # The server imports it once: own routes stand beside Streamlit's, and modules are loaded before anybody waits.
    import planviz.ui.explore  # noqa: F401

    # Else the first session of a server that comes to a page's address would run that page without this file.
    PagesManager.uses_pages_directory = False
    doors, front = Middleware(Doors, addresses=addresses()), Middleware(Front, addresses=addresses())
    before = [Middleware(Guard), Middleware(Room), doors, front]
    app = st.App(Path(__file__).resolve(), routes=routes(), middleware=before, lifespan=ends_soon)

if __name__ == "__main__" and not st.runtime.exists():
    app.run(config={"server.address": "127.0.0.1", "browser.serverAddress": "127.0.0.1"})
