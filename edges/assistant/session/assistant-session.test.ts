import { describe, expect, test } from "vitest";
import { readSession } from "./assistant-session.ts";
import { remainingText } from "./open-turn.ts";

let clock = 0;
const line = (type: string, payload: object, turnId?: string) => {
  clock += 1;
  const place = turnId === undefined ? {} : { turnId, responseId: `r-${turnId}` };
  return { id: `e${clock}`, timestamp: 1_768_600_000_000 + clock, sessionId: "s1", ...place, type, payload };
};
const chunk = (text: string, turnId = "t1") => line("assistant_chunk", { text }, turnId);
const call = (toolCallId: string, turnId = "t1") =>
  line("tool_call", { toolCallId, toolName: "bash", args: { command: "ls" } }, turnId);
const result = (toolCallId: string, payload: object, turnId = "t1") =>
  line("tool_result", { toolCallId, ...payload }, turnId);

/** Short form of the parsed session: text, calls and outcomes. */
function read(lines: readonly object[]): string[] {
  const file = { name: "events.jsonl", lines: lines.map((value, at) => ({ number: at + 1, value })), damaged: [] };
  const drafts = readSession({ nativeId: "s1", file })?.units.flatMap((unit) => unit.drafts) ?? [];
  return drafts.flatMap(({ draft }) => {
    if (draft.type === "user_message") return [`user ${draft.text}`];
    if (draft.type === "turn_start") return [`turn ${draft.turnId}`];
    if (draft.type === "text_done") return [`text ${draft.text}`];
    if (draft.type === "thinking_done") return [`thinking ${draft.text}`];
    if (draft.type === "tool_call_start") return [`call ${draft.name}`];
    if (draft.type === "tool_result")
      return [`result ${draft.error?.code ?? draft.ok} ${draft.result ?? draft.error?.message ?? ""}`];
    return draft.type === "turn_end" ? [`end ${draft.outcome}`] : [];
  });
}

const start = [line("turn_start", { trigger: "user" }, "t1"), line("user_message", { text: "Look" }, "t1")];

describe("assistant's session files", () => {
  test("the full text of a cancelled turn is not imported again after the call that followed it", () => {
    const cancelled = [
      call("c1"),
      result("c1", { result: null, error: { code: "tool_interrupted", message: "stopped" } }),
    ];
    const end = [line("assistant_done", { text: "I look." }, "t1"), line("interrupt", { reason: "user_cancel" }, "t1")];
    expect(read([...start, chunk("\n\nI look.\n\n"), ...cancelled, ...end])).toStrictEqual([
      "user Look",
      "turn t:t1",
      "text \n\nI look.\n\n",
      "call bash",
      "result tool_interrupted stopped",
      "end interrupted",
    ]);
    expect(remainingText("I look. There.", "I look.\n\n")).toBe(" There.");
    expect(remainingText("I look", "I look. ")).toBe("");
    expect(remainingText("Another", "I look. ")).toBeUndefined();
    expect(remainingText("All", "")).toBe("All");
  });

  test("a full text may cover the turn or only the part after the last call, also when both begin alike", () => {
    const worked = [chunk("Let me look. "), call("c1"), result("c1", { result: "a" })];
    const spoken = (whole: string) =>
      read([
        ...start,
        ...worked,
        chunk("Let me"),
        line("assistant_done", { text: whole }, "t1"),
        line("turn_end", {}, "t1"),
      ]).filter((one) => one.startsWith("text"));
    expect(spoken("Let me")).toStrictEqual(["text Let me look. ", "text Let me"]);
    expect(spoken("Let me look. Let me")).toStrictEqual(["text Let me look. ", "text  Let me"]);
  });

  test("late output of a cancelled turn belongs to it, and turn ids are unique", () => {
    const lines = [
      ...start,
      chunk("Wel"),
      line("interrupt", { reason: "user_cancel" }, "t1"),
      chunk("l, then"),
      line("turn_start", { trigger: "user" }, "t2"),
      line("user_message", { text: "More" }, "t2"),
      chunk("Yes.", "t2"),
      line("turn_end", {}, "t2"),
      chunk("Late.", "t2"),
    ];
    const late = read(lines).find((one) => one.startsWith("turn t:e")) ?? "";
    expect(read(lines)).toStrictEqual([
      "user Look",
      "turn t:t1",
      "text Well, then",
      "end interrupted",
      "user More",
      "turn t:t2",
      "text Yes.",
      "end completed",
      late,
      "text Late.",
      "end interrupted",
    ]);
  });

  test("results of known panels are imported as text, and failures with the tool's own message", () => {
    const payloads = [
      { result: { ok: true, output: "a.ts\n", exitCode: 0 } },
      {
        result: [
          { type: "text", text: "one" },
          { type: "text", text: "two" },
        ],
      },
      { result: { mode: "sync", response: "Yes." } },
      { result: { other: 1 } },
      { result: { ok: false, output: "oops\n", exitCode: 1 }, error: { code: "tool_failed", message: "It failed" } },
      { result: { error: { code: "x", message: "No" } }, error: { code: "tool_error", message: "No" } },
    ];
    const lines = payloads.flatMap((payload, at) => [call(`c${at}`), result(`c${at}`, payload)]);
    expect(
      read([...start, ...lines, line("turn_end", {}, "t1")]).filter((one) => one.startsWith("result")),
    ).toStrictEqual([
      "result true a.ts\n",
      "result true one\ntwo",
      "result true Yes.",
      'result true {"other":1}',
      "result tool_error It failed\noops",
      "result tool_error No",
    ]);
  });

  test("the line that names the panel is not part of a message, and no context is part of a title", () => {
    const panel = '<context panel-id="chat-1" panel-type="chat" />';
    const list = '<context type="list" id="l1" panel-id="chat-1" />';
    const titled = (text: string) => {
      const value = line("user_message", { text }, "t1");
      const file = { name: "events.jsonl", lines: [{ number: 1, value }], damaged: [] };
      return [readSession({ nativeId: "s1", file })?.title, ...read([value])];
    };
    expect(titled(`${panel}\nLook here`)).toStrictEqual(["Look here", "user Look here"]);
    expect(titled(`${list}\nLook here`)).toStrictEqual(["Look here", `user ${list}\nLook here`]);
  });
});
