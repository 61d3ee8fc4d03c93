import { expect, test } from "vitest";
import { stamped } from "../../../../test/generate/stamped.ts";
import { asked, created, said, turnBegins, turnEnds } from "../../../../test/host/searched-session.ts";
import { openApp } from "../../../../test/tui/open-app.ts";
import type { SearchHit } from "../../../protocol/index.ts";
import { empty, fold, PAGE_SIZE, toSnapshot, withPage, type Transcript } from "../../../transcript/index.ts";
import { findPosition } from "./session-feed.ts";
import { patient } from "../../../../test/patience.ts";

/** Of each three events; one of the turns has what is looked for. */
const QUESTIONS = 300;
const AT = 40;
const drafts = [
  created("Animals"),
  ...Array.from({ length: QUESTIONS }, (_, number) => [
    asked(`question ${number}`, `m${number}`),
    turnBegins(`t${number}`),
    said(`t${number}`, number === AT ? "here is the okapi" : `answer ${number}`),
    turnEnds(`t${number}`),
  ]).flat(),
];
const events = stamped(drafts);
const turnSeq = events.find((event) => event.type === "turn_start" && event.turnId === `t${AT}`)?.seq ?? 0;

test("/search shows what was found, and Enter goes to the message, also on a page that is not in memory", async () => {
  const open = await openApp({ events });
  const hit: SearchHit = {
    sessionId: "session",
    title: "Animals",
    cwd: "/project",
    seq: turnSeq,
    eventSeq: turnSeq + 1,
    ts: 0,
    kind: "text",
    member: "ada",
    snippet: "here is the okapi",
    marks: [[12, 17]],
  };
  open.peer.found = [hit];
  const shows = async (text: string) => {
    const deadline = performance.now() + patient(30_000);
    while (!open.screen().join("\n").includes(text)) {
      if (performance.now() > deadline) throw new Error(`${text} is not in\n${open.screen().join("\n")}`);
      await open.settle();
    }
  };
  open.type("/search okapi");
  await shows("❯ /search okapi");
  open.type("\r");
  await shows("Search all sessions");
  await shows("1 found, newest first.");
  open.type("\r");
  await shows(`question ${AT}`);
  expect(open.screen().join("\n")).toContain("here is the okapi");
  await open.close();
});

test("the message of a seq is found with few pages: the one that began there, or the newest before it", async () => {
  const whole = fold(empty("session"), events);
  const { pages, ...snapshot } = toSnapshot(whole);
  const cold: Transcript = { ...whole, frozen: whole.frozen.map(() => undefined) };
  let loaded = 0;
  const load = async (transcript: Transcript, page: number) => {
    loaded += 1;
    return withPage(transcript, page, pages.find(({ index }) => index === page)?.page ?? null);
  };
  expect(snapshot.frozenPages).toBe(Math.floor((2 * QUESTIONS) / PAGE_SIZE));
  const positions = await Promise.all([turnSeq, turnSeq + 2, 2, 10_000].map((seq) => findPosition(cold, seq, load)));
  expect(positions).toEqual([2 * AT + 1, 2 * AT + 1, 0, 2 * QUESTIONS - 1]);
  expect(loaded).toBeLessThanOrEqual(4 * 4);
});
