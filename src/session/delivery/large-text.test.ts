import { expect, test } from "vitest";
import { startSession } from "../../../test/session/session-run.ts";
import { EVENT_BYTES_MAX } from "../../protocol/index.ts";
import { TURN_OUTPUT_CHARS_MAX } from "../limits.ts";
import { rounds } from "../../../test/rounds.ts";

const MIB = 1024 * 1024;

test.each([
  { kind: "text", chars: rounds(8 * MIB, TURN_OUTPUT_CHARS_MAX) },
  { kind: "thinking", chars: rounds(4 * MIB, TURN_OUTPUT_CHARS_MAX) },
] as const)(
  "[S19] one $kind event of $chars characters becomes many events, none past its limit, and nothing of it is lost",
  async ({ kind, chars }) => {
    const text = "0123456789abcde\n".repeat(chars / 16);
    const state = await startSession({ ada: { script: () => [{ type: `${kind}_delta`, text }] } });
    await state.send("go");
    const events = state.all();
    expect(Math.max(...events.map((event) => JSON.stringify(event).length))).toBeLessThan(EVENT_BYTES_MAX);
    const deltas = state.events(`${kind}_delta`).map((event) => event.text);
    const done = state.events(`${kind}_done`).map((event) => event.text);
    expect([deltas.join("") === text, done.join("") === text]).toEqual([true, true]);
    expect(state.events("turn_end")).toMatchObject([{ outcome: "completed" }]);
  },
);
