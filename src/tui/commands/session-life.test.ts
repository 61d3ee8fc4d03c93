import { afterEach, expect, test } from "vitest";
import { openSessionScreen, type SessionScreen } from "../../../test/tui/command-screen.ts";
import { shortId } from "../../kit/short-id.ts";
import { runCommandLine } from "./run-command.ts";

let screen: SessionScreen | undefined;
afterEach(async () => {
  await screen?.close();
  screen = undefined;
});

test("/fork shows a copy under its own title, up to the marked message, and leaves the original as it is", async () => {
  const table = (screen = await openSessionScreen());
  const original = table.sessionId ?? "";
  await table.send("hello", "send");
  await table.until("the answer", ({ head }) => head.totals.turns > 0 && Object.keys(head.openTurns).length === 0);
  await runCommandLine(table, "/fork Another way");
  const copy = table.sessionId ?? "";
  expect(copy).not.toBe(original);
  expect(table.messages.at(-1)).toBe(`Now in a copy. The original is unchanged: ${shortId(original)}.`);
  await table.until("the copy", ({ head }) => head.title === "Another way");
  const listed = (await table.client.list()).map((one) => [one.sessionId, one.title]);
  expect(new Set(listed.map(([id]) => id))).toEqual(new Set([original, copy]));

  const marked = [...(table.transcript?.live[0]?.messages ?? [])].find((message) => message.kind === "user");
  table.state.selected = marked;
  await runCommandLine(table, "/fork");
  await table.until("the second copy", ({ head }) => head.title === "Another way (fork)");
  expect(table.transcript?.head).toMatchObject({ userCount: 1, turnCount: 0 });
});

test("/share and /unshare say what becomes of the session that is shown", async () => {
  const table = (screen = await openSessionScreen());
  const sessionId = table.sessionId ?? "";
  await runCommandLine(table, "/share");
  await runCommandLine(table, "/unshare");
  expect(table.messages).toEqual([`${sessionId} is shared`, `${sessionId} is not shared`]);
});

test("/archive puts the session away and brings it back", async () => {
  const table = (screen = await openSessionScreen());
  await runCommandLine(table, "/archive");
  await table.until("archived", ({ head }) => head.archived);
  await runCommandLine(table, "/archive");
  await table.until("back", ({ head }) => !head.archived);
  expect(table.messages).toEqual([
    "This session is archived. /archive brings it back.",
    "This session is no longer archived.",
  ]);
});

test("/delete asks first, says how to bring the session back, and shows a new one; what is refused stays shown", async () => {
  const table = (screen = await openSessionScreen());
  const sessionId = table.sessionId ?? "";
  table.state.confirms = false;
  await runCommandLine(table, "/delete");
  expect([table.messages.at(-1), table.sessionId]).toEqual(["Nothing was deleted.", sessionId]);

  table.state.confirms = true;
  await table.send("hold", "send");
  await table.until("a turn", ({ head }) => Object.keys(head.openTurns).length > 0);
  await runCommandLine(table, "/delete");
  expect([table.messages.at(-1), table.sessionId]).toEqual([`Not deleted: Session ${sessionId} is busy.`, sessionId]);

  await table.interrupt("all");
  await table.until("the end", ({ head }) => Object.keys(head.openTurns).length === 0);
  await runCommandLine(table, "/delete");
  expect([table.messages.at(-1), table.sessionId]).toEqual([
    "The session is in the trash. Your first message starts a new one.",
    undefined,
  ]);
  const asked = table.calls.findLast(([what]) => what === "confirm");
  expect(String(asked?.[2])).toContain(`roundtable sessions trash restore ${sessionId}`);
  expect((await table.client.trash()).map(({ summary }) => summary.sessionId)).toEqual([sessionId]);
});
