// The diagram as a picture that stands alone: for papers, wikis and mails. What people wrote goes in as text, never as markup.

import { CARD_WIDTH, HEAD, type Box, type Layout } from "./layout";
import type { Place } from "./tree";

export interface Words {
  readonly name: (place: Place) => string;
  readonly under: (place: Place) => string;
  readonly chips: (place: Place) => readonly string[];
  readonly rule: (place: Place) => string;
  readonly start: string;
  readonly end: string;
}

const JUMPS: Readonly<Record<string, { colour: string; dash: string }>> = {
  error: { colour: "#b01f1f", dash: "7 4" },
  timeout: { colour: "#7a5200", dash: "2 4" },
  yes: { colour: "#17693a", dash: "" },
  no: { colour: "#5d5966", dash: "" },
};

export function svgOf(layout: Layout, words: Words): string {
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${round(layout.width)}" height="${round(layout.height)}" viewBox="0 0 ${round(layout.width)} ${round(layout.height)}" font-family="system-ui, sans-serif" font-size="14">`,
    '<defs><marker id="arrow" viewBox="0 0 10 10" refX="7" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M 1 1 L 9 5 L 1 9 z" fill="#8f8896"/></marker></defs>',
    '<rect width="100%" height="100%" fill="#ffffff"/>',
    ...[...layout.boxes.values()].filter((box) => box.isOpen).map((box) => frame(box, words)),
    ...layout.wires.map((wire) => `<path transform="translate(${round(wire.x)} ${round(wire.y)})" d="${wire.path}" fill="none" stroke="#b5afbb" stroke-width="1.5"${wire.hasArrow ? ' marker-end="url(#arrow)"' : ""}/>`),
    ...layout.jumps.map((jump) => `<path d="${jump.path}" fill="none" stroke="${JUMPS[jump.kind]!.colour}" stroke-width="1.5" stroke-dasharray="${JUMPS[jump.kind]!.dash}" marker-end="url(#arrow)"/>`),
    ...[...layout.boxes.values()].filter((box) => !box.isOpen).map((box) => card(box, words)),
    ...layout.rules.map((rule) => text(rule.x, rule.y + 15, cut(words.rule(rule.place), rule.width / 6.4), { anchor: "middle", size: 12, fill: "#6f1f54" })),
    pill(layout.start, words.start),
    pill(layout.end, words.end),
    "</svg>",
  ];
  return `${parts.join("\n")}\n`;
}

function frame(box: Box, words: Words): string {
  const name = [words.name(box.place), words.under(box.place)].filter(Boolean).join(": ");
  return rect(box, "#faf7fa", "#d6d1db") + text(box.x + 14, box.y + HEAD / 2 + 5, cut(name, box.width / 7.6), { size: 13, weight: 600 });
}

function card(box: Box, words: Words): string {
  const rows = words.chips(box.place).map((chip, at) => text(box.x + 14, box.y + 74 + at * 18, cut(chip, 38), { size: 12, fill: "#5d5966" }));
  const shown = rows.slice(0, Math.max(0, Math.floor((box.height - 60) / 18)));
  return [
    rect(box, "#ffffff", "#8a8690"),
    text(box.x + 14, box.y + 26, cut(words.name(box.place), (CARD_WIDTH - 28) / 7.4), { weight: 600 }),
    text(box.x + 14, box.y + 45, cut(words.under(box.place), (CARD_WIDTH - 28) / 6.4), { size: 12, fill: "#5d5966" }),
    ...shown,
  ].join("");
}

function rect(box: Box, fill: string, stroke: string): string {
  return `<rect x="${round(box.x)}" y="${round(box.y)}" width="${round(box.width)}" height="${round(box.height)}" rx="10" fill="${fill}" stroke="${stroke}"/>`;
}

function pill(at: { x: number; y: number }, word: string): string {
  return `<rect x="${round(at.x - 32)}" y="${round(at.y - 14)}" width="64" height="28" rx="14" fill="#ffffff" stroke="#8a8690"/>${text(at.x, at.y + 4, word, { anchor: "middle", size: 12, weight: 600 })}`;
}

function text(x: number, y: number, words: string, { size = 14, weight = 400, fill = "#1e1b22", anchor = "start" } = {}): string {
  return `<text x="${round(x)}" y="${round(y)}" font-size="${size}" font-weight="${weight}" fill="${fill}" text-anchor="${anchor}">${escaped(words)}</text>`;
}

function cut(words: string, most: number): string {
  const length = Math.max(4, Math.floor(most));
  return words.length > length ? `${words.slice(0, length - 1)}…` : words;
}

function escaped(words: string): string {
  const clean = words.replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "�");
  return clean.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
