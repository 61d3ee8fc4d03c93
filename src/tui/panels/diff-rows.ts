/** A unified diff. Its own + and - say what its colours say. */
import { terminalSafe } from "../../kit/text/terminal-safe.ts";
import { cutRows } from "../markdown/wrap-rows.ts";
import type { Theme, Tone } from "../theme/theme.ts";
import { plural } from "./format.ts";

export interface DiffOptions {
  readonly theme: Theme;
  readonly width: number;
  readonly rowsMax: number;
}

export function diffRows(diff: string, { theme, width, rowsMax }: DiffOptions): string[] {
  const lines = terminalSafe(diff).replaceAll("\t", "    ").trimEnd().split("\n");
  const rows: string[] = [];
  for (const [index, line] of lines.entries()) {
    if (rows.length >= rowsMax) {
      rows.push(theme.paint("dim", `… ${plural(lines.length - index, "more line")}`));
      break;
    }
    const tone = toneOf(line);
    for (const row of cutRows(line, width)) rows.push(theme.paint(tone, row));
  }
  return rows;
}

function toneOf(line: string): Tone {
  if (line.startsWith("+++") || line.startsWith("---")) return "dim";
  if (line.startsWith("+")) return "added";
  if (line.startsWith("-")) return "removed";
  return line.startsWith("@@") ? "accent" : "plain";
}
