import { describe, expect, test } from "vitest";
import { senderId, type EventDraft } from "../../protocol/index.ts";
import { ended, said, started } from "../../../test/generate/drafts.ts";
import { picture, SETTINGS } from "../../../test/tui/draw-panels.ts";

const inTurn = { turnId: "t1", member: "claude" };
const turn = (
  drafts: readonly EventDraft[],
  end: Partial<Parameters<typeof ended>[2]> | undefined = {},
): EventDraft[] => [
  said("m1", ["claude"]),
  started("t1", "claude", { messageIds: ["m1"], rootMessageId: "m1" }),
  ...drafts,
  ...(end === undefined ? [] : [ended("t1", "claude", end)]),
];
const text = (words: string, segmentId = "s1"): EventDraft => ({
  type: "text_delta",
  ...inTurn,
  segmentId,
  text: words,
});
const open = (drafts: readonly EventDraft[]): EventDraft[] => turn(drafts).slice(0, -1);
const tool = (toolCallId: string, rest: object = {}): EventDraft => ({
  type: "tool_call_start",
  ...inTurn,
  toolCallId,
  name: "bash",
  args: { command: "npm test -- --run" },
  ...rest,
});
const DIFF = "--- a/x.ts\n+++ b/x.ts\n@@ -1,2 +1,2 @@\n-const a = 1;\n+const a = 2;\n const b = 3;\n";

const ADA = "01J000000000000000000000AD";
const CID = "01J000000000000000000000C1";

function both(drafts: readonly EventDraft[], rest: Partial<Parameters<typeof picture>[1]> = {}): string {
  return `${picture(drafts, { width: 80, ...rest })}----------------------------------------${picture(drafts, { width: 40, ...rest })}`;
}

describe("messages of the user", () => {
  test("name who else wrote them on a team's server", () => {
    const adas = senderId({ id: ADA, name: "ada" }, "0ABC");
    const drafts = ["bob.Q7XK", adas, "terminal-1"].map((clientId, at) =>
      said(`m${at}`, ["claude"], { text: "Hello.", clientId }),
    );
    const seenAs = { me: ADA, owner: { id: CID, name: "cid" } };
    expect(
      picture(drafts, { width: 60, kinds: ["user"], seenAs })
        .match(/to claude.*/g)
        ?.map((one) => one.trim()),
    ).toEqual(["to claude · from bob", "to claude", "to claude · from cid"]);
  });

  test("show whom they went to, what is attached and who did not get them", () => {
    const attachments = [
      { name: "screen.png", mime: "image/png", blob: { sha256: "0".repeat(64), bytes: 204_800 } },
      { name: "log.txt", mime: "text/plain", blob: { sha256: "0".repeat(64), bytes: 900 } },
    ];
    const drafts: EventDraft[] = [
      said("m1", ["claude", "codex", "pi"], {
        toAll: true,
        text: "Please look at the failing test.\n\n  indented *as written*",
      }),
      said("m2", ["codex"], { text: "And you?", attachments, origin: "web" }),
      { type: "message_delivery", messageId: "m2", member: "codex", state: "dropped", reason: "it left the table" },
      said("m3", ["claude", "codex", "pi"], { toAll: true, text: "Through the server.", clientId: "bob.Q7XK" }),
    ];
    expect(both(drafts, { kinds: ["user"] })).toMatchInlineSnapshot(`
      "
       ❯ Please look at the failing test.                                 to everyone 
                                                                                      
           indented *as written*                                                      

       ❯ And you?                                                 to codex · from web 
         [image: screen.png · 205 kB]                                                 
         [file: log.txt · text/plain · 900 B]                                         
         ✗ codex did not answer: it left the table

       ❯ Through the server.                                   to everyone · from bob 

      ----------------------------------------
      ❯ Please look at the failing test.      
                                              
          indented *as written*               

      ❯ And you?                              
        [image: screen.png · 205 kB]          
        [file: log.txt · text/plain · 900 B]  
        ✗ codex did not answer: it left the
        table

      ❯ Through the server.                   

      "
    `);
  });

  test("what was said in another program names nobody here", () => {
    const drafts = [said("m1", [], { text: "Hello", origin: "kd:council-1/0001-king.md" })];
    expect(picture(drafts, { width: 80, kinds: ["user"] })).toContain("from kd:council-1/0001-king.md");
  });
});

describe("turns", () => {
  test("a streaming turn ends in a cursor", () => {
    expect(
      both(open([text("I will look at the **failing** test first, and then say what I found there.\n\n- one\n- two")])),
    ).toMatchInlineSnapshot(`
      "
       │ claude  built in, no model                                  ⠋ writing · 0:00
       │
       │ I will look at the failing test first, and then say what I found there.
       │
       │ • one
       │ • two▍

      ----------------------------------------
      │ claude  built in, no model      ⠋ 0:00
      │
      │ I will look at the failing test first,
      │ and then say what I found there.
      │
      │ • one
      │ • two▍

      "
    `);
  });

  test("before anything is said the header says what goes on", () => {
    const notify = (drafts: readonly EventDraft[]) => /⠋ (.*) · /.exec(picture(open(drafts), { width: 60 }))?.[1];
    const loading: EventDraft = { type: "status", ...inTurn, state: "model_loading", detail: "Model loading…" };
    const working: EventDraft = { type: "status", ...inTurn, state: "working", detail: "indexing 200 files" };
    expect([
      notify([]),
      notify([loading]),
      notify([working]),
      notify([{ type: "thinking_start", ...inTurn, segmentId: "k" }]),
      notify([tool("c1")]),
    ]).toEqual(["starting", "loading the model", "indexing 200 files", "thinking", "running"]);
  });

  test("errors, time-outs and interruptions say why and what to do", () => {
    const error = {
      code: "agent_exited",
      message: "claude exited with code 1",
      hint: "Log in with `claude login`.",
      detail: "Error: Not logged in\n    at start (cli.js:1)",
      exitCode: 1,
    };
    const drafts = [
      ...turn([text("Half an ans")], { outcome: "errored", error }),
      started("t2", "codex"),
      ended("t2", "codex", { outcome: "timed_out", durationMs: 600_000, reason: "no answer" }),
      started("t3", "pi"),
      { type: "text_delta", turnId: "t3", member: "pi", segmentId: "s", text: "So far" } as const,
      ended("t3", "pi", { outcome: "interrupted", reason: "by the user" }),
      started("t4", "pi"),
      ended("t4", "pi"),
    ];
    expect(both(drafts)).toMatchInlineSnapshot(`
      "
       │ claude  built in, no model                                  ✗ failed at 0:01
       │
       │ Half an ans
       │
       │ ✗ claude exited with code 1
       │ │ Error: Not logged in
       │ │ exit code 1 after 1 s
       │
       │ To fix it, in another terminal:   claude login   then press Tab r
       │
       │ r ask again · g go on without it · y copy the command · v all of stderr

       │ codex  built in, no model                              ✗ time limit at 10:00
       │
       │ ✗ no answer
       │
       │ r ask codex again · g go on without codex

       │ pi  built in, no model                                      ■ stopped · 0:01
       │
       │ So far

       │ pi  built in, no model                                                ✓ 0:01
       │
       │ (said nothing)

      ----------------------------------------
      │ claude                ✗ failed at 0:01
      │
      │ Half an ans
      │
      │ ✗ claude exited with code 1
      │ │ Error: Not logged in
      │ │ exit code 1 after 1 s
      │
      │ To fix it, in another terminal:
      │  claude login 
      │ then press Tab r
      │
      │ r ask again · g go on without it
      │ y copy the command · v all of stderr

      │ codex            ✗ time limit at 10:00
      │
      │ ✗ no answer
      │
      │ r ask again · g go on without it

      │ pi                    ■ stopped · 0:01
      │
      │ So far

      │ pi  built in, no model          ✓ 0:01
      │
      │ (said nothing)

      "
    `);
  });

  test("a turn that is retried says which attempt, after how long and why", () => {
    const retrying: EventDraft = {
      type: "retrying",
      ...inTurn,
      attempt: 2,
      of: 5,
      delayMs: 4000,
      reason: "529 overloaded",
    };
    expect(both(open([retrying]))).toMatchInlineSnapshot(`
      "
       │ claude  built in, no model                                 ↻ retrying · 0:00
       │
       │ ↻ retrying in 4 s · attempt 2 of 5: 529 overloaded

      ----------------------------------------
      │ claude               ↻ retrying · 0:00
      │
      │ ↻ retrying in 4 s · attempt 2 of 5:
      │ 529 overloaded

      "
    `);
  });

  test("thinking is dim, one row with its length, or not there", () => {
    const drafts = turn([
      { type: "thinking_delta", ...inTurn, segmentId: "k1", text: "The test uses a clock.\nMaybe it is not injected." },
      { type: "thinking_done", ...inTurn, segmentId: "k1", text: "The test uses a clock.\nMaybe it is not injected." },
      text("It is the clock."),
    ]);
    const shown = (["dim", "folded", "hidden"] as const).map((thinking) =>
      picture(drafts, { width: 40, settings: { ...SETTINGS, thinking } }),
    );
    expect(shown.join("----")).toMatchInlineSnapshot(`
      "
      │ claude  built in, no model      ✓ 0:01
      │
      │ It is the clock.

      ----
      │ claude  built in, no model      ✓ 0:01
      │
      │ It is the clock.

      ----
      │ claude  built in, no model      ✓ 0:01
      │
      │ It is the clock.

      "
    `);
  });

  test("tools in all six states, with a glyph and a word", () => {
    const result = (toolCallId: string, rest: object): EventDraft => ({
      type: "tool_result",
      ...inTurn,
      toolCallId,
      ok: true,
      durationMs: 1234,
      ...rest,
    });
    const drafts = open([
      tool("c1", { title: "Run the tests" }),
      {
        type: "tool_output_delta",
        ...inTurn,
        toolCallId: "c1",
        text: Array.from({ length: 9 }, (_, index) => `line ${index + 1}\n`).join(""),
      },
      tool("c2"),
      result("c2", { result: "a\nb\nc\nd\ne\nf\ng", diff: DIFF }),
      tool("c3", { name: "read", args: { path: "/etc/shadow" } }),
      result("c3", { ok: false, error: { code: "tool_denied", message: "not allowed by the user" } }),
      tool("c4", { title: "Sleep" }),
      result("c4", { ok: false, error: { code: "tool_interrupted", message: "stopped" } }),
      tool("c5", { title: "Read a big file" }),
      result("c5", { result: "begin", truncated: { totalBytes: 2_200_000, shownBytes: 65_536 } }),
      tool("c6", { name: "agents_message", args: { to: "codex" }, kind: "agent", agentExchangeId: "x1" }),
      result("c6", { result: "Yes." }),
    ]);
    expect(both(drafts)).toMatchInlineSnapshot(`
      "
       │ claude  built in, no model                                  ⠋ running · 0:00
       │ ▸ ran 2 commands, started 1 agent · 4 s
       │ $ npm test -- --run  ⠋ 0 s
       │   │ line 7
       │   │ line 8
       │   │ line 9
       │   … 6 more lines (o)
       │ read /etc/shadow  ⊘ denied: not allowed by the user
       │ $ npm test -- --run  ■ stopped by you · 1.2 s

      ----------------------------------------
      │ claude  built in, no model      ⠋ 0:00
      │ ▸ ran 2 commands, started 1 agent · 4…
      │ $ npm test -- --run  ⠋ 0 s
      │   │ line 7
      │   │ line 8
      │   │ line 9
      │   … 6 more lines (o)
      │ read /etc/s…  ⊘ denied: not allowed b…
      │ $ npm test …  ■ stopped by you · 1.2 s

      "
    `);
    expect(picture(drafts, { width: 80, settings: { ...SETTINGS, isExpanded: true }, liveRowsMax: 200 }))
      .toMatchInlineSnapshot(`
        "
         │ claude  built in, no model                                  ⠋ running · 0:00
         │ ▾ ran 2 commands, started 1 agent · 4 s
         │   $ npm test -- --run  ✓ 1.2 s
         │       1 − const a = 1;
         │       1 + const a = 2;
         │       2   const b = 3;
         │   $ npm test -- --run  ✓ 1.2 s · truncated, 66 kB of 2.2 MB
         │     │ begin
         │   agents_message codex  ✓ 1.2 s
         │       to: codex
         │     │ Yes.
         │ $ npm test -- --run  ⠋ 0 s
         │   │ line 1
         │   │ line 2
         │   │ line 3
         │   │ line 4
         │   │ line 5
         │   │ line 6
         │   │ line 7
         │   │ line 8
         │   │ line 9
         │ read /etc/shadow  ⊘ denied: not allowed by the user
         │     path: /etc/shadow
         │ $ npm test -- --run  ■ stopped by you · 1.2 s

        "
      `);
  });

  test("exchanges, subagents, steering and requests inside a turn", () => {
    const drafts = turn([
      {
        type: "agent_message",
        agentExchangeId: "x1",
        ...inTurn,
        to: "codex",
        text: "Is the clock injected?",
        wait: true,
      },
      {
        type: "agent_callback_result",
        agentExchangeId: "x1",
        member: "codex",
        ok: true,
        text: "No.\nIt is read from Date.",
      },
      { type: "agent_message", agentExchangeId: "x2", ...inTurn, to: "pi", text: "Do you agree?", wait: true },
      { type: "subagent_spawned", ...inTurn, subagentTurnId: "t2", name: "finder", task: "find all clocks", depth: 1 },
      started("t2", "finder", { parentTurnId: "t1", depth: 1, cause: "subagent" }),
      { type: "text_delta", turnId: "t2", member: "finder", segmentId: "f", text: "Three of them." },
      ended("t2", "finder"),
      { type: "subagent_result", ...inTurn, subagentTurnId: "t2", outcome: "completed", text: "Three of them." },
      said("m2", ["claude"], { text: "Only in src, please" }),
      { type: "steering", messageId: "m2", ...inTurn },
      {
        type: "ui_request",
        requestId: "r1",
        ...inTurn,
        request: {
          method: "approval",
          title: "Run a command?",
          tool: "bash",
          call: "rm -rf build",
          callHash: "h",
          options: [{ label: "Allow once", value: "once" }],
        },
        timeoutMs: 1000,
        default: false,
      },
      { type: "ui_response", requestId: "r1", result: "once", error: null, by: "terminal" },
      {
        type: "ui_request",
        requestId: "r2",
        ...inTurn,
        request: { method: "confirm", title: "Go on?", message: "There are 12 more." },
        timeoutMs: 1000,
        default: false,
      },
    ]).slice(0, -1);
    expect(both(drafts)).toMatchInlineSnapshot(`
      "
       │ claude  built in, no model                                     ◆ asks · 0:00
       │ ask codex Is the clock injected?  ✓ answered
       │   └ No.  (o)
       │ ask pi Do you agree?  ⠋ waits for the answer
       │ task find all clocks  ✓ 1 s
       │   └ Three of them.  (o)
       ❯ ↳ Only in src, please                                  claude saw it at 0:10 
       │ $ rm -rf build  ✓ allowed once
       │ Go on?  ◆ waits for you

      ----------------------------------------
      │ claude                   ◆ asks · 0:00
      │ ask codex Is the clock in…  ✓ answered
      │   └ No.  (o)
      │ ask pi Do you…  ⠋ waits for the answer
      │ task find all clocks  ✓ 1 s
      │   └ Three of them.  (o)
      ❯ ↳ Only in src, please                 
      │   claude saw it at 0:10
      │ $ rm -rf build  ✓ allowed once
      │ Go on?  ◆ waits for you

      "
    `);
  });

  test("plans, changes, a finished task and events inside a turn", () => {
    const drafts = turn([
      {
        type: "plan_update",
        ...inTurn,
        planId: "p1",
        items: [
          { text: "Find the clock", status: "completed" },
          { text: "Inject it everywhere it is used in the scheduler", status: "in_progress" },
          { text: "Run the tests", status: "pending" },
        ],
        explanation: "Three steps.",
      },
      { type: "plan_decision", planId: "p1", decision: "approve" },
      {
        type: "change_report",
        ...inTurn,
        files: [
          { path: "src/clock.ts", status: "added", added: 12, removed: 0, diff: DIFF },
          { path: "src/old.ts", status: "deleted", added: 0, removed: 1200 },
        ],
        truncatedCount: 3,
      },
      { type: "warning", ...inTurn, code: "w", message: "the window is nearly full" },
      { type: "finalize_task", ...inTurn, summary: "The clock is injected." },
    ]);
    expect(both(drafts)).toMatchInlineSnapshot(`
      "
       │ claude  built in, no model                                            ✓ 0:01
       │ Plan  1 of 3  ✓ approved
       │
       │ write src/clock.ts  +12  ✓
       │ delete src/old.ts  −1,200  ✓
       │   … 3 more files
       │ Warning: The window is nearly full
       │ ✓ The clock is injected.

      ----------------------------------------
      │ claude  built in, no model      ✓ 0:01
      │ Plan  1 of 3  ✓ approved
      │
      │ write src/clock.ts  +12  ✓
      │ delete src/old.ts  −1,200  ✓
      │   … 3 more files
      │ Warning: The window is nearly full
      │ ✓ The clock is injected.

      "
    `);
    expect(picture(drafts, { width: 40, settings: { ...SETTINGS, isExpanded: true } })).toMatchInlineSnapshot(`
      "
      │ claude  built in, no model      ✓ 0:01
      │ Plan  1 of 3  ✓ approved
      │ Three steps.
      │ ✓ Find the clock
      │ ◌ Inject it everywhere it is used in
      │   the scheduler
      │ ◌ Run the tests
      │
      │ write src/clock.ts  +12  ✓
      │      1 − const a = 1;
      │      1 + const a = 2;
      │      2   const b = 3;
      │ delete src/old.ts  −1,200  ✓
      │   … 3 more files
      │ Warning: The window is nearly full
      │ ✓ The clock is injected.

      "
    `);
  });

  test("an open turn takes at most the rows it may and opens up when it has ended", () => {
    const long = text(Array.from({ length: 30 }, (_, index) => `Paragraph ${index + 1}.\n\n`).join(""));
    const live = picture(open([long]), { width: 40, liveRowsMax: 9 });
    expect(live).toMatchInlineSnapshot(`
      "
      │ claude  built in, no model      ⠋ 0:00
      │ ↑ 53 rows above
      │
      │ Paragraph 28.
      │
      │ Paragraph 29.
      │
      │ Paragraph 30.▍

      "
    `);
    expect(live.trim().split("\n").length).toBeLessThanOrEqual(9);
    expect(
      picture(turn([long]), { width: 40, liveRowsMax: 9 })
        .trim()
        .split("\n"),
    ).toHaveLength(61);
  });

  test("an open turn with few rows shows what it says, not how much it has done and said before", () => {
    const long = text("One.\n\nTwo.\n\nThree.\n");
    const work: EventDraft[] = [
      tool("c1"),
      { type: "tool_result", ...inTurn, toolCallId: "c1", ok: true, result: "3 passed" },
    ];
    expect(picture(open([...work, long]), { width: 40, liveRowsMax: 4 })).toMatchInlineSnapshot(`
      "
      │ claude  built in, no model      ⠋ 0:00
      │
      │ Three.▍

      "
    `);
    expect(picture(open([...work, long]), { width: 40, liveRowsMax: 3 })).toMatchInlineSnapshot(`
      "
      │ claude  built in, no model      ⠋ 0:00
      │ Three.▍

      "
    `);
  });

  test("raw shows the text as it was written, without bars", () => {
    expect(
      picture(turn([text("# Title\n\n**bold** `code`\n\n- a")]), { width: 40, settings: { ...SETTINGS, isRaw: true } }),
    ).toMatchInlineSnapshot(`
      "
      claude  built in, no model        ✓ 0:01

      # Title

      **bold** \`code\`

      - a

      "
    `);
  });

  test("the selected message is marked without colours too", () => {
    expect(picture(turn([text("Hello.")]), { width: 40, isSelected: true, kinds: ["user", "turn"] }))
      .toMatchInlineSnapshot(`
        "
        ❯ What now?                    to claude

        ┃ claude  built in, no model      ✓ 0:01
        ┃
        ┃ Hello.

        "
      `);
  });
});

test("events outside turns have a glyph and a label, and unknown ones are named", () => {
  const drafts = [
    {
      type: "compaction",
      member: "claude",
      summary: "We spoke of clocks.",
      before: 150_000,
      after: 21_500,
      firstKeptSeq: 3,
    },
    { type: "minutes", text: "# Decided\n\n- inject the clock", by: "codex" },
    { type: "warning", code: "w", message: "the mirror is behind", detail: "by 3 files" },
    { type: "error", code: "e", message: "the disk is full" },
    { type: "recovered", turnIds: ["t1"], tornBytes: 12 },
    { type: "council_paused", why: "limit", limit: "turns", message: "40 turns were taken" },
    { type: "council_settled", why: "agreed", rootMessageId: "m", round: 2 },
    { type: "model_switched", member: "pi", model: "large" },
    { type: "member_muted", member: "pi" },
    { type: "member_left", member: "pi", reason: "removed" },
    { type: "ui_notify", member: "codex", message: "built", notifyType: "success" },
    { type: "from_the_future", payload: 1 } as unknown as EventDraft,
    { type: "session_clear" },
  ] as EventDraft[];
  expect(both(drafts, { kinds: ["notice"] })).toMatchInlineSnapshot(`
    "
     The context of claude was compacted: 150k → 21.5k tokens
       expand to read what was kept

     Minutes · by ● codex
     │ Decided
     │ 
     │ • inject the clock

     Warning: The mirror is behind

     ✗ The disk is full

     Warning: The session was recovered; turns interrupted: 1, bytes cut: 12

     ‖ Paused: 40 turns were taken
       /continue goes on

     The discussion ended after round 2: nobody had anything to add

     pi now uses large

     pi muted

     pi was removed

     ✓ codex: built

     Event from_the_future

     ── cleared: members no longer see what is above ──────────────────────────────

    ----------------------------------------
    The context of claude was compacted:
    150k → 21.5k tokens
      expand to read what was kept

    Minutes · by ● codex
    │ Decided
    │ 
    │ • inject the clock

    Warning: The mirror is behind

    ✗ The disk is full

    Warning: The session was recovered;
    turns interrupted: 1, bytes cut: 12

    ‖ Paused: 40 turns were taken
      /continue goes on

    The discussion ended after round 2:
    nobody had anything to add

    pi now uses large

    pi muted

    pi was removed

    ✓ codex: built

    Event from_the_future

    ── cleared: members no longer see what …

    "
  `);
});
