// Conditions that can be said in words: comparisons, all of which or one of which must hold. Anything else stays text.

export const OPERATORS = ["==", "!=", ">", ">=", "<", "<="] as const;
export type Operator = (typeof OPERATORS)[number];

export interface Comparison {
  readonly left: string;
  readonly operator: Operator;
  /** As it is written: a number, a text in quotes, true, false, null, or another value. */
  readonly right: string;
}

export interface Condition {
  readonly join: "&&" | "||";
  readonly parts: readonly Comparison[];
}

const VALUE = String.raw`[A-Za-z_][\w]*(?:\.[A-Za-z_]\w*|\[(?:\d+|"[^"\\]*"|'[^'\\]*')\])*`;
const TEXT = String.raw`"[^"\\]*"|'[^'\\]*'`;
const PART = new RegExp(String.raw`^\s*(${VALUE})\s*(==|!=|>=|<=|>|<)\s*(${TEXT}|-?\d+(?:\.\d+)?|${VALUE})\s*$`);

/** The comparisons in `text`; null where words cannot say it. */
export function understood(text: string): Condition | null {
  if (text.trim() === "") return { join: "&&", parts: [] };
  const pieces = split(text);
  if (!pieces) return null;
  const parts: Comparison[] = [];
  for (const piece of pieces.parts) {
    const found = PART.exec(piece);
    if (!found) return null;
    parts.push({ left: found[1]!, operator: found[2] as Operator, right: found[3]! });
  }
  return { join: pieces.join, parts };
}

export function asText(condition: Condition): string {
  return condition.parts.map((part) => `${part.left} ${part.operator} ${part.right}`).join(` ${condition.join} `);
}

/** Split at && or at ||, outside of texts; null where both are mixed. */
function split(text: string): { join: Condition["join"]; parts: string[] } | null {
  const parts: string[] = [];
  let join: Condition["join"] | null = null;
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]!;
    if (char === '"' || char === "'") {
      const end = text.indexOf(char, at + 1);
      if (end < 0) return null;
      at = end;
    } else if (text.startsWith("&&", at) || text.startsWith("||", at)) {
      const found = text.slice(at, at + 2) as Condition["join"];
      if (join !== null && join !== found) return null;
      join = found;
      parts.push(text.slice(from, at));
      from = at + 2;
      at += 1;
    }
  }
  parts.push(text.slice(from));
  return { join: join ?? "&&", parts };
}

/** What somebody typed, as an expression: numbers, true, false and null as they are, values by their names, all else as text. */
export function written(typed: string, values: ReadonlySet<string>): string {
  const text = typed.trim();
  if (/^-?\d+(\.\d+)?$/.test(text) || ["true", "false", "null"].includes(text) || values.has(text)) return text;
  if (/^(["']).*\1$/.test(text) && text.length > 1 && PART.test(`x == ${text}`)) return text;
  return text.includes('"') ? `'${text.replace(/['\\]/g, "")}'` : `"${text.replace(/\\/g, "")}"`;
}

/** The other way round: a text without its quotes. */
export function shown(right: string): string {
  return /^(["']).*\1$/.test(right) && right.length > 1 ? right.slice(1, -1) : right;
}
