import { expect, test } from "vitest";
import { created, ended, joined, said, started } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import type { EventDraft, SessionEvent } from "../../protocol/index.ts";
import { empty } from "../empty.ts";
import { fold } from "../fold.ts";
import { PAGE_SIZE, type Head } from "../model.ts";
import { reduce } from "../reduce.ts";

const turn = { turnId: "t1", member: "claude" };

test.each<[string, EventDraft]>([
  ["text", { type: "text_delta", ...turn, segmentId: "s2", text: "x" }],
  ["thinking", { type: "thinking_delta", ...turn, segmentId: "s3", text: "x" }],
  ["tool output", { type: "tool_output_delta", ...turn, toolCallId: "c1", text: "x" }],
])(
  "[T62] a delta of %s copies the head, its turn and its block, and nothing that grows with the session",
  (_, draft) => {
    const notices: EventDraft[] = Array.from({ length: 3 * PAGE_SIZE }, () => ({
      type: "warning",
      code: "x",
      message: "y",
    }));
    const before = fold(
      empty("session"),
      stamped([
        created(),
        joined("claude"),
        ...notices,
        said("m1", ["claude"]),
        started("t0", "claude"),
        ended("t0", "claude"),
        started("t1", "claude"),
        started("t2", "codex"),
        { type: "text_done", ...turn, segmentId: "s1", text: "x" },
        { type: "thinking_delta", ...turn, segmentId: "s3", text: "x" },
        { type: "tool_call_start", ...turn, toolCallId: "c1", name: "read", args: {} },
        { type: "text_delta", ...turn, segmentId: "s2", text: "x" },
      ]),
    );
    const after = reduce(before, stamped([draft], before.head.seq)[0] as SessionEvent);
    expect([after.frozen === before.frozen, after.live === before.live]).toStrictEqual([true, true]);
    const changed = (Object.keys(after.head) as (keyof Head)[]).filter((key) => after.head[key] !== before.head[key]);
    expect(changed).toStrictEqual(["seq", "updatedTs", "openTurns"]);
    expect(after.head.openTurns["t2"]).toBe(before.head.openTurns["t2"]);
    const blocks = after.head.openTurns["t1"]?.blocks ?? [];
    expect(blocks.filter((block, index) => block !== before.head.openTurns["t1"]?.blocks[index])).toHaveLength(1);
  },
);
