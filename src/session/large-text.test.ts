import { expect, test } from "vitest";
import { seat } from "../../test/session/seated-session.ts";
import { EVENT_BYTES_MAX } from "../protocol/index.ts";
import { TURN_OUTPUT_CHARS_MAX } from "./limits.ts";

test.each(["text", "thinking"] as const)(
  "[S19] one %s event of 32 MiB becomes many events, none past its limit, and nothing of it is lost",
  async (kind) => {
    const text = "0123456789abcde\n".repeat(TURN_OUTPUT_CHARS_MAX / 16);
    const table = await seat({ ada: { script: () => [{ type: `${kind}_delta`, text }] } });
    await table.say("go");
    const events = table.all();
    expect(Math.max(...events.map((event) => JSON.stringify(event).length))).toBeLessThan(EVENT_BYTES_MAX);
    const deltas = table.events(`${kind}_delta`).map((event) => event.text);
    const done = table.events(`${kind}_done`).map((event) => event.text);
    expect([deltas.join("") === text, done.join("") === text]).toEqual([true, true]);
    expect(table.events("turn_end")).toMatchObject([{ outcome: "completed" }]);
  },
);
