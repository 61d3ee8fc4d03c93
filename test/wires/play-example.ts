/** Examples in the page of a protocol, as tests play them: a word in capitals stands for the value of this run. */
import { readFileSync } from "node:fs";

export type Names = Map<string, unknown>;

const NAME = /^[A-Z]{4,}$/;

/** The lines of every fence of this kind in the page of an edge, in its order. */
export function examplesOf(edge: string, fence: string): string[][] {
  const page = readFileSync(`edges/${edge}/docs/protocol.md`, "utf8");
  return [...page.matchAll(new RegExp(`\`\`\`${fence}\\n([\\s\\S]*?)\`\`\``, "g"))].map(([, text = ""]) =>
    text.trimEnd().split("\n"),
  );
}

/** A line with every name that is known replaced by what it stands for. */
export function filled(line: string, names: Names): string {
  return [...names].reduce((text, [name, value]) => text.replaceAll(`"${name}"`, JSON.stringify(value)), line);
}

/** Whether everything that the example says is so. A name that stands for nothing yet stands for what is there. */
export function fits(example: unknown, value: unknown, names: Names): boolean {
  if (typeof example === "string" && NAME.test(example) && !names.has(example) && value !== undefined) {
    names.set(example, value);
    return true;
  }
  if (typeof example !== "object" || example === null) return example === value;
  if (typeof value !== "object" || value === null) return false;
  const found = new Map(names);
  const isSo = Object.entries(example).every(([key, one]) => fits(one, (value as Record<string, unknown>)[key], found));
  if (isSo) for (const [name, one] of found) names.set(name, one);
  return isSo;
}
