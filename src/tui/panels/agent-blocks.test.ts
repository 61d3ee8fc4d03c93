import { expect, test } from "vitest";
import type { EventDraft } from "../../protocol/index.ts";
import { ended, said, started } from "../../../test/generate/drafts.ts";
import { picture, SETTINGS } from "../../../test/tui/draw-panels.ts";

const asker = { turnId: "t1", member: "claude" };
const other = { turnId: "t2", member: "codex" };
const exchange: EventDraft[] = [
  said("m1", ["claude"]),
  started("t1", "claude", { messageIds: ["m1"], rootMessageId: "m1" }),
  { type: "tool_call_start", ...asker, toolCallId: "c1", name: "agents_message", args: { to: "codex" }, kind: "agent" },
  {
    type: "agent_message",
    ...asker,
    agentExchangeId: "x1",
    to: "codex",
    text: "Which clock?",
    wait: true,
    toolCallId: "c1",
  },
  started("t2", "codex", { cause: "exchange", depth: 1, parentTurnId: "t1", agentExchangeId: "x1" }),
  { type: "tool_call_start", ...other, toolCallId: "c2", name: "read", args: {}, title: "Read \u001b[31mclock.ts" },
  { type: "tool_result", ...other, toolCallId: "c2", ok: true, result: "x" },
  { type: "tool_call_start", ...other, toolCallId: "c3", name: "grep", args: {} },
];
const rest: EventDraft[] = [
  { type: "tool_result", ...other, toolCallId: "c3", ok: false, error: { code: "tool_error", message: "no" } },
  { type: "text_delta", ...other, segmentId: "s", text: "The injected one." },
  ended("t2", "codex"),
  { type: "agent_callback_result", agentExchangeId: "x1", member: "codex", ok: true, text: "The injected one." },
  { type: "tool_result", ...asker, toolCallId: "c1", ok: true, result: "The injected one." },
  ended("t1", "claude"),
];

/** The asker's panel; the one of the turn that answers stands below it. */
const asking = (drafts: readonly EventDraft[], isExpanded: boolean): string =>
  picture(drafts, { width: 70, settings: { ...SETTINGS, isExpanded } }).split("\n\n")[0] ?? "";

test("an exchange is one block that opens to the question, the calls made for the answer and the answer", () => {
  expect(asking([...exchange, ...rest], false)).toMatchInlineSnapshot(`
    "
     │ claude  built in, no model                                  ✓ 0:01
     │ ▸ started 1 agent
     │ ask codex Which clock?  ✓ answered
     │   └ The injected one.  (o)"
  `);
  expect(asking([...exchange, ...rest], true)).toMatchInlineSnapshot(`
    "
     │ claude  built in, no model                                  ✓ 0:01
     │ ▾ started 1 agent
     │ ask codex Which clock?  ✓ answered
     │   Which clock?
     │   Read clock.ts
     │   grep
     │   │ The injected one."
  `);
  expect(asking(exchange, true)).toMatchInlineSnapshot(`
    "
     │ claude  built in, no model                ⠋ waits for codex · 0:00
     │ ask codex Which clock?  ⠋ waits for the answer
     │   Which clock?
     │   Read clock.ts
     │   grep
     │   │ "
  `);
});
