/** A log that a later version has written, with values this one does not know. */
import { expect, test } from "vitest";
import type { EventDraft } from "../../src/protocol/index.ts";
import { ended, said, started } from "../generate/drafts.ts";
import { sessionLog } from "./draw-panels.ts";
import { keys } from "./key-bytes.ts";
import { openApp } from "./open-app.ts";

const turn = { turnId: "t1", member: "claude" };
const later = (draft: object) => draft as EventDraft;

test("an outcome, a kind of notice or of request that only a later version knows is shown as far as it can be, and is no fault", async () => {
  const shown = await openApp({ columns: 80, rows: 30 });
  const request = { method: "draw", title: "Draw a cat" };
  const asked = later({ type: "ui_request", requestId: "r", ...turn, request, timeoutMs: 1, default: null });
  const begin = [said("m1", ["claude"]), started("t1", "claude"), asked];
  shown.peer.play(sessionLog(begin));
  await shown.settle();
  expect(shown.screen().join("\n")).toContain("Draw a cat");
  shown.type(keys.escape);
  shown.peer.play(
    sessionLog([
      ...begin,
      later({ type: "ui_notify", member: "claude", message: "a murmur", notifyType: "whisper" }),
      ended("t1", "claude", later({ outcome: "post\u001b[2Jponed" }) as object),
    ]).slice(-2),
  );
  await shown.settle();
  const text = shown.screen().join("\n");
  expect([text.includes("a murmur"), text.includes("■ postponed")]).toEqual([true, true]);
  await shown.close();
});
