import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { ended, said, started } from "../../../test/generate/drafts.ts";
import {
  contextOf,
  picture,
  SETTINGS,
  shownMessages,
  sessionLog,
  transcriptOf,
} from "../../../test/tui/draw-panels.ts";
import type { EventDraft } from "../../protocol/index.ts";
import { empty, reduce } from "../../transcript/index.ts";
import { createPanel } from "./create-panel.ts";
import type { Panel } from "./panel.ts";
import { waitingMembers } from "./waiting-rows.ts";

const all = ["claude", "codex", "pi"];
const waiting = (drafts: readonly EventDraft[]) =>
  waitingMembers(transcriptOf(sessionLog(drafts)).head).map(({ member, why }) => `${member}: ${why}`);
const notices = (drafts: readonly EventDraft[]) => picture(drafts, { width: 60, kinds: ["notice"] });

/** The whole opening round, answered by everybody. */
const opened: readonly EventDraft[] = [
  said("m1", all, { toAll: true }),
  ...all.flatMap((member): EventDraft[] => {
    const turn = { turnId: `1${member}`, member };
    return [
      { type: "message_delivery", messageId: "m1", member, state: "pending" },
      started(turn.turnId, member, { messageIds: ["m1"], rootMessageId: "m1", round: 1 }),
      { type: "text_delta", ...turn, segmentId: `s${member}`, text: "I say something." },
      ended(turn.turnId, member),
      { type: "message_delivery", messageId: "m1", member, state: "answered" },
    ];
  }),
];

const speaks = (round: number, member: string, text: string): EventDraft[] => {
  const turn = { turnId: `${round}${member}`, member };
  return [
    started(turn.turnId, member, { cause: "round", rootMessageId: "m1", round }),
    { type: "text_delta", ...turn, segmentId: `${round}s${member}`, text },
    ended(turn.turnId, member),
  ];
};

test("members about to speak in a round have a waiting panel in speaking order, and so does the first of the next round", () => {
  expect(waiting(opened)).toEqual(["claude: is next and opens round 2"]);
  const named = [...opened, ...speaks(2, "claude", "What does @pi think of it?")];
  expect(waiting(named)).toEqual(["pi: is next in round 2", "codex: comes later in round 2"]);
  const last = [...opened, ...[2, 3, 4].flatMap((round) => all.flatMap((member) => speaks(round, member, "More.")))];
  expect(waiting(last)).toEqual([]);
  const paused: EventDraft = { type: "council_paused", why: "limit", limit: "turns", scope: "message", message: "x" };
  expect(waiting([...opened, paused])).toEqual([]);
});

test("a member that has just failed is not announced as the one who opens the next round", () => {
  const isClaudesEnd = (draft: EventDraft) => draft.type === "turn_end" && draft.member === "claude";
  const failed = opened.map((draft) => (isClaudesEnd(draft) ? { ...draft, outcome: "errored" as const } : draft));
  expect(waiting(failed as EventDraft[])).toEqual([]);
});

test("one who still speaks has a panel already and waits in no other", () => {
  expect(waiting(opened.filter(({ type }) => type !== "turn_end"))).toEqual([]);
});

test("a paused discussion is a card with the limit that was reached and how it goes on", () => {
  const paused = (rest: object) =>
    ({ type: "council_paused", why: "limit", message: "40 turns.", ...rest }) as EventDraft;
  expect(
    notices([
      paused({ limit: "turns", scope: "message" }),
      paused({ limit: "usd", scope: "session", message: "The discussion pauses: $5 spent. /continue allows $5 more." }),
      paused({ limit: "paper\u001b[2J", message: "red\u001b[31m" }),
      paused({ why: "restart", message: "The program was started again." }),
    ]),
  ).toMatchInlineSnapshot(`
    "
     ‖ Paused: 40 turns.
       /continue goes on

     ‖ Paused: $5 spent. /continue allows $5 more.

     ‖ Paused: red
       /continue goes on

     ‖ Paused: The program was started again.
       /continue goes on

    "
  `);
});

test("a discussion that ended or goes on says why and how far; minutes say who wrote them or that they were assembled", () => {
  expect(
    notices([
      { type: "council_settled", why: "cap", rootMessageId: "m1", round: 4 },
      { type: "council_resumed", rounds: 6, raised: [{ scope: "message", limit: "turns", to: 80 }] },
      { type: "minutes", text: "# Question\n\n- *Which* clock?", by: "codex" },
      { type: "minutes", text: "# Question" },
    ]),
  ).toMatchInlineSnapshot(`
    "
     The discussion ended after round 4: all rounds are done

     The discussion continues, up to round 6; allowed now: 80
     turns for this message

     Minutes · by ● codex
     │ Question
     │ 
     │ • Which clock?

     Minutes · assembled
     │ Question

    "
  `);
});

const asker = { turnId: "t1", member: "claude" };
const other = { turnId: "t2", member: "codex" };
const inExchange = { cause: "exchange" as const, parentTurnId: "t1", agentExchangeId: "x1" };
const asked: readonly EventDraft[] = [
  started("t1", "claude", { messageIds: ["m1"], rootMessageId: "m1" }),
  { type: "agent_message", ...asker, agentExchangeId: "x1", to: "codex", text: "Which clock?", wait: true },
  started("t2", "codex", { ...inExchange, depth: 1 }),
];

test("a turn that answers another member names the asker, and one that gets the answer names who answered", () => {
  const headers = picture(
    [
      ...asked,
      started("t3", "claude", inExchange),
      started("t4", "finder", { cause: "subagent", parentTurnId: "t1", depth: 1 }),
      started("t5", "pi", { ...inExchange, depth: 1, parentTurnId: "gone" }),
      started("t6", "pi", { cause: "minutes" }),
    ],
    { width: 60 },
  );
  expect(headers).toMatchInlineSnapshot(`
    "
     │ claude  built in, no model      ⠋ waits for codex · 0:00
     │ ask codex Which clock?  ⠋ waits for the answer

     │ codex  asked by claude                 ⠋ starting · 0:00

     │ claude  reads codex's answer           ⠋ starting · 0:00

     │ finder  subagent                       ⠋ starting · 0:00

     │ pi  asked by another member            ⠋ starting · 0:00

     │ pi  writes the minutes                 ⠋ starting · 0:00

    "
  `);
});

test("an imported turn says where it comes from", () => {
  expect(
    picture(
      [
        started("t1", "pi", { cause: "imported", origin: "kd:council-1/0003-pi.md\u001b[2J" }),
        ended("t1", "pi"),
        started("t2", "pi", { cause: "imported" }),
      ],
      { width: 60 },
    ),
  ).toMatchInlineSnapshot(`
    "
     │ pi  from kd:council-1/0003-pi.md                  ✓ 0:01
     │
     │ (said nothing)

     │ pi  built in, no model · imported      ⠋ starting · 0:00

    "
  `);
});

test("the panel of an exchange follows the answering turn call by call, and after its end stays as it was", () => {
  const calls: readonly EventDraft[] = [
    { type: "tool_call_start", ...other, toolCallId: "c2", name: "read", args: {} },
    { type: "tool_result", ...other, toolCallId: "c2", ok: true, result: "x" },
    { type: "tool_call_start", ...other, toolCallId: "c3", name: "grep", args: {} },
    { type: "tool_result", ...other, toolCallId: "c3", ok: false, error: { code: "tool_interrupted", message: "x" } },
    ended("t2", "codex"),
    { type: "agent_callback_result", agentExchangeId: "x1", member: "codex", ok: true, text: "Mine." },
  ];
  let panel: Panel | undefined;
  let transcript = empty("session");
  const pictures: string[] = [];
  for (const event of sessionLog([...asked, ...calls])) {
    transcript = reduce(transcript, event);
    const turn = shownMessages(transcript).find((message) => message.kind === "turn" && message.turnId === "t1");
    if (turn === undefined) continue;
    const context = contextOf(transcript, { settings: { ...SETTINGS, isExpanded: true } });
    panel ??= createPanel(turn, context);
    panel.update(turn, context);
    const fresh = createPanel(turn, context);
    expect([...panel.render(60)]).toEqual([...fresh.render(60)]);
    const rows = panel.render(60).map(stripVTControlCharacters);
    pictures.push(rows.filter((row) => /^ │ {3}(?:read|grep)$/.test(row)).join("\n"));
  }
  expect(pictures.slice(3)).toEqual([
    " │   read",
    " │   read",
    ...Array.from({ length: 4 }, () => " │   read\n │   grep"),
  ]);
});
