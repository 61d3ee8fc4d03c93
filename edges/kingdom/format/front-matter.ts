/**
 * Front matter of a message. Not YAML: one `key: value` per line, lists on one line.
 * Kingdom's reader ends the block at the second `---` anywhere, so no value we write contains one.
 */

export type FrontMatter = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface Split {
  readonly values: FrontMatter;
  readonly body: string;
}

/** Quotes values that would be parsed as something else; characters that cannot be written are replaced. */
export function encodeValue(value: string): string {
  const line = oneLine(value);
  const isMisread = line === "" || line === "~" || /^(?:null|-?\d+)$/.test(line) || /^[["']/.test(line);
  return isMisread ? `"${line.replaceAll('"', "'")}"` : line;
}

export function encodeList(values: readonly string[]): string {
  return `[${values.map((value) => oneLine(value).replace(/[[\],"']/g, "_")).join(", ")}]`;
}

function oneLine(value: string): string {
  return value.replace(/\s+/g, " ").trim().replace(/-{3,}/g, "--");
}

/** Undefined when the text does not begin with such a block. */
export function splitFrontMatter(text: string): Split | undefined {
  const plain = text.replace(/^\uFEFF/, "").replace(/\r\n/g, "\n");
  const match = /^---[ \t]*\n([\s\S]*?)\n---[ \t]*(?:\n|$)/.exec(plain);
  if (match === null) return undefined;
  return { values: readLines((match[1] ?? "").split("\n")), body: plain.slice(match[0].length) };
}

function readLines(lines: readonly string[]): FrontMatter {
  const values = Object.create(null) as Record<string, string | string[] | undefined>;
  let listKey: string | undefined;
  for (const line of lines) {
    const item = /^\s+-\s+(.*)$/.exec(line)?.[1];
    if (item !== undefined && listKey !== undefined) {
      const list = values[listKey];
      values[listKey] = [...(Array.isArray(list) ? list : []), unquote(item.trim())];
      continue;
    }
    const [, key, rest] = /^([A-Za-z_][\w-]*):(.*)$/.exec(line) ?? [];
    if (key === undefined) continue;
    listKey = key;
    values[key] = decodeValue((rest ?? "").trim());
  }
  return values;
}

function decodeValue(text: string): string | string[] | undefined {
  if (text === "" || text === "null" || text === "~") return undefined;
  if (text.startsWith("[") && text.endsWith("]")) {
    return text
      .slice(1, -1)
      .split(",")
      .map((one) => unquote(one.trim()))
      .filter((one) => one !== "");
  }
  return unquote(text);
}

function unquote(text: string): string {
  return /^(["'])(.*)\1$/s.exec(text)?.[2] ?? text;
}
