import type { Socket } from "node:net";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { connectedPipe } from "../../../../test/agents/connected-pipe.ts";
import { processLimits } from "../limits.ts";
import { OutputPump } from "./output-pump.ts";

function pumping(stream: Socket | PassThrough) {
  const lines: string[] = [];
  const waiting: { text: string; resolve: () => void }[] = [];
  const pump = new OutputPump(stream, {
    limits: processLimits,
    onLine(line) {
      if (line.kind === "oversize") return;
      lines.push(line.text);
      waiting.filter(({ text }) => text === line.text).forEach(({ resolve }) => resolve());
    },
    onBytes: () => {},
  });
  const sees = (text: string): Promise<void> =>
    lines.includes(text) ? Promise.resolve() : new Promise((resolve) => waiting.push({ text, resolve }));
  return { pump, lines, sees };
}

const turnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve));

test("each line is delivered as soon as it is in the pipe", async () => {
  const { writer, reader } = await connectedPipe();
  const { pump, lines, sees } = pumping(reader);
  const written = Array.from({ length: 10 }, (_, at) => `delta ${at}`);
  for (const text of written) {
    writer.write(`${text}\n`);
    await sees(text);
  }
  writer.end("last\n");
  await pump.drained;
  expect(lines).toEqual([...written, "last"]);
});

test("a stream is read to its end, including an unterminated line", async () => {
  const stream = new PassThrough();
  const { pump, lines } = pumping(stream);
  for (const text of ["delta 1\n", "other\n", "delta 2\n", "half"]) {
    stream.write(text);
    await turnOfTheLoop();
  }
  stream.end();
  await pump.drained;
  expect(lines).toEqual(["delta 1", "other", "delta 2", "half"]);
});
