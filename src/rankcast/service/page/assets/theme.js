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

  // Says of the text field in an element whether its text is wrong.
  invalid(id, isWrong) {
    document.querySelector(`#c${id} textarea`)?.setAttribute("aria-invalid", isWrong);
  },
};
rankcast.paint();
rankcast.system.addEventListener("change", rankcast.paint);

// Times are told as the visitor's clock and language have them, and kept up to date.
rankcast.tell = () => {
  const now = Date.now();
  const date = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
  const ago = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
  for (const element of document.querySelectorAll("time.rc-when")) {
    const then = new Date(element.dateTime);
    const seconds = Math.round((then - now) / 1000);
    let text = date.format(then);
    if (Math.abs(seconds) < 60) text = seconds > -5 && seconds < 5 ? "now" : ago.format(seconds, "second");
    else if (Math.abs(seconds) < 3600) text = ago.format(Math.round(seconds / 60), "minute");
    else if (Math.abs(seconds) < 86400) text = ago.format(Math.round(seconds / 3600), "hour");
    if (element.textContent !== text) element.textContent = text;
    element.title = then.toISOString();
  }
};
setInterval(rankcast.tell, 1000);
new MutationObserver(() => requestAnimationFrame(rankcast.tell)).observe(document.documentElement, { childList: true, subtree: true });
