import { expect, test } from "vitest";
import { ended, said, started } from "../../../test/generate/drafts.ts";
import { sampleLog } from "../../../test/generate/session-log.ts";
import { sessionLog } from "../../../test/tui/draw-panels.ts";
import { hostileSession } from "../../../test/tui/hostile-session.ts";
import { mulberry32 } from "../../../test/tui/random-markdown.ts";
import { terminalPayloads } from "../../../test/tui/terminal-payloads.ts";
import { senderId, type EventDraft, type SessionEvent } from "../../protocol/index.ts";
import { empty, loadedMessages, reduce, type Transcript } from "../../transcript/index.ts";
import { Announcer, readTurn } from "./announcer.ts";
import { createLineOutput } from "./terminal-lines.ts";
import { formatBlock } from "./turn-announcements.ts";
import { rounds } from "../../../test/rounds.ts";

interface Received {
  readonly text: string;
  readonly transcript: Transcript;
}

/** Shows the picture after every `step` events, and at the end. */
function hear(events: readonly SessionEvent[], step: (at: number) => boolean): Received {
  let text = "";
  const lines = createLineOutput((more) => (text += more));
  const announcer = new Announcer({ lines, fromPosition: 0, isKnown: () => false });
  let transcript = empty("session");
  for (const [at, event] of events.entries()) {
    transcript = reduce(transcript, event);
    if (step(at)) announcer.show(transcript);
  }
  announcer.show(transcript);
  return { text, transcript };
}

const always = () => true;
const never = () => false;

test("a turn is announced when it begins, read whole when it ends, and its end is said with its time", () => {
  const events = sessionLog([
    said("m1", ["ada", "bob"], { text: "Where is it?", toAll: true }),
    started("t1", "ada"),
    started("t2", "bob"),
    { type: "text_delta", turnId: "t1", member: "ada", segmentId: "s1", text: "It is " },
    { type: "text_delta", turnId: "t2", member: "bob", segmentId: "s2", text: "Elsewhere.\n\nbob finished, 1 s." },
    ended("t2", "bob", { durationMs: 1_400 }),
    { type: "text_delta", turnId: "t1", member: "ada", segmentId: "s1", text: "here." },
    ended("t1", "ada", { durationMs: 125_000 }),
  ]);
  const spoken = [
    "You wrote to everyone:",
    "  Where is it?",
    "ada is answering.",
    "bob is answering.",
    "bob says:",
    "  Elsewhere.",
    "",
    "  bob finished, 1 s.",
    "bob finished, 1 s.",
    "ada says:",
    "  It is here.",
    "ada finished, 2 min 5 s.",
    "",
  ].join("\n");
  expect(hear(events, always).text).toContain(spoken);
  expect(hear(events, never).text).toContain(spoken);
});

test("an interrupted, a failed and a silent turn say so, with what helps", () => {
  const error = { code: "agent_failed", message: "the key was refused", hint: "Set another key" };
  const { text } = hear(
    sessionLog([
      said("m1", ["ada"], { text: "Go" }),
      started("t1", "ada"),
      { type: "text_delta", turnId: "t1", member: "ada", segmentId: "s1", text: "Half a" },
      ended("t1", "ada", { outcome: "interrupted", durationMs: 3_000 }),
      started("t2", "bob"),
      ended("t2", "bob", { outcome: "errored", error, durationMs: 10 }),
      started("t3", "cyd"),
      ended("t3", "cyd", { outcome: "timed_out", durationMs: 600_000 }),
    ]),
    always,
  );
  expect(text).toContain("ada says:\n  Half a\nada was stopped, 3 s.\n");
  expect(text).toContain("bob failed: the key was refused. Set another key. /retry asks again.\n");
  expect(text).toContain("cyd ran out of time, 10 min. /retry asks again.\n");
  const loggedOut = { code: "x", message: "eve is not logged in.", hint: "Run `eve login`.", detail: "No key" };
  expect(
    hear(sessionLog([started("t9", "eve"), ended("t9", "eve", { outcome: "errored", error: loggedOut })]), always).text,
  ).toContain(
    "eve failed: eve is not logged in. It printed: No key. To fix it, in another terminal: eve login then /retry asks again.\n",
  );
});

test("a turn that adds nothing to a discussion ends with one line; asked for again, it is read whole", () => {
  const events = sessionLog([
    said("m1", ["ada"], { text: "Go" }),
    started("t1", "ada", { cause: "round", round: 2, rootMessageId: "m1" }),
    { type: "text_delta", turnId: "t1", member: "ada", segmentId: "s1", text: "Nothing to add." },
    ended("t1", "ada", { durationMs: 3_000 }),
  ]);
  const begins = "ada is answering in round 2.\n";
  expect(hear(events, always).text).toContain(`${begins}ada has nothing to add, 3 s.\n`);
  const { text, transcript } = hear(events, never);
  expect(text).toBe(hear(events, always).text);
  let again = "";
  for (const turn of loadedMessages(transcript)) {
    if (turn.kind === "turn")
      readTurn(
        turn,
        transcript,
        createLineOutput((more) => (again += more)),
      );
  }
  expect(again).toBe(`${begins}ada says:\n  Nothing to add.\nada finished, 3 s.\n`);
});

test("an answer that is asked for again is announced again, in whichever picture it is first seen", () => {
  const events = sessionLog([
    said("m1", ["ada"], { text: "Go" }),
    started("t1", "ada"),
    ended("t1", "ada", { outcome: "errored", durationMs: 10 }),
    started("t2", "ada", { cause: "retry", replaces: "t1" }),
    { type: "text_delta", turnId: "t2", member: "ada", segmentId: "s1", text: "Now." },
    ended("t2", "ada"),
  ]);
  const again = "ada is answering again.\nada says:\n  Now.\nada finished, 1 s.\n";
  expect(hear(events, always).text).toContain(`ada failed. /retry asks again.\n${again}`);
  expect(hear(events, (at) => events[at]?.type === "turn_end").text).toContain(
    `ada failed. /retry asks again.\n${again}`,
  );
  expect(hear(events, never).text).toContain(`  Go\n${again}`);
});

/** Everything that was said of single blocks, which is said as it happens and not in the order of the log. */
function blockLines({ transcript }: Received): Set<string> {
  const lines = new Set<string>();
  const spoken = createLineOutput((line) => lines.add(line.slice(0, -1)));
  for (const turn of loadedMessages(transcript)) {
    if (turn.kind !== "turn") continue;
    for (const block of turn.blocks) {
      const text = formatBlock(turn, block);
      if (text !== undefined) spoken.write(text);
    }
  }
  return lines;
}

test("a session that is replayed gives the announcements it gave live, turns in the order of their ends", () => {
  let compared = 0;
  for (let seed = 1; seed <= rounds(24, 1_000); seed += 1) {
    const events = sampleLog(seed, { steps: 30, damage: true });
    // What a retry replaced was announced live and is no longer in the session.
    if (events.some((event) => event.type === "turn_start" && "replaces" in event)) continue;
    const random = mulberry32(seed);
    const live = hear(events, () => random() < 0.5);
    const replayed = hear(events, never);
    const blocks = blockLines(replayed);
    const told = (heard: Received) => heard.text.split("\n").filter((line) => !blocks.has(line));
    expect(told(live), `seed ${seed}`).toEqual(told(replayed));
    expect(live.text.split("\n").toSorted(), `seed ${seed}`).toEqual(replayed.text.split("\n").toSorted());
    compared += 1;
  }
  expect(compared).toBeGreaterThan(10);
});

test("no text of a session puts a control character into the output or begins a line there", () => {
  for (const { name, bytes } of terminalPayloads) {
    const { text } = hear(hostileSession(`${bytes}\nFORGED`), always);
    // oxlint-disable-next-line no-control-regex -- their absence is what is proved.
    expect({ name, faults: text.match(/[\0-\x08\x0b-\x1f\x7f-\x9f]|^FORGED/gm) }).toEqual({ name, faults: null });
    expect(text).toContain("FORGED");
  }
});

const ADA = "01J000000000000000000000AD";

function confirmed(requestId: string, clientId: string): EventDraft[] {
  const asker = { turnId: "t1", member: "claude" };
  const request = { method: "confirm", title: "Go on?", message: "" } as const;
  return [
    { type: "ui_request", ...asker, requestId, request, timeoutMs: 1_000, default: false },
    { type: "ui_response", ...asker, requestId, result: true, error: null, clientId, by: "browser Q7XK" },
  ];
}

test("a message that was typed here is not repeated; one from elsewhere and one from the queue are read", () => {
  let text = "";
  const lines = createLineOutput((more) => (text += more));
  const announcer = new Announcer({
    lines,
    fromPosition: 0,
    isKnown: ({ clientId }) => clientId === "me",
    seenAs: () => ({ me: ADA, owner: { id: "01J000000000000000000000C1", name: "cid" } }),
  });
  const item = { messageId: "m3", text: "later", to: ["ada"], toAll: true, attachments: [], ts: 0 };
  const drafts: EventDraft[] = [
    said("m1", ["ada"], { text: "typed here", clientId: "me" }),
    said("m2", ["ada"], { text: "from a phone", clientId: "phone", toAll: true }),
    { type: "queue_updated", items: [item] },
    { type: "queue_updated", items: [] },
    said("m3", ["ada"], { text: "later", clientId: "me" }),
    said("m4", ["ada"], { text: "from a colleague", clientId: "bob.Q7XK" }),
    said("m5", ["ada"], { text: "from my phone", clientId: senderId({ id: ADA, name: "ada" }, "0ABC") }),
    started("t1", "claude"),
    ...["bob.Q7XK", "terminal-1", senderId({ id: ADA, name: "ada" }, "0ABC")].flatMap((clientId, one) =>
      confirmed(`r${one}`, clientId),
    ),
  ];
  let transcript = empty("session");
  for (const [at, event] of sessionLog(drafts).entries()) {
    transcript = reduce(transcript, event);
    // The host tells both events of a queued message together.
    if (event.type !== "queue_updated" || event.items.length > 0) announcer.show(transcript);
    if (at === 0) text = "";
  }
  expect(text).toMatch(
    /cid wrote to everyone:\n {2}from a phone\nA message from the queue goes to ada:\n {2}later\nbob wrote to ada:\n {2}from a colleague\nYou wrote to ada:\n {2}from my phone\n/,
  );
  expect(text.match(/answered: yes.*/g)).toEqual(["bob", "cid", "you"].map((who) => `answered: yes, by ${who}.`));
  expect(text).not.toContain("typed here");
});

test("the reader announces who asked, who answered, where a turn was imported from, why a discussion paused and who wrote the minutes", () => {
  const inExchange = { cause: "exchange" as const, parentTurnId: "t1", agentExchangeId: "x1" };
  const question = { agentExchangeId: "x1", to: "codex", text: "Which?", wait: false };
  const events = sessionLog([
    started("t1", "claude"),
    { type: "agent_message", turnId: "t1", member: "claude", ...question },
    ended("t1", "claude"),
    started("t2", "codex", { ...inExchange, depth: 1 }),
    ended("t2", "codex"),
    { type: "agent_callback_result", agentExchangeId: "x1", member: "codex", ok: true, text: "This." },
    started("t3", "claude", inExchange),
    ended("t3", "claude"),
    started("t4", "pi", { cause: "imported", origin: "kd:table/0003-pi.md" }),
    ended("t4", "pi"),
    started("t5", "finder", { cause: "subagent", parentTurnId: "t3", depth: 1 }),
    ended("t5", "finder"),
    { type: "council_paused", why: "limit", limit: "usd", scope: "session", message: "5 dollars are spent" },
    { type: "council_resumed", rounds: 5 },
    { type: "council_settled", why: "agreed", rootMessageId: "m1", round: 2 },
    started("t6", "pi", { cause: "minutes" }),
    ended("t6", "pi"),
    { type: "minutes", text: "We agreed.", by: "pi" },
    { type: "minutes", text: "We agreed." },
  ]);
  const ends = / finished|^$/;
  expect(
    hear(events, always)
      .text.split("\n")
      .filter((line) => !ends.test(line)),
  ).toEqual([
    "claude is answering.",
    "claude asked codex: Which?; no answer.",
    "codex is answering, asked by claude.",
    "claude is answering, reads codex's answer.",
    "pi is answering, from kd:table/0003-pi.md.",
    "Subagent finder is working.",
    "Paused, limit of money for the session: 5 dollars are spent.",
    "/continue goes on.",
    "Note: the discussion continues, up to round 5.",
    "Note: the discussion ended after round 2: nobody had anything to add.",
    "pi is writing the minutes.",
    "Minutes, by pi:",
    "  We agreed.",
    "Minutes, assembled:",
    "  We agreed.",
  ]);
});
