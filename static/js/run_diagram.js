// A run on the diagram of its flow. What the live page brings anew is how the run stands; the canvas stays and is told.
//   <div data-run-diagram="ID of the diagram's data">…<section class="diagram">…<input type="range">…<section data-steps>

import { mountDiagram } from "../designer/diagram.js";
import { refresh } from "./app.js";

const part = document.querySelector("[data-run-diagram]");
const page = part.closest("[data-live]");
const chosen = part.querySelector("[data-steps]");
const read = (id) => JSON.parse(document.getElementById(id)?.textContent ?? "null");
const slider = () => part.querySelector("input[type=range]");

let state = read("run-state");
let events = read("run-replay");
const diagram = mountDiagram(part.querySelector(".diagram"), read(part.dataset.runDiagram), { onChoose: show, onPick: pick });
diagram.update(state);

/** Puts the visit of a step that the diagram shows below it. */
async function show(step) {
  const { seq, run } = state.marks[step] ?? {};
  chosen.hidden = !seq;
  if (!seq) return;
  const steps = run ? chosen.dataset.steps.replace(/[^/]+\/steps\/$/, `${run}/steps/`) : chosen.dataset.steps;
  const answer = await fetch(`${steps}${seq}/?part=1`, { headers: { Accept: "text/html" } });
  if (!answer.ok || answer.redirected) return;
  chosen.innerHTML = await answer.text();
  refresh(chosen);
}

/** Asks for another turn or branch of a container: the page's address says which, so that it can be passed on. */
function pick(container, number) {
  const { count, is_open } = state.choices[container];
  const follows = is_open && number === count; // it stays the newest when another one comes
  const here = new URL(location.href);
  const picks = here.searchParams.getAll("pick").filter((each) => !each.startsWith(`${container}:`));
  here.searchParams.delete("pick");
  for (const each of follows ? picks : [...picks, `${container}:${number}`]) here.searchParams.append("pick", each);
  history.replaceState(null, "", here);
  page.dataset.live = page.dataset.live.split("?")[0] + here.search;
  page.dispatchEvent(new Event("live:look"));
}

/** How the run stood after its first `count` events. */
function stateAfter(count) {
  const marks = {};
  const ways = {};
  for (const event of events.slice(0, count)) {
    marks[event.node] = event.mark;
    for (const [way, passes] of Object.entries(event.ways)) ways[way] = (ways[way] ?? 0) + passes;
  }
  return { ...state, marks, ways };
}

function replay() {
  const own = slider();
  const count = own ? Number(own.value) : events.length;
  const isEnd = count === events.length;
  diagram.update(isEnd ? state : stateAfter(count));
  if (!own) return;
  const { now, start } = part.querySelector("output").dataset;
  const moment = events[count - 1] && new Date(events[count - 1].at).toLocaleTimeString(document.documentElement.lang);
  part.querySelector("output").value = isEnd ? now : (moment ?? start);
}

part.addEventListener("input", (event) => event.target === slider() && replay());

document.addEventListener("live:shown", () => {
  [state, events] = [read("run-state"), read("run-replay")];
  const own = slider();
  if (own && Number(own.max) !== events.length) own.max = own.value = events.length; // other events: at the end of them
  replay();
});
