// A run on the diagram of its flow. What the live page brings anew are the marks; the canvas stays and is told.
//   <div data-run-diagram="ID of the diagram's data">…<section class="diagram">…<input type="range">…<section data-steps>

import { mountDiagram } from "../designer/diagram.js";
import { refresh } from "./app.js";

const part = document.querySelector("[data-run-diagram]");
const read = (id) => JSON.parse(document.getElementById(id)?.textContent ?? "null");
const slider = part.querySelector("input[type=range]");
const chosen = part.querySelector("[data-steps]");

let marks = read("run-marks");
const diagram = mountDiagram(part.querySelector(".diagram"), { ...read(part.dataset.runDiagram), marks }, show);

/** Puts the newest visit of a step below the diagram. */
async function show(step) {
  const seq = marks[step]?.seq;
  chosen.hidden = !seq;
  if (!seq) return;
  const answer = await fetch(`${chosen.dataset.steps}${seq}/?part=1`, { headers: { Accept: "text/html" } });
  if (!answer.ok || answer.redirected) return;
  chosen.innerHTML = await answer.text();
  refresh(chosen);
}

/** How the steps looked after the first `count` events. */
function marksAfter(events, count) {
  return Object.fromEntries(events.slice(0, count).map(({ node, mark }) => [node, mark]));
}

slider?.addEventListener("input", () => {
  const events = read("run-replay");
  const count = Number(slider.value);
  const isEnd = count === events.length;
  const { now, start } = part.querySelector("output").dataset;
  const moment = events[count - 1] && new Date(events[count - 1].at).toLocaleTimeString(document.documentElement.lang);
  part.querySelector("output").value = isEnd ? now : (moment ?? start);
  diagram.update(isEnd ? marks : marksAfter(events, count));
});

document.addEventListener("live:shown", () => {
  marks = read("run-marks");
  if (!slider || Number(slider.value) === Number(slider.max)) diagram.update(marks);
});
