// The finder (Ctrl-K), the key "/" and the tour: what the browser does by itself, from what the page shows.
"use strict";
rankcast.places = () => {
  const links = [...document.querySelectorAll(".rc-nav a.rc-entry")].map((link) => ({
    text: link.innerText.replace(/^\s*\S*\n/, "").trim().split("\n").pop(), go: () => { location.href = link.href; },
  }));
  const users = JSON.parse(document.querySelector(".rc-shell")?.dataset.users ?? "[]");
  const as = users.map((user) => ({
    text: `As ${user}`, go: () => { rankcast.remember("rankcast_user", user); location.href = "/"; },
  }));
  return [...links, { text: "New subscription", go: () => { location.href = "/subscriptions?new="; } }, ...as];
};

rankcast.palette = () => {
  if (document.querySelector(".rc-palette")) return;
  const dialog = Object.assign(document.createElement("dialog"), { className: "rc-palette" });
  dialog.setAttribute("aria-label", "Find a page");
  const field = Object.assign(document.createElement("input"), { type: "text", placeholder: "Page or user" });
  const list = Object.assign(document.createElement("ul"), { id: "rc-palette-list" });
  for (const [name, value] of Object.entries({ role: "combobox", "aria-label": "Page or user", "aria-controls": list.id, "aria-expanded": "true", "aria-autocomplete": "list" })) field.setAttribute(name, value);
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Pages and users");
  dialog.append(field, list);
  const all = rankcast.places();
  let found = all, at = 0;
  const choose = () => { if (found[at]) { dialog.close(); found[at].go(); } };
  const draw = () => {
    list.replaceChildren(...found.slice(0, 12).map((place, number) => {
      const item = document.createElement("li");
      item.textContent = place.text;
      item.id = `rc-place-${number}`;
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", String(number === at));
      item.addEventListener("click", () => { at = number; choose(); });
      return item;
    }));
    field.setAttribute("aria-activedescendant", found.length ? `rc-place-${at}` : "");
  };
  field.addEventListener("input", () => {
    const asked = field.value.trim().toLowerCase();
    found = all.filter((place) => place.text.toLowerCase().includes(asked));
    at = 0;
    draw();
  });
  field.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) { at = Math.max(0, Math.min(at + step, Math.min(found.length, 12) - 1)); draw(); event.preventDefault(); }
    if (event.key === "Enter") choose();
  });
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  document.body.append(dialog);
  draw();
  dialog.showModal();
  field.focus();
};

addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
    event.preventDefault();
    rankcast.palette();
  }
  const typing = event.target.closest?.("input, textarea, select, [contenteditable=true], dialog");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    const search = [...document.querySelectorAll(".rc-search input")].find((one) => one.offsetParent);
    if (search) search.focus();
    else rankcast.palette();
  }
});

// Four steps, each on its page. The address says which one is shown.
rankcast.steps = [
  ["/", "The feed", "Each card is an event that was sent to this user, with the reason. “Left out” shows what matched and was not sent, and why."],
  ["/subscriptions", "Subscriptions", "Which events the user wants, as conditions on attributes. The editor shows at once which recent events match."],
  ["/policy", "The policy", "How many events the user gets, when, and how varied they are. Every change is tried on recent events before you save it, and can be undone."],
  ["/worlds", "Demo data", "Open a world and choose one of its users. Or start as a new user: type a name in the field “User” above."],
];
rankcast.tour = (number) => {
  const step = rankcast.steps[number];
  if (location.pathname !== step[0]) { location.href = `${step[0]}?tour=${number + 1}`; return; }
  document.querySelector(".rc-tour")?.remove();
  const box = Object.assign(document.createElement("section"), { className: "rc-tour" });
  box.setAttribute("role", "dialog");
  box.setAttribute("aria-label", `Tour, step ${number + 1} of ${rankcast.steps.length}`);
  const part = (tag, text, classes = "") => Object.assign(document.createElement(tag), { textContent: text, className: classes });
  const button = (text, classes, done) => { const made = part("button", text, classes); made.type = "button"; made.onclick = done; return made; };
  const end = () => { rankcast.remember("rankcast_tour", "done"); box.remove(); rankcast.address({}); document.documentElement.dataset.tour = "done"; };
  const row = part("div", "", "rc-row");
  const last = number + 1 === rankcast.steps.length;
  row.append(button(last ? "Done" : "Next", "rc-tour-next", () => (last ? end() : rankcast.tour(number + 1))));
  if (!last) row.append(button("End the tour", "rc-link", end));
  box.append(part("p", `${number + 1} of ${rankcast.steps.length}`, "rc-small"), part("h2", step[1]), part("p", step[2]), row);
  document.body.append(box);
  row.firstChild.focus({ preventScroll: true });
};
document.documentElement.dataset.tour = rankcast.recall("rankcast_tour");
addEventListener("load", () => {
  const asked = Number(new URLSearchParams(location.search).get("tour"));
  if (asked >= 1 && asked <= rankcast.steps.length) rankcast.tour(asked - 1);
});
