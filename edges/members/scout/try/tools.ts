/** Test phrases for tool calls: several at once with one that fails, and one with much output. */
import type { EmbeddedTurn } from "../../../../src/agents/index.ts";
import type { TryPhrase } from "./phrases.ts";

const OUTPUT_LINES_MAX = 100_000;
const OUTPUT_LINES_DEFAULT = 500;
const LINES_PER_DELTA = 10;
const RESULT_LINES = 20;

export const toolPhrases: readonly TryPhrase[] = [
  { name: "tools", does: "four tool calls at once, one of which fails", run: severalTools },
  { name: "tool-output", example: "5000", does: "a tool call that streams that many lines", run: muchOutput },
];

async function severalTools(turn: EmbeddedTurn): Promise<void> {
  await turn.write("Four tools at once; the third fails.\n\n");
  const ends = await Promise.allSettled(
    [400, 1_200, 800, 2_000].map((ms, index) =>
      turn.tool({ name: "wait", args: { ms }, title: `Wait ${ms} ms`, kind: "other" }, async (tool) => {
        tool.update("waiting");
        await turn.delay(ms);
        if (index === 2) throw new Error("This tool fails on purpose.");
        tool.output(`waited ${ms} ms\n`);
        return { value: ms, result: `Waited ${ms} ms.` };
      }),
    ),
  );
  turn.signal.throwIfAborted();
  const failed = ends.filter((end) => end.status === "rejected").length;
  await turn.write(`${ends.length - failed} succeeded, ${failed} failed.\n`);
}

async function muchOutput(turn: EmbeddedTurn, argument: string): Promise<void> {
  const requested = /^\d{1,12}$/.test(argument) ? Number(argument) : OUTPUT_LINES_DEFAULT;
  const count = Math.min(requested, OUTPUT_LINES_MAX);
  await turn.tool(
    { name: "print_lines", args: { count }, title: `Print ${count} lines`, kind: "execute" },
    async (tool) => {
      const lineOf = (number: number) => `line ${number} of ${count}: ${"·".repeat(number % 40)}\n`;
      let bytes = 0;
      for (let from = 1; from <= count; from += LINES_PER_DELTA) {
        const numbers = Array.from({ length: Math.min(LINES_PER_DELTA, count - from + 1) }, (_, index) => from + index);
        const text = numbers.map(lineOf).join("");
        bytes += Buffer.byteLength(text);
        tool.output(text, from % 100 === 91 ? "stderr" : "stdout");
        await turn.breathe();
      }
      const tail = Array.from({ length: Math.min(count, RESULT_LINES) }, (_, index) =>
        lineOf(count - index),
      ).toReversed();
      const result = tail.join("");
      const shownBytes = Buffer.byteLength(result);
      return { value: null, result, ...(shownBytes < bytes ? { truncated: { totalBytes: bytes, shownBytes } } : {}) };
    },
  );
  const cut = requested > count ? ` (the limit; ${requested} were asked for)` : "";
  await turn.write(`The tool printed ${count} lines${cut}.\n`);
}
