import type { Socket } from "node:net";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { connectedPipe } from "../../../test/agents/connected-pipe.ts";
import { processLimits } from "./limits.ts";
import { OutputPump, type PumpOptions, type Taken } from "./output-pump.ts";

function pumping(
  stream: Socket | PassThrough,
  taken: (text: string) => Taken,
  options: Partial<Pick<PumpOptions, "join" | "limits">> = {},
) {
  const lines: string[] = [];
  let reads = 0;
  const waiting: { text: string; resolve: () => void }[] = [];
  const pump = new OutputPump(stream, {
    limits: processLimits,
    onLine(line) {
      if (line.kind === "oversize") return undefined;
      lines.push(line.text);
      waiting.filter(({ text }) => text === line.text).forEach(({ resolve }) => resolve());
      return taken(line.text);
    },
    onBytes: () => (reads += 1),
    ...options,
  });
  const sees = (text: string): Promise<void> =>
    lines.includes(text) ? Promise.resolve() : new Promise((resolve) => waiting.push({ text, resolve }));
  return { pump, lines, sees, reads: () => reads };
}

const isDelta = (text: string): Taken => (text.startsWith("delta") ? "streaming" : undefined);
const turnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve));

test.skipIf(process.platform === "win32")(
  "[A450] while text trickles in, several pieces are read at once, in order and none lost",
  async () => {
    const { writer, reader } = await connectedPipe();
    const { pump, lines, sees, reads } = pumping(reader, isDelta);
    writer.write("delta 0\n");
    await sees("delta 0");
    const readsBefore = reads();
    const written = ["delta 0"];
    for (let count = 1; count <= 10; count++) {
      written.push(`delta ${count}`);
      writer.write(`delta ${count}\n`);
      await turnOfTheLoop();
    }
    await sees("delta 10");
    expect(reads() - readsBefore).toBeLessThan(10);
    writer.end("last\n");
    await pump.drained;
    expect(lines).toEqual([...written, "last"]);
  },
);

test("[A450] a stream that cannot be left alone is read as before, to its end", async () => {
  const stream = new PassThrough();
  const { pump, lines } = pumping(stream, isDelta);
  for (const text of ["delta 1\n", "other\n", "delta 2\n", "half"]) {
    stream.write(text);
    await turnOfTheLoop();
  }
  stream.end();
  await pump.drained;
  expect(lines).toEqual(["delta 1", "other", "delta 2", "half"]);
});

test.skipIf(process.platform === "win32")(
  "[A563] a program that repeats all it has said with every piece is read as seldom as one that does not",
  async () => {
    const { writer, reader } = await connectedPipe();
    const { lines, sees, reads } = pumping(reader, isDelta);
    const repeated = "x".repeat(2_000);
    writer.write("delta 0\n");
    await sees("delta 0");
    const readsBefore = reads();
    for (let count = 1; count <= 10; count++) {
      writer.write(`delta ${count} ${repeated}\n`);
      await turnOfTheLoop();
    }
    await sees(`delta 10 ${repeated}`);
    expect(lines.length).toBe(11);
    expect(reads() - readsBefore).toBeLessThan(10);
  },
);

test("[A754] lines that wait together are handed over as one where the program's dialect says so, and count as taken", async () => {
  const stream = new PassThrough();
  const join: PumpOptions["join"] = (lines, from) => {
    const texts = lines.slice(from).map((line) => (line.kind === "line" ? line.text : ""));
    const other = texts.findIndex((text) => !text.startsWith("delta"));
    const run = texts.slice(0, other === -1 ? texts.length : other);
    return run.length < 2 ? undefined : { line: { kind: "line", text: run.join("+"), bytes: 1 }, count: run.length };
  };
  const { pump, lines } = pumping(stream, isDelta, { join, limits: { ...processLimits, queueLinesMax: 3 } });
  stream.write("delta 1\ndelta 2\ndelta 3\nother\ndelta 4\ndelta 5\n");
  await turnOfTheLoop();
  // With lines that were counted as waiting for good, nothing more would be read.
  stream.write("other 2\ndelta 6\n");
  await turnOfTheLoop();
  stream.end("last\n");
  await pump.drained;
  expect(lines).toEqual(["delta 1+delta 2+delta 3", "other", "delta 4+delta 5", "other 2", "delta 6", "last"]);
});
