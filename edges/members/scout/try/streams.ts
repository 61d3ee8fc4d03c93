/**
 * Test phrases for how a turn goes: late, slow, long, thinking, silent, without an end, with an error, with tool calls.
 */
import { type EmbeddedTurn, printableLine } from "../../../../src/agents/index.ts";
import { RoundtableError } from "../../../../src/protocol/index.ts";
import type { TryPhrase } from "./phrase.ts";

const DELAY_MS_MAX = 600_000;
const DELAY_MS_DEFAULT = 3_000;
const SLOW_STEPS_DEFAULT = 60;
const SLOW_STEPS_MAX = 1_000;
const SLOW_STEP_MS = 250;
const LONG_CHARS_MAX = 2_000_000;
const LONG_CHARS_DEFAULT = 20_000;
const OUTPUT_LINES_MAX = 100_000;
const OUTPUT_LINES_DEFAULT = 500;
const LINES_PER_DELTA = 10;
const RESULT_LINES = 20;
const SAMPLE_TEXT =
  "every view draws the same transcript from the same log whether it is live or read back years later ";

export const streamPhrases: readonly TryPhrase[] = [
  {
    name: "error",
    does: "ends the turn with an expected error",
    async run(turn) {
      await turn.write("This turn ends with an error.\n");
      throw new RoundtableError("unsupported", "This is the error that /try error asks for.", {
        hint: "Nothing is wrong: send something else.",
      });
    },
  },
  {
    name: "crash",
    does: "ends the turn with an internal error",
    async run(turn) {
      await turn.write("This turn crashes.\n");
      throw new TypeError("this is the fault that /try crash asks for");
    },
  },
  { name: "delay", example: "3s", does: "stays silent for that long (ms, s, m), then answers", run: delayed },
  {
    name: "slow",
    example: String(SLOW_STEPS_DEFAULT),
    does: `streams that many steps, ${1_000 / SLOW_STEP_MS} a second; can be steered`,
    run: slowly,
  },
  {
    name: "long",
    example: "200000",
    does: "writes that many characters of Markdown, with code and tables",
    run: atLength,
  },
  {
    name: "thinking",
    does: "thinks before it answers",
    async run(turn) {
      turn.show({ type: "status", state: "thinking" });
      await turn.think("First I look at what was asked.\n\nThen I notice that nothing was, and make up my mind.");
      await turn.delay(500);
      await turn.think("A second thought, to see two of them.");
      await turn.write("I have thought twice.\n");
    },
  },
  {
    name: "hang",
    does: "never ends by itself: interrupt it",
    async run(turn) {
      await turn.write("I hang now. Interrupt me.\n");
      for (;;) await turn.delay(DELAY_MS_MAX);
    },
  },
  {
    name: "silence",
    does: "ends the turn without a word",
    run: () => Promise.resolve(),
  },
  { name: "tools", does: "makes four tool calls at once, one of which fails", run: severalTools },
  { name: "tool-output", example: "5000", does: "makes a tool call that streams that many lines", run: muchOutput },
];

async function delayed(turn: EmbeddedTurn, argument: string): Promise<void> {
  const requestedMs = durationMs(argument);
  const ms = Math.min(requestedMs, DELAY_MS_MAX);
  await turn.delay(ms);
  const cut = ms < requestedMs ? ` (${printableLine(argument)} is more than the limit)` : "";
  await turn.write(`That took ${ms / 1_000} s${cut}.\n`);
}

/** The default for an invalid time; the answer says how long it took. */
function durationMs(text: string): number {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)\s*(ms|s|m)?$/.exec(text.trim());
  if (match === null) return DELAY_MS_DEFAULT;
  return Number(match[1]) * { ms: 1, s: 1_000, m: 60_000 }[match[2] === "ms" || match[2] === "m" ? match[2] : "s"];
}

async function slowly(turn: EmbeddedTurn, argument: string): Promise<void> {
  const requested = /^[1-9]\d{0,11}$/.test(argument) ? Number(argument) : SLOW_STEPS_DEFAULT;
  const steps = Math.min(requested, SLOW_STEPS_MAX);
  for (let step = 1; step <= steps; step++) {
    await turn.write(`Step ${step} of ${steps}, at leisure. `);
    await turn.delay(SLOW_STEP_MS);
    for (const steer of turn.consumeSteers())
      await turn.write(`\n\nYou said: ${printableLine(steer).slice(0, 200)}\n\n`);
  }
  await turn.write("Done.\n");
  if (steps < requested) {
    const message = `/try slow takes at most ${SLOW_STEPS_MAX} steps; ${requested} were requested.`;
    turn.show({ type: "warning", code: "too_large", message });
  }
}

async function atLength(turn: EmbeddedTurn, argument: string): Promise<void> {
  const requested = /^\d{1,12}$/.test(argument) ? Number(argument) : LONG_CHARS_DEFAULT;
  for (const block of longMarkdown(Math.min(requested, LONG_CHARS_MAX))) await turn.write(block);
  if (requested <= LONG_CHARS_MAX) return;
  const message = `/try long writes at most ${LONG_CHARS_MAX} characters; ${requested} were requested.`;
  turn.show({ type: "warning", code: "too_large", message });
}

/** Markdown of an exact length, with everything a view must draw. The same length gives the same text. */
function* longMarkdown(chars: number): Generator<string> {
  let left = chars;
  for (let number = 1; ; number++) {
    const block = section(number);
    if (block.length > left) break;
    left -= block.length;
    yield block;
  }
  // The rest is plain words, so that no fence or table stays open.
  if (left > 0) yield SAMPLE_TEXT.repeat(Math.ceil(left / SAMPLE_TEXT.length)).slice(0, left);
}

function section(number: number): string {
  return `## Section ${number}

${SAMPLE_TEXT.repeat(2).trim()}, with **bold**, *italic*, \`code\` and a [link](https://example.org/${number}).

- a point
  - a point below it with unicode: naïve 日本語 🧭
- [x] a task that is done

| number | square | what |
|---:|---:|---|
| ${number} | ${number * number} | the row of section ${number} |
| ${number + 1} | ${(number + 1) ** 2} | the one after |

\`\`\`ts
export function section${number}(value: number): number {
  return value * ${number}; // ${"a long line goes on ".repeat(number % 5)}
}
\`\`\`

> A quote, on ${number % 2 === 0 ? "an even" : "an odd"} section.

`;
}

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
  const cut = requested > count ? ` (the limit; ${requested} were requested)` : "";
  await turn.write(`The tool printed ${count} lines${cut}.\n`);
}
