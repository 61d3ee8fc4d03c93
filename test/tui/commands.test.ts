/** Commands on a real session: what they wish becomes fact, or the refusal is said. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadedMessages } from "../../src/transcript/index.ts";
import { runCommandLine } from "../../src/tui/commands/run-command.ts";
import { openSessionScreen, type SessionScreen } from "./command-screen.ts";

let screen: SessionScreen;
beforeEach(async () => {
  screen = await openSessionScreen();
});
afterEach(() => screen.close());

async function run(line: string): Promise<string | undefined> {
  expect(await runCommandLine(screen, line)).toBe("ran");
  return screen.messages.at(-1);
}

test("/mute and /unmute decide who is asked", async () => {
  expect(await run("/mute ada")).toBe("Muted ada.");
  await screen.until("ada to be muted", ({ head }) => head.members["ada"]?.muted === true);
  await screen.send("hello", "send");
  await screen.until("bob's answer", ({ head }) => head.members["bob"]?.lastOutcome === "completed");
  expect(screen.transcript?.head.members["ada"]?.totals.turns).toBe(0);
  await run("/unmute @ada");
  await screen.until("ada to be unmuted", ({ head }) => head.members["ada"]?.muted === false);
});

test("a rejection by the session is shown with its own message", async () => {
  expect(await run("/retry")).toBe(
    "Nothing to retry: nobody's last answer to the latest message failed. To ask a member again after a successful answer, name it: /retry NAME.",
  );
  expect(screen.calls.at(-1)?.[2]).toBe("bad");
});

test("/to asks one member, /interrupt NAME stops it, /retry NAME asks it again", async () => {
  await run("/to ada please hold");
  await screen.until("ada to run", ({ head }) => head.members["ada"]?.state === "running");
  expect(screen.transcript?.head.members["bob"]?.state).toBe("idle");
  expect(await run("/interrupt ada")).toBe("Stopped ada.");
  await screen.until("ada to stop", ({ head }) => head.members["ada"]?.lastOutcome === "interrupted");
  await run("/retry ada");
  await screen.until("ada to run again", ({ head }) => head.members["ada"]?.state === "running");
  await run("/abort");
  await screen.until("ada to stop again", ({ head }) => Object.keys(head.openTurns).length === 0);
  const turns = [...loadedMessages(screen.transcript!)].filter((message) => message.kind === "turn");
  expect(turns.map(({ member, cause, replaced }) => [member, cause, replaced.length])).toEqual([["ada", "retry", 1]]);
});

test("/queue TEXT waits until the members are done", async () => {
  await run("/to ada,bob hold");
  await screen.until("both to run", ({ head }) => Object.keys(head.openTurns).length === 2);
  await run("/queue and then this");
  await screen.until("it to wait", ({ head }) => head.queue.length === 1);
  expect(screen.transcript?.head.queue[0]?.text).toBe("and then this");
  await run("/interrupt all");
  await screen.until("everything to stop", ({ head }) => Object.keys(head.openTurns).length === 0);
});

test("/add, /model and /remove change the members", async () => {
  expect(await run("/add eve embedded critic")).toBe("Added eve (embedded critic).");
  await screen.until("eve", ({ head }) => head.members["eve"]?.spec.model === "critic");
  expect(await run("/model eve historian 2")).toBe("eve now uses historian 2.");
  await screen.until("eve's model", ({ head }) => head.members["eve"]?.model === "historian 2");
  expect(await run("/remove eve")).toBe("Removed eve.");
  await screen.until("eve to leave", ({ head }) => head.members["eve"]?.seated === false);
});

test("/rename gives the title; /reset puts behind what was said; /new and /sessions move between sessions", async () => {
  expect(await run("/rename  The   parser ")).toBe('Renamed to "The parser".');
  await screen.until("the title", ({ head }) => head.title === "The parser");
  await screen.send("hello", "send");
  await screen.until("both answers", ({ head }) => head.turnCount === 2 && Object.keys(head.openTurns).length === 0);
  await run("/reset");
  await screen.until("the clear", ({ head }) => head.clearedSeq > 0);
  expect(await run("/copy")).toContain("Nobody has answered yet.");
  const left = screen.sessionId;
  expect(await run("/new")).toContain("/sessions has the last one.");
  expect([screen.sessionId, screen.transcript]).toEqual([undefined, undefined]);
  expect(await run("/mute ada")).toContain("There is no session yet.");
  await run(`/resume ${left}`);
  expect(screen.transcript?.head.title).toBe("The parser");
});

test("/save writes what was asked and answered", async () => {
  await screen.send("hello", "send");
  await screen.until("both answers", ({ head }) => head.turnCount === 2 && Object.keys(head.openTurns).length === 0);
  expect(await run("/save talk.md")).toBe("Saved to /project/talk.md.");
  const saved = screen.calls.find(([what]) => what === "saveFile");
  expect(saved?.[2]).toMatch(/## You · .*\n\nhello\n\n## ada .*\n\nanswered \[pid \d+\]\n\n## bob /);
});
