/** Test phrases for how a turn goes: late, slow, long, thinking, silent, without an end, or badly. */
import { RoundtableError } from "../../../../src/protocol/index.ts";
import { type EmbeddedTurn, printableLine } from "../../../../src/agents/index.ts";
import { longMarkdown } from "./long-markdown.ts";
import type { TryPhrase } from "./phrases.ts";

const DELAY_MS_MAX = 600_000;
const DELAY_MS_DEFAULT = 3_000;
const SLOW_STEPS_DEFAULT = 60;
const SLOW_STEPS_MAX = 1_000;
const SLOW_STEP_MS = 250;
const LONG_CHARS_MAX = 2_000_000;
const LONG_CHARS_DEFAULT = 20_000;

export const streamPhrases: readonly TryPhrase[] = [
  {
    name: "error",
    does: "ends the turn with an error that I mean to tell",
    async run(turn) {
      await turn.write("This turn ends with an error.\n");
      throw new RoundtableError("unsupported", "This is the error that /try error asks for.", {
        hint: "Nothing is wrong: send something else.",
      });
    },
  },
  {
    name: "crash",
    does: "ends the turn with a fault inside me",
    async run(turn) {
      await turn.write("This turn crashes.\n");
      throw new TypeError("this is the fault that /try crash asks for");
    },
  },
  { name: "delay", example: "3s", does: "says nothing for that long (ms, s, m), then answers", run: delayed },
  {
    name: "slow",
    example: String(SLOW_STEPS_DEFAULT),
    does: `streams that many steps, ${1_000 / SLOW_STEP_MS} a second; can be steered`,
    run: slowly,
  },
  { name: "long", example: "200000", does: "that many characters of Markdown, with code and tables", run: atLength },
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
];

async function delayed(turn: EmbeddedTurn, argument: string): Promise<void> {
  const requestedMs = durationMs(argument);
  const ms = Math.min(requestedMs, DELAY_MS_MAX);
  await turn.delay(ms);
  const cut = ms < requestedMs ? ` (${printableLine(argument)} is more than the limit)` : "";
  await turn.write(`That took ${ms / 1_000} s${cut}.\n`);
}

/** What cannot be read as a time is the default; the answer says how long it took. */
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
    const message = `/try slow takes at most ${SLOW_STEPS_MAX} steps; ${requested} were asked for.`;
    turn.show({ type: "warning", code: "too_large", message });
  }
}

async function atLength(turn: EmbeddedTurn, argument: string): Promise<void> {
  const requested = /^\d{1,12}$/.test(argument) ? Number(argument) : LONG_CHARS_DEFAULT;
  for (const block of longMarkdown(Math.min(requested, LONG_CHARS_MAX))) await turn.write(block);
  if (requested <= LONG_CHARS_MAX) return;
  const message = `/try long writes at most ${LONG_CHARS_MAX} characters; ${requested} were asked for.`;
  turn.show({ type: "warning", code: "too_large", message });
}
