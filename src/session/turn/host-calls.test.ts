import { expect, test } from "vitest";
import { hostToolSchemas, type Json } from "../../protocol/index.ts";
import { startSession, type SessionRun } from "../../../test/session/session-run.ts";
import type { Behaviour } from "../../../test/session/scripted-agent.ts";

const calling = (tool: string, args: Json): Behaviour => ({
  script: () => [{ type: "host_call", callId: "h", tool, args }, { untilAnswer: "h" }],
});

async function call(tool: string, args: Json): Promise<{ state: SessionRun; answers: unknown }> {
  const state = await startSession({ ada: calling(tool, args), bob: { script: () => [] } });
  await state.send("go", { to: ["ada"] });
  return { state, answers: state.agents.last("ada").answers };
}

test("every offered host tool runs or is refused with a reason; an unknown one is refused", async () => {
  for (const { name } of [...hostToolSchemas(), { name: "nothing" }]) {
    const { answers } = await call(name, { wrong: 1 });
    const isFree = name === "agents_list";
    const error =
      name === "nothing" ? 'There is no tool "nothing" here.' : expect.stringContaining(`${name} was not run`);
    expect([name, answers]).toEqual([
      name,
      [{ callId: "h", result: isFree ? expect.anything() : { result: null, error } }],
    ]);
  }
});

test("wrong arguments are named in plain words", async () => {
  const { answers } = await call("agents_message", { to: "bob" });
  const error = "agents_message was not run: `text` is missing.";
  expect(answers).toEqual([{ callId: "h", result: { result: null, error } }]);
});

test("a call with too deeply nested arguments is refused in one sentence", async () => {
  const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`) as Json;
  const { answers } = await call("ui_widget", { key: "k", content: "x", opts: { deep } });
  const error = "ui_widget was not run: it nests deeper than 128 levels.";
  expect(answers).toEqual([{ callId: "h", result: { result: null, error } }]);
});

test("a member that lists the members gets its own name and the others with their status", async () => {
  const { answers } = await call("agents_list", {});
  expect(answers).toMatchObject([
    {
      result: {
        result: {
          you: "ada",
          members: [
            { name: "ada", state: "running" },
            { name: "bob", state: "idle" },
          ],
        },
      },
    },
  ]);
});

test("a signal becomes an event of the member's turn and is answered at once", async () => {
  const signals: [string, Json, object][] = [
    ["ui_notify", { message: "look" }, { type: "ui_notify", message: "look", notifyType: "info" }],
    ["ui_notify", { message: "look", notify_type: "warn" }, { type: "ui_notify", message: "look", notifyType: "warn" }],
    ["ui_status", { key: "k", text: "busy" }, { type: "ui_status", key: "k", text: "busy" }],
    ["ui_widget", { key: "k", content: ["a", "b"] }, { type: "ui_widget", key: "k", content: ["a", "b"], opts: {} }],
    ["ui_working", { message: "reading" }, { type: "ui_working", message: "reading" }],
    ["ui_set_title", { title: "T" }, { type: "ui_set_title", title: "T" }],
    ["ui_set_editor_text", { text: "draft" }, { type: "ui_set_editor_text", text: "draft" }],
    [
      "plan_update",
      { items: [{ text: "one", status: "pending" }] },
      { type: "plan_update", items: [{ text: "one", status: "pending" }] },
    ],
  ];
  for (const [tool, args, event] of signals) {
    const { state, answers } = await call(tool, args);
    const type = (event as { type: "ui_notify" }).type;
    expect([tool, state.events(type)]).toMatchObject([tool, [{ ...event, member: "ada" }]]);
    expect(answers).toEqual([{ callId: "h", result: { result: "ok", error: null } }]);
  }
});

test("a tool's question becomes a request to the user, and the answer its result", async () => {
  const option = { label: "Yes", value: "yes" };
  const asked: [string, Json, string, Json][] = [
    ["ui_select", { title: "Which?", options: [option] }, "select", "yes"],
    ["ui_confirm", { title: "Sure?", message: "Really" }, "confirm", true],
    ["ui_input", { title: "Name?" }, "input", "Ada"],
    ["ui_editor", { title: "Text?", prefill: "a" }, "editor", "ab"],
    [
      "user_question",
      { title: "Q", questions: [{ id: "q", text: "?", options: [option], multiple: false, freeText: false }] },
      "question",
      { q: "yes" },
    ],
  ];
  for (const [tool, args, method, answer] of asked) {
    const { state } = await call(tool, args);
    const [request] = state.session.transcript.head.requests;
    expect([tool, request?.request.method]).toEqual([tool, method]);
    await state.command({ type: "answer", requestId: request?.requestId ?? "", result: answer });
    expect([tool, state.agents.last("ada").answers]).toEqual([
      tool,
      [{ callId: "h", result: { result: answer, error: null } }],
    ]);
  }
});
