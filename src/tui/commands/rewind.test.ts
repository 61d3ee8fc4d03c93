import { afterEach, expect, test } from "vitest";
import { created, joined, said } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import { createRecordingScreen, openSessionScreen, type SessionScreen } from "../../../test/tui/command-screen.ts";
import { shortId } from "../../kit/short-id.ts";
import { dropFrozenPages, empty, fold } from "../../transcript/index.ts";
import { runCommandLine } from "./run-command.ts";

let screen: SessionScreen | undefined;
afterEach(() => screen?.close());

async function talk(...texts: string[]): Promise<SessionScreen> {
  const table = (screen = await openSessionScreen());
  for (const [index, text] of texts.entries()) {
    await table.send(text, "send");
    await table.until("the answer", ({ head }) => {
      const isIdle = Object.keys(head.openTurns).length === 0 && Object.keys(head.deliveries).length === 0;
      return head.userCount === index + 1 && isIdle;
    });
  }
  return table;
}

test("/rewind makes a copy up to before the picked message, shows it with that message as the draft, and leaves the session whole", async () => {
  const table = await talk("the first question", "@ada the second", "the third");
  const original = table.sessionId ?? "";
  table.state.pickLabel = "the second";
  await runCommandLine(table, "/rewind");
  const [, , choices] = table.calls.find(([what]) => what === "pick") ?? [];
  expect((choices as { label: string }[]).map(({ label }) => label)).toEqual([
    "the third",
    "the second",
    "the first question",
  ]);
  expect(table.sessionId).not.toBe(original);
  expect(table.state.draft).toBe("@ada the second");
  expect(table.transcript?.head).toMatchObject({ userCount: 1, title: "test (rewound)", queue: [] });
  expect(table.messages.at(-1)).toContain(`The original is unchanged: ${shortId(original)}.`);
  const whole = await table.client.list();
  expect(whole.find(({ sessionId }) => sessionId === original)).toMatchObject({
    title: "test",
    messages: expect.any(Number),
  });

  table.state.pickLabel = "the first question";
  await runCommandLine(table, "/rewind");
  expect(table.transcript?.head).toMatchObject({ userCount: 0, turnCount: 0, title: "test (rewound)" });
  expect(table.state.draft).toBe("the first question");
});

test("who leaves the list of /rewind without a choice changes nothing, and without a message there is no list", async () => {
  const table = await talk("the first question");
  const original = table.sessionId;
  await runCommandLine(table, "/rewind");
  expect([table.sessionId, table.state.draft, (await table.client.list()).length]).toEqual([original, "", 1]);
  const silent = createRecordingScreen({ transcript: fold(empty("s"), stamped([created(), joined("ada")])) });
  await runCommandLine(silent, "/rewind");
  expect(silent.messages.at(-1)).toBe("You have not written anything to rewind to.");
});

test("a message of files alone is listed by their names", async () => {
  const blob = { sha256: "0".repeat(64), bytes: 1 };
  const files = [{ name: "shot.png", mime: "image/png", blob }];
  const log = stamped([created(), joined("ada"), said("m1", ["ada"], { text: "", attachments: files })]);
  const shown = createRecordingScreen({ transcript: fold(empty("s"), log) });
  await runCommandLine(shown, "/rewind");
  expect(shown.calls[0]).toMatchObject(["pick", "Rewind to before …", [{ label: "shot.png" }]]);
});

test("messages that are not in memory are listed when they are asked for", async () => {
  const many = Array.from({ length: 300 }, (_, index) => said(`m${index}`, ["ada"], { text: `message ${index}` }));
  const whole = fold(empty("s"), stamped([created(), joined("ada"), ...many]));
  const shown = createRecordingScreen({ transcript: dropFrozenPages(whole, 0), whole, pickLabel: "Older messages …" });
  await runCommandLine(shown, "/rewind");
  const lists = shown.calls.filter(([what]) => what === "pick").map(([, , choices]) => (choices as unknown[]).length);
  expect(lists[0]).toBeLessThan(300);
  expect(lists[1]).toBe(300);
});
