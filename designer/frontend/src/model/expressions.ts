// Where an expression names a step: steps.ID, history.ID, visits.ID and steps['ID']. Texts in quotes are no names.

export interface Mention {
  readonly id: string;
  /** From the dot or bracket behind `steps` to the end of the name. */
  readonly start: number;
  readonly end: number;
}

const ROOTS: ReadonlySet<string> = new Set(["steps", "history", "visits"]);
const WORD = /[A-Za-z_][\w]*/y;
const DOTTED = /\s*\.\s*([A-Za-z_]\w*)/y;
const BRACKET = /\s*\[\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\s*\]/y;
const MARKER = /\{\{([\s\S]*?)\}\}|\$\{([\s\S]*?)\}/g;
const IDENTIFIER = /^[A-Za-z_]\w*$/;

/** The steps that a bare expression names. */
export function mentions(expression: string): Mention[] {
  const found: Mention[] = [];
  let at = 0;
  while (at < expression.length) {
    const char = expression[at]!;
    if (char === '"' || char === "'") {
      at = afterQuote(expression, at);
      continue;
    }
    WORD.lastIndex = at;
    const word = WORD.exec(expression);
    if (!word) {
      at += 1;
      continue;
    }
    const isMember = /\.\s*$/.test(expression.slice(0, at));
    at = WORD.lastIndex;
    if (!isMember && ROOTS.has(word[0])) {
      const named = nameAt(expression, at);
      if (named) {
        found.push(named);
        at = named.end;
      }
    }
  }
  return found;
}

function afterQuote(text: string, at: number): number {
  const quote = text[at];
  for (at += 1; at < text.length && text[at] !== quote; at += 1) if (text[at] === "\\") at += 1;
  return at + 1;
}

function nameAt(text: string, start: number): Mention | null {
  DOTTED.lastIndex = start;
  const dotted = DOTTED.exec(text);
  if (dotted) return { id: dotted[1]!, start, end: DOTTED.lastIndex };
  BRACKET.lastIndex = start;
  const bracket = BRACKET.exec(text);
  if (!bracket) return null;
  return { id: (bracket[1] ?? bracket[2]!).replace(/\\(.)/g, "$1"), start, end: BRACKET.lastIndex };
}

/** `expression` with steps renamed; a name that no dot can be followed by is written in brackets. */
export function renameIn(expression: string, ids: ReadonlyMap<string, string>): string {
  let done = "";
  let from = 0;
  for (const { id, start, end } of mentions(expression)) {
    const next = ids.get(id);
    if (next === undefined) continue;
    done += expression.slice(from, start) + accessTo(next, expression.slice(start, end));
    from = end;
  }
  return done + expression.slice(from);
}

function accessTo(id: string, written: string): string {
  if (IDENTIFIER.test(id) && written.trimStart().startsWith(".")) return `.${id}`;
  const quote = written.includes('"') ? '"' : "'";
  return `[${quote}${id.replaceAll("\\", "\\\\").replaceAll(quote, `\\${quote}`)}${quote}]`;
}

/** The expressions inside a template's markers. */
export function expressionsIn(template: string): string[] {
  return [...template.matchAll(MARKER)].map((found) => found[1] ?? found[2] ?? "");
}

/** `template` with `change` applied to what stands inside its markers. */
export function inMarkers(template: string, change: (expression: string) => string): string {
  return template.replace(MARKER, (_whole: string, curly: string | undefined, dollar: string | undefined) =>
    curly !== undefined ? `{{${change(curly)}}}` : `\${${change(dollar ?? "")}}`,
  );
}
