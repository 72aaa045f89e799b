// Light or dark before anything is drawn, and the few things that the browser has to remember by itself.
"use strict";
const rankcast = {
  system: matchMedia("(prefers-color-scheme: dark)"),

  recall(name) {
    const found = document.cookie.split("; ").find((part) => part.startsWith(name + "="));
    return found ? decodeURIComponent(found.slice(name.length + 1)) : "";
  },

  remember(name, value) {
    document.cookie = `${name}=${encodeURIComponent(value)}; path=/; max-age=31536000; samesite=lax`;
  },

  paint() {
    const chosen = rankcast.recall("rankcast_theme");
    document.documentElement.dataset.theme = chosen || (rankcast.system.matches ? "dark" : "light");
  },

  theme(name) {
    rankcast.remember("rankcast_theme", name);
    rankcast.paint();
  },

  // The address says what is being edited, so that a reload finds it again.
  address(query) {
    const text = new URLSearchParams(query).toString();
    history.replaceState(history.state, "", location.pathname + (text ? "?" + text : ""));
  },
};
rankcast.paint();
rankcast.system.addEventListener("change", rankcast.paint);
