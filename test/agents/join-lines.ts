/** A record as if all that the program wrote without hearing from us had come out of its pipe at once. */
import type { Line } from "../../src/agents/process/lines.ts";
import type { PumpOptions } from "../../src/agents/process/output-pump.ts";

type Join = PumpOptions["join"];

export function joinLines<Recorded extends { dir: "in" | "out"; line: unknown }>(
  lines: readonly Recorded[],
  join: Join,
): Recorded[] {
  const waiting = lines.map(({ dir, line }): Line => {
    const text = dir === "out" ? JSON.stringify(line) : "";
    return { kind: "line", text, bytes: Buffer.byteLength(text) };
  });
  const joined: Recorded[] = [];
  for (let at = 0; at < lines.length;) {
    const run = join?.(waiting, at);
    const recorded = lines[at] as Recorded;
    if (run?.line.kind === "line") joined.push({ ...recorded, line: JSON.parse(run.line.text) as unknown });
    else joined.push(recorded);
    at += run?.count ?? 1;
  }
  return joined;
}
