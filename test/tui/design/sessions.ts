/** The sessions of the command centre, each with its log. */
import type { SessionSummary } from "../../../src/protocol/index.ts";
import { empty, fold, type Transcript } from "../../../src/transcript/index.ts";
import { approval, waitingFetch } from "./requests.ts";
import { ask, BEGIN_TS, CWD, seated, SESSION_ID, shell, type Story } from "./tidepool.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** When the centre is opened. */
const NOW = 30 * DAY;

const INSTALL = "npm install --save-dev fast-check && npm test";

/** claude answered six minutes ago; codex and gemini ask. */
export function asking(): Story {
  const story = seated({ writable: true });
  ask(story, "why", "Why do jobs run twice?", ["claude"]);
  story.at(NOW - 6 * MINUTE - 10).start("claude", "why");
  const answer =
    "The worker gives its lease back while the handler is still running. On SIGTERM `stop()` releases the lease first (src/worker.ts:88) and waits for the handler afterwards.";
  story.text("claude", answer).end("claude", 10, 0.2);
  story.at(NOW - 18);
  ask(story, "fix", "Fix it.", ["codex", "gemini"]);
  story.start("codex", "fix").start("gemini", "fix");
  const install = story.call("codex", shell(INSTALL));
  approval(story, install, "codex", 270, { args: { command: INSTALL } });
  return waitingFetch(story).spent("codex", 0.2).spent("gemini", 0.12).at(NOW);
}

/** claude has a question without a deadline. */
function questioning(): Story {
  const story = seated({ title: "Which cache for the tile server?", cwd: "/home/ada/harbour" });
  ask(story, "cache", "Which cache?", ["claude"]);
  story
    .at(NOW - 11 * MINUTE)
    .start("claude", "cache")
    .spent("claude", 1.2);
  const turn = { turnId: story.turnOf("claude"), member: "claude", requestId: "question" };
  const request = { method: "confirm" as const, title: "keep the old URLs working?", message: "" };
  return story.add({ type: "ui_request", ...turn, request, timeoutMs: 1, default: false });
}

function working(title: string, cwd: string, seconds: number, members: readonly string[], usd: number): Story {
  const story = seated({ title, cwd });
  ask(story, "work", "Do it.", members);
  story.at(NOW - seconds);
  for (const name of members) story.start(name, "work");
  story.spent(members[0] ?? "", usd);
  for (const name of members) story.text(name, "First");
  return story;
}

const URGENT: readonly (readonly [id: string, story: Story, waiting?: number])[] = [
  [SESSION_ID, asking(), 2],
  ["questioning", questioning(), 1],
  ["importer", working("Port the importer to streams", CWD, 6 * MINUTE, ["claude", "codex", "gemini"], 2.04)],
  ["review", working("Review of #482", "/home/ada/harbour", 2 * MINUTE, ["claude"], 0.31)],
  ["paint", working("Why is the first paint slow?", "/home/ada/lantern", 40, ["gemini"], 0.02)],
];

const READY: readonly (readonly [title: string, age: number])[] = [
  ["Move the docs to one page", HOUR],
  ["Drop Node 20?", 3 * HOUR],
  ["Flaky: hands a lost job to another worker after a restart", 5 * HOUR],
  ["Names for the retry policy", DAY + HOUR],
  ["Licence headers", 2 * DAY],
  ["Index for lease_until", 3 * DAY],
  ["What would v2 break?", 15 * DAY],
];

function summary(sessionId: string, title: string, rest: Partial<SessionSummary>): SessionSummary {
  const counts = {
    messages: 1,
    turns: 1,
    createdTs: 0,
    updatedTs: 0,
    archived: false,
    status: "idle" as const,
    seq: 1,
  };
  return { ...counts, sessionId, title, cwd: CWD, members: ["claude", "codex", "gemini"], ...rest };
}

/** In the order of the design, which is that of the last change. */
export const SESSIONS: readonly SessionSummary[] = [
  ...URGENT.map(([id, { events }, waiting], at) => {
    const [first] = events;
    const { title = "", cwd = CWD } = first?.type === "session_created" ? first : {};
    const updatedTs = BEGIN_TS + (waiting === 1 ? NOW - 11 * MINUTE : NOW - at) * 1000;
    const asks = waiting === undefined ? {} : { waiting };
    return summary(id, title, { cwd, updatedTs, status: "running", ...asks });
  }),
  ...READY.map(([title, age]) => summary(title, title, { updatedTs: BEGIN_TS + (NOW - age) * 1000 })),
  ...Array.from({ length: 41 }, (_, at) => summary(`archived-${at}`, "An old one", { archived: true })),
];

export const TRANSCRIPTS: ReadonlyMap<string, Transcript> = new Map(
  URGENT.map(([id, { events }]) => [id, fold(empty(id), events)]),
);

export const BRANCHES: Readonly<Record<string, string>> = { harbour: "tiles", lantern: "fonts", tidepool: "main" };
