import { expect, test } from "vitest";
import { startSession, SETTINGS } from "../../../test/session/session-run.ts";
import type { Behaviour } from "../../../test/session/scripted-agent.ts";
import type { Usage } from "../../protocol/index.ts";

const limited = { ...SETTINGS, limits: { ...SETTINGS.limits, usd: 0.01 } };

function spending(usage: Usage, cost?: boolean): Behaviour {
  return {
    script: () => [{ type: "usage", usage }],
    ...(cost === undefined ? {} : { capabilities: { cost } }),
  };
}

test("a budget that cannot count a member warns once, before its first turn, and its cost is unknown", async () => {
  const counted = { inputTokens: 100, outputTokens: 10 };
  const state = await startSession(
    { ada: spending(counted, false), bob: spending({ ...counted, costUsd: 0.5 }, true) },
    { settings: limited },
  );
  await state.send("one");
  await state.send("two");
  const warned = state.events("warning").filter(({ code }) => code === "cost_unknown");
  expect(warned).toMatchObject([
    {
      member: "ada",
      message:
        "The cost of ada is unknown, so the dollar limit does not apply to it. Set agents.ada.price in the configuration to include it.",
    },
  ]);
  const start = state.events("turn_start").find(({ member }) => member === "ada");
  expect(warned[0]?.seq).toBeLessThan(start?.seq ?? 0);
  const { head } = state.session.transcript;
  expect(head.members["ada"]?.totals.costUsd).toBeNull();
  expect(head.members["bob"]?.totals.costUsd).toBe(1);
  expect(head.totals.costUsd).toBe(1);
});

test("without a budget there is no warning", async () => {
  const state = await startSession({ ada: spending({ inputTokens: 1, outputTokens: 1 }, false) });
  await state.send("one");
  expect(state.events("warning")).toEqual([]);
});

test("a configured price turns tokens into cost, cached ones at their own price, unless the agent reports a cost", async () => {
  const usage = { inputTokens: 1_000_000, outputTokens: 100_000, cacheReadTokens: 400_000 };
  const state = await startSession({}, { settings: limited });
  state.agents.behaviours.set("ada", spending(usage, false));
  state.agents.behaviours.set("bob", spending({ ...usage, costUsd: 7 }, false));
  const price = { input: 2, output: 10, cached: 0.5 };
  for (const name of ["ada", "bob"]) {
    await state.command({ type: "add_member", spec: { name, kind: "codex", price } });
  }
  await state.send("one");
  const { members, spent } = state.session.transcript.head;
  // Codex includes cached tokens in its input: 600,000 at $2, 400,000 at $0.50, 100,000 at $10.
  expect(members["ada"]?.totals).toMatchObject({ inputTokens: 600_000, costUsd: 2.4 });
  expect(members["bob"]?.totals.costUsd).toBe(7);
  expect(spent.session.usd).toBeCloseTo(9.4);
  expect(state.events("warning").filter(({ code }) => code === "cost_unknown")).toEqual([]);
});
