import { expect, onTestFinished, test } from "vitest";
import { created, joined } from "../../../../test/generate/drafts.ts";
import { stamped } from "../../../../test/generate/stamped.ts";
import { until } from "../../../../test/host/open-host.ts";
import { keys } from "../../../../test/tui/key-bytes.ts";
import { openApp, type AppOptions } from "../../../../test/tui/open-app.ts";
import type { QueueItem } from "../../../protocol/index.ts";

const BLOB = { sha256: "ab".repeat(32), bytes: 20_000 };
const FILE = { name: "a.png", mime: "image/png", blob: BLOB };

/** A screen with one message in the queue. */
async function withQueued(item: Partial<QueueItem>, more: AppOptions["more"] = {}) {
  const items = [{ messageId: "m1", text: "the beginning", to: ["ada"], attachments: [], ts: 0, ...item }];
  const events = stamped([created(), joined("ada"), { type: "queue_updated", items }]);
  const open = await openApp({ events, columns: 120, more });
  onTestFinished(() => open.close());
  return open;
}

test("a long message that is taken back is the draft with all of its text, before what is being written", async () => {
  const whole = "a line of a log\n".repeat(4_000);
  const asked: string[] = [];
  const readText = async (...of: string[]) => {
    asked.push(...of);
    return whole;
  };
  const open = await withQueued({ textBlob: BLOB }, { readText });
  const { app, peer } = open;
  open.type("and this");
  await until("it is typed", () => app.prompt.text === "and this");
  open.type(keys.altUp);
  await until("the message is the draft", () => app.prompt.text.length > 1_000);
  expect([app.prompt.text === `@ada ${whole}\nand this`, asked, peer.wishes]).toEqual([
    true,
    ["session", BLOB.sha256],
    ["queue_remove m1"],
  ]);
});

test.each([
  ["its text is to be had nowhere", { textBlob: BLOB }, {}, "The full text of this message cannot be read here"],
  [
    "its text is gone",
    { textBlob: BLOB },
    { readText: async () => undefined },
    "The full text of this message cannot be read here",
  ],
  ["it has files", { attachments: [FILE] }, {}, "This message has files, which a draft cannot hold"],
] as const)("a message stays in the queue, and that is said, when %s", async (_why, item, more, words) => {
  const open = await withQueued({ ...item, attachments: "attachments" in item ? [...item.attachments] : [] }, more);
  open.type(keys.altUp);
  await open.settle();
  expect(open.screen().join("\n")).toContain(`${words}; it stays in the queue.`);
  expect([open.app.prompt.text, open.peer.wishes]).toEqual(["", []]);
});
