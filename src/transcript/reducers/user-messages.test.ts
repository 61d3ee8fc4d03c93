import { expect, test } from "vitest";
import { created, joined, said, started } from "../../../test/generate/drafts.ts";
import { stamped, START_TS } from "../../../test/generate/stamped.ts";
import type { DeliveryState, EventDraft } from "../../protocol/index.ts";
import { empty } from "../empty.ts";
import { fold } from "../fold.ts";
import { deliveriesOf, messageAt } from "../selectors/messages.ts";
import type { UserMessage } from "../messages.ts";

const play = (...drafts: EventDraft[]) =>
  fold(empty("session"), stamped([created(), joined("claude"), joined("codex"), ...drafts]));
const delivery = (member: string, state: DeliveryState, reason?: string): EventDraft => ({
  type: "message_delivery",
  messageId: "m1",
  member,
  state,
  ...(reason === undefined ? {} : { reason }),
});

test("a user message takes the next position with all its fields", () => {
  const blob = { sha256: "a".repeat(64), bytes: 3 };
  const attachments = [{ name: "a.png", mime: "image/png", blob }];
  const rest = { attachments, toAll: true, textBlob: blob, clientId: "c", clientMessageId: "cm", origin: "cli" };
  const transcript = play(said("m1", ["claude", "codex"], rest));
  expect(messageAt(transcript, 0)).toStrictEqual({
    kind: "user",
    position: 0,
    seq: 4,
    ts: START_TS + 4000,
    messageId: "m1",
    text: "What now?",
    to: ["claude", "codex"],
    ...rest,
    deliveries: {},
  });
  expect(transcript.head).toMatchObject({
    userCount: 1,
    messageCount: 1,
    latestUser: { messageId: "m1", position: 0 },
  });
});

test("[T25] deliveries stay in the head until every addressee has settled, then move into the message", () => {
  const open = play(said("m1", ["claude", "codex"]), delivery("claude", "answering"), delivery("claude", "answered"));
  expect(open.head.deliveries).toStrictEqual({ m1: { claude: { state: "answered" } } });
  expect(messageAt(open, 0)).toMatchObject({ deliveries: {} });
  const both = { claude: { state: "answered" }, codex: { state: "dropped", reason: "left" } };
  const settled = play(
    said("m1", ["claude", "codex"]),
    delivery("claude", "answered"),
    delivery("codex", "dropped", "left"),
  );
  expect(settled.head.deliveries).toStrictEqual({});
  expect(messageAt(settled, 0)).toMatchObject({ deliveries: both });
  expect(deliveriesOf(settled.head, messageAt(settled, 0) as UserMessage)).toStrictEqual(both);
  expect(deliveriesOf(open.head, messageAt(open, 0) as UserMessage)).toStrictEqual({ claude: { state: "answered" } });
});

test("[T25] a settled message that is delivered again is open again, with what was known", () => {
  const { head } = play(said("m1", ["claude"]), delivery("claude", "answered"), delivery("codex", "answering"));
  expect(head.deliveries).toStrictEqual({ m1: { claude: { state: "answered" }, codex: { state: "answering" } } });
});

test("[T25] turns make no deliveries, and a delivery of an unknown message is ignored", () => {
  expect(play(said("m1", ["claude"]), started("t1", "claude", { messageIds: ["m1"] })).head.deliveries).toStrictEqual(
    {},
  );
  const ignored = play(delivery("claude", "pending"));
  expect([ignored.head.deliveries, ignored.head.members["claude"]?.state, ignored.head.messageCount]).toStrictEqual([
    {},
    "idle",
    0,
  ]);
});

test("[T26] the queue is what the last queue_updated says, whole", () => {
  const item = (messageId: string) => ({ messageId, text: "Later", to: ["codex"], attachments: [], ts: 5 });
  const { head } = play(
    { type: "queue_updated", items: [item("m1"), item("m2")] },
    { type: "queue_updated", items: [item("m2")] },
    said("m2", ["codex"]),
  );
  expect(head.queue).toStrictEqual([item("m2")]);
});

test("a steer is marked in its turn at the position where it arrived", () => {
  const text = (segmentId: string): EventDraft => ({
    type: "text_done",
    turnId: "t1",
    member: "claude",
    segmentId,
    text: "x",
  });
  const { head } = play(
    started("t1", "claude"),
    text("s1"),
    { type: "steering", turnId: "t1", member: "claude", messageId: "m2" },
    text("s2"),
  );
  expect(head.openTurns["t1"]?.blocks.map((block) => block.kind)).toStrictEqual(["text", "steering", "text"]);
  expect(head.openTurns["t1"]?.blocks[1]).toStrictEqual({ kind: "steering", messageId: "m2", ts: expect.any(Number) });
});
