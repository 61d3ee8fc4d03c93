import { describe, expect, test } from "vitest";
import { rounds } from "../rounds.ts";
import { expectHarmless } from "./hostile-screen.ts";
import { terminalPayloads } from "./terminal-payloads.ts";

const GROUP = 16;
/** Every third group, from another one in each run; all of them in torture. */
const STEP = rounds(3, 1);
const first = Math.floor(Math.random() * STEP);
const groups = Array.from({ length: Math.ceil(terminalPayloads.length / GROUP) }, (_, at) =>
  terminalPayloads.slice(at * GROUP, (at + 1) * GROUP),
).filter((_, at) => at % STEP === first);

describe.concurrent("hostile text on the whole screen", () => {
  test("there are enough payloads to speak of a corpus", () => {
    expect(terminalPayloads.length).toBeGreaterThanOrEqual(131);
  });

  test.each(groups.map((group) => [group[0]?.name ?? "", group] as const))(
    "[U66] in every field of a session, streamed in small pieces, no control of theirs reaches the terminal and nothing behind them is swallowed (from %s)",
    async (_name, group) => {
      await expectHarmless(group.map(({ bytes }) => bytes));
    },
  );
});
