import { expect, test } from "vitest";
import { senderId, type EventDraft, type SessionEvent } from "../../../protocol/index.ts";
import { asked, created, said, turnBegins, turnEnds } from "../../../../test/host/searched-session.ts";
import { EntryReader } from "./read-entries.ts";

const turn = { turnId: "t1", member: "ada" };

function stamped(drafts: readonly (EventDraft | Record<string, unknown>)[]): SessionEvent[] {
  return drafts.map((draft, index) => {
    const envelope = { seq: index + 1, epoch: 1, id: String(index), ts: index, sessionId: "S" };
    return Object.assign(envelope, draft) as SessionEvent;
  });
}

function read(drafts: readonly (EventDraft | Record<string, unknown>)[]) {
  const reader = new EntryReader();
  return stamped(drafts).flatMap((event) =>
    reader.read(event).map(({ kind, seq, eventSeq, text, tool }) => [kind, seq, eventSeq, text, tool]),
  );
}

test("messages and calls are entries with the seq of their message; streamed text becomes one when it is complete", () => {
  expect(
    read([
      created("A title"),
      asked("the question"),
      turnBegins("t1"),
      { type: "text_delta", ...turn, segmentId: "s", text: "the " },
      { type: "thinking_delta", ...turn, segmentId: "h", text: "hm" },
      { type: "thinking_done", ...turn, segmentId: "h", text: "hmm" },
      { type: "tool_call_start", ...turn, toolCallId: "c", name: "bash", args: { command: "ls -l", deep: { n: 7 } } },
      { type: "tool_output_delta", ...turn, toolCallId: "c", text: "total 0" },
      { type: "tool_result", ...turn, toolCallId: "c", ok: true, result: "total 0", diff: "+one" },
      said("t1", "the answer"),
      turnEnds("t1"),
      { type: "minutes", text: "agreed" },
      { type: "session_renamed", title: "Another" },
    ]),
  ).toEqual([
    ["title", 1, 1, "A title", undefined],
    ["user", 2, 2, "the question", undefined],
    ["thinking", 3, 6, "hmm", undefined],
    ["call", 3, 7, "bash\ncommand: ls -l\nn: 7", "bash"],
    ["output", 3, 9, "total 0", "bash"],
    ["diff", 3, 9, "+one", "bash"],
    ["text", 3, 10, "the answer", undefined],
    ["minutes", 12, 12, "agreed", undefined],
    ["title", 13, 13, "Another", undefined],
  ]);
});

test("a message that came through a team's server is by the person who sent it", () => {
  const reader = new EntryReader();
  const adas = senderId({ id: "01J000000000000000000000AD", name: "ada.l" }, "0ABC");
  const clients = ["bob.Q7XK", adas, "terminal-01JN0000000000000000000001", undefined];
  const events = stamped(clients.map((clientId) => Object.assign(asked("hello"), { clientId })));
  const entries = events.flatMap((event) => reader.read(event));
  expect(entries.map(({ member }) => member)).toEqual(["bob", "ada.l", undefined, undefined]);
  expect(entries.map(({ sender }) => sender)).toEqual(["bob.Q7XK", adas, undefined, undefined]);
});

test("exchanges, requests, answers, plans, changed files, summaries and warnings are found too, and so is the text of an unknown event", () => {
  expect(
    read([
      { type: "agent_message", agentExchangeId: "x", member: "ada", to: "bob", text: "do you know?", wait: true },
      { type: "agent_callback_result", agentExchangeId: "x", member: "bob", ok: true, text: "I do" },
      { type: "change_report", files: [{ path: "src/a.ts", status: "modified", diff: "-x" }], truncatedCount: 0 },
      {
        type: "ui_request",
        requestId: "r",
        member: "ada",
        request: { method: "confirm", title: "Really?", message: "It is final." },
        timeoutMs: 1,
        default: false,
      },
      { type: "plan_update", planId: "p", items: [{ text: "first step", status: "pending" }] },
      { type: "finalize_task", summary: "all done" },
      { type: "warning", code: "x", message: "line 7 is damaged" },
      { type: "of_the_future", text: "still text" },
    ]).map(([kind, , , text]) => [kind, text]),
  ).toEqual([
    ["exchange", "do you know?"],
    ["exchange", "I do"],
    ["diff", "src/a.ts\n-x"],
    ["request", expect.stringContaining("title: Really?")],
    ["note", "\nfirst step"],
    ["note", "all done"],
    ["note", "line 7 is damaged"],
    ["note", "still text"],
  ]);
});

test("an approval is found by what its card shows, without the JSON that is hashed", () => {
  const call = {
    args: { command: "make" },
    bound: { before: "a766fdc1" },
    cwd: "/project",
    member: "ada",
    tool: "shell",
  };
  const request = {
    method: "approval",
    title: "Build",
    tool: "shell",
    call: JSON.stringify(call),
    callHash: "f00d",
    options: [{ label: "Allow once", value: "allow" }],
    opts: { because: "it writes build.log", reason: "To see whether it builds" },
  };
  const [entry] = read([{ type: "ui_request", requestId: "r", member: "ada", request, timeoutMs: 1, default: false }]);
  expect(entry?.[3]).toBe("$ make\nTo see whether it builds\nAsked because: it writes build.log");
});

test("streamed output and late arguments are found once the call has ended", () => {
  expect(
    read([
      turnBegins("t1"),
      { type: "tool_call_start", ...turn, toolCallId: "c", name: "bash", args: {} },
      { type: "tool_call_update", ...turn, toolCallId: "c", args: { command: "make" }, title: "Build" },
      { type: "tool_output_delta", ...turn, toolCallId: "c", text: "compiling " },
      { type: "tool_output_delta", ...turn, toolCallId: "c", text: "parser.c" },
      {
        type: "tool_result",
        ...turn,
        toolCallId: "c",
        ok: false,
        error: { code: "tool_error", message: "no rule to make target" },
      },
    ]),
  ).toEqual([
    ["call", 1, 2, "bash", "bash"],
    ["call", 1, 6, "bash\nBuild\ncommand: make", "bash"],
    ["output", 1, 6, "compiling parser.c\nno rule to make target", "bash"],
  ]);
});
