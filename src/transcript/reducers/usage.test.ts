import { expect, test } from "vitest";
import { created, ended, joined, said, started } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import { AgentKind, type EventDraft } from "../../protocol/index.ts";
import { empty } from "../empty.ts";
import { fold } from "../fold.ts";
import { capMeters } from "../selectors/council.ts";
import { uncachedInput } from "./usage.ts";

const usage = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 60, cacheWriteTokens: 5 };

test("cached tokens are subtracted from the input of members that include them, and of no others", () => {
  const counting = AgentKind.options.filter((kind) => uncachedInput(usage, kind) !== 100);
  expect(counting.map((kind) => [kind, uncachedInput(usage, kind)])).toEqual([
    ["codex", 35],
    ["openai", 35],
  ]);
  expect([uncachedInput(usage, undefined), uncachedInput(undefined, "codex")]).toEqual([100, 0]);
  expect(uncachedInput({ inputTokens: 1, outputTokens: 0, cacheReadTokens: 2 }, "codex")).toBe(0);
});

test("limits count the same tokens, however a member counts cached ones", () => {
  const used = (kind: AgentKind, told: typeof usage) => {
    const log: EventDraft[] = [
      created(),
      joined("ann", { spec: { name: "ann", kind } }),
      said("m", ["ann"], { toAll: true }),
      started("t", "ann", { round: 1, rootMessageId: "m" }),
      ended("t", "ann", { usage: told }),
    ];
    const { head } = fold(empty("session"), stamped(log));
    expect(head.totals.inputTokens).toBe(35);
    return capMeters(head).flatMap((meter) => (meter.limit === "tokens" ? [meter.used] : []));
  };
  expect(used("codex", usage)).toEqual([45, 45]);
  expect(used("claude", { ...usage, inputTokens: 35 })).toEqual([45, 45]);
});
