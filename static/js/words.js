// The few words that scripts say come translated from the page: data-word-* on <body> (templates/base.html).

export const language = document.documentElement.lang || "en";

/** @param {string} name as in the attribute, for example "go-on" */
export function word(name) {
  return document.body.getAttribute(`data-word-${name}`) ?? "";
}

/** An element with attributes and children; strings become text, never HTML. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** An icon of the sprite; its address is read from an icon the page already has. */
export function icon(name) {
  const sprite = document.querySelector("svg.icon use")?.getAttribute("href")?.split("#")[0] ?? "/static/icons.svg";
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  use.setAttribute("href", `${sprite}#${name}`);
  svg.append(use);
  return svg;
}
