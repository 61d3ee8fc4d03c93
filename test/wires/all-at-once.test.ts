/** Every wire at once on one session: each takes part in it, and what each shows is the same conversation. */
import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isRunning } from "../../src/transcript/index.ts";
import { until } from "../host/open-host.ts";
import { writeAsKingdom } from "../../edges/kingdom/test/alone/kingdom-writer.ts";
import { readThread } from "../../edges/kingdom/test/alone/thread-reader.ts";
import {
  ofEditor,
  ofFrames,
  ofRead,
  ofShown,
  ofSprout,
  ofThread,
  ofTranscript,
  renamed,
  without,
  type Conversation,
} from "./at-once/conversation.ts";
import { openEveryWire, type EveryWire } from "./at-once/every-wire.ts";
import { reload } from "../../edges/assistant/test/small-client.ts";
import { Runs, WorkspaceState } from "../../edges/linggen/test/frame-schemas.ts";
import { listSessions, readTree } from "../../edges/sprout/test/sprout-reader.ts";
import { patient } from "../patience.ts";

let at: EveryWire;
beforeAll(async () => {
  at = await openEveryWire();
  await talk();
});
afterAll(async () => {
  await at.close();
  rmSync(at.cwd, { recursive: true, force: true });
});

const textInput = (text: string) => at.assistant.say({ type: "text_input", sessionId: at.sessionId, text });
const chat = (message: string) => at.linggen.chat(message, { session_id: at.sessionId });

/** Nothing runs or waits, and this many turns have ended. */
async function rests(turns: number): Promise<void> {
  await until(`${turns} turns to have ended`, () => at.of("turn_end").length >= turns);
  await until("rest", () => !isRunning(at.transcript().head) && at.transcript().head.queue.length === 0);
}

async function talk(): Promise<void> {
  await at.command({ type: "send", text: "say hello to everybody", clientMessageId: "own-1" });
  await rests(2);
  await chat("tools");
  await rests(3);

  // A question: asked over 003, answered over 001, while a message of 004 waits for its turn.
  at.write({ type: "prompt", text: "@ling ask" });
  const asked = await at.linggen.seesKind("ask_user");
  const overlay = await at.rpc.next("ui_request");
  await at.assistant.seesChat({ type: "custom_message", payload: { label: "question" } });
  textInput("@ling say later");
  await at.assistant.sees({ type: "message_queued", position: 1 });
  await at.linggen.sees((frame) => frame.kind === "queue" && frame.text === "Queued 1 message");
  const { question_id } = asked.data as unknown as { question_id: string };
  const answers = [{ question_index: 0, selected: ["BLUE"], custom_text: null }];
  const answered = await at.linggen.ask("POST", "/api/ask-user-response", { question_id, answers });
  expect(answered).toEqual({ status: 200, body: { status: "ok" } });
  expect(await at.rpc.next("ui_cancel")).toMatchObject({ id: overlay.id, reason: "answered_elsewhere" });
  await rests(5);

  // An approval: asked over ACP, answered over 003; the editor's own dialog is withdrawn.
  const prompt = at.editor.prompt(at.sessionId, "@ling approve");
  const approval = await at.rpc.next("ui_request");
  await at.editor.until("the permission", () => at.editor.permissions.length === 1);
  at.write({ type: "ui_response", id: approval.id, result: "allow", error: null });
  expect(await prompt).toEqual({ stopReason: "end_turn" });
  await rests(6);

  // Stopped in a text, over 004; stopped in a call, over 003; failed, over 001.
  textInput("@ling hold");
  await at.assistant.seesChat({ type: "assistant_chunk", payload: { text: "wait " } });
  at.assistant.say({ type: "control", action: "cancel", target: "output", sessionId: at.sessionId });
  await rests(7);
  await at.command({ type: "send", text: "@ling hold-tool", clientMessageId: "own-2" });
  await until("the call", () => at.of("tool_call_start").some((call) => call.name === "bash"));
  at.write({ type: "abort" });
  await rests(8);
  await chat("fail");
  await rests(9);

  // And one that somebody wrote into the thread, behind all that was said before.
  const said = at.of("user_message").length + at.of("turn_end").length;
  await until("the thread to have it all", () => at.of("mirrored").length === said);
  writeAsKingdom(await at.thread(), "king", "coder", "say read in the thread");
  await rests(10);
}

/** Every wire's frames, folded back by one who knows only that wire. */
async function shownBy(): Promise<Record<string, () => Conversation>> {
  const thread = await at.thread();
  const directory = await at.exported();
  const [session] = listSessions(directory);
  const lines = readTree(directory, session?.sessionId ?? "").get("") ?? [];
  const loaded = await reload(at.door, at.sessionId);
  return {
    "000": () => ofThread(readThread(thread)),
    "001": () => ofFrames(at.linggen.frames),
    "002": () => ofSprout(lines),
    "003": () => ofRead(at.rpc.session()),
    "004": () => ofShown(at.assistant.shown()),
    "004, loaded again": () => ofShown(loaded),
    acp: () => ofEditor(at.editor),
  };
}

const isTool = (item: object) => "tool" in item;
/** The editor shows its own user's words by itself. */
const isEditors = (item: object) => "text" in item && item.text === "approve";

test("every wire at once shows the same conversation: who said what, which tools were used, how each came out", async () => {
  const whole = ofTranscript(at.transcript());
  const expected: Record<string, Conversation> = {
    "000": without(whole, isTool),
    "001": renamed(whole, { bash: "Bash" }),
    acp: without(whole, isEditors),
  };
  for (const [wire, shown] of Object.entries(await shownBy())) {
    await expect
      .poll(() => ({ wire, shown: shown() }), { timeout: patient(20_000) })
      .toEqual({ wire, shown: expected[wire] ?? whole });
  }
  expect(whole).toEqual({
    user: [
      { text: "say hello to everybody" },
      { text: "tools" },
      { text: "ask" },
      { text: "say later" },
      { text: "approve" },
      { text: "hold" },
      { text: "hold-tool" },
      { text: "fail" },
      { text: "say read in the thread" },
    ],
    ling: [
      { text: "hello to everybody I look first." },
      { tool: "Read", state: "done" },
      { tool: "Bash", state: "failed" },
      { text: 'The answer is 42. You said {"colour":"blue"}. later' },
      { tool: "Edit", state: "done" },
      { text: "Edited. I wait" },
      { tool: "bash", state: "failed" },
      { text: "Half of" },
    ],
    coder: [{ text: "hello to everybody read in the thread" }],
  });
});

const count = (list: readonly string[], what: string) => list.filter((one) => one === what).length;

test("every wire that has a word for it says of as many turns that they were stopped, and that one failed", async () => {
  const ended = at.of("turn_end").map(({ outcome }) => outcome);
  expect([count(ended, "interrupted"), count(ended, "errored")]).toEqual([2, 1]);

  const bodies = readThread(await at.thread()).messages.map(({ body }) => body);
  const marked = (mark: string) => bodies.filter((body) => body.includes(mark)).length;
  expect([marked("*Interrupted*") + marked("*[Interrupted"), marked("*Error: ")]).toEqual([2, 1]);

  const runs = Runs.parse(await at.linggen.get("/api/agent-runs", { session_id: at.sessionId }));
  const statuses = runs.map(({ status }) => status);
  expect([count(statuses, "cancelled"), count(statuses, "failed")]).toEqual([2, 1]);

  const directory = await at.exported();
  const kinds = (readTree(directory, at.sessionId).get("") ?? []).map(({ kind }) => kind);
  expect([count(kinds, "interrupted"), count(kinds, "error")]).toEqual([2, 1]);

  expect([at.rpc.wrong, at.rpc.session().faults]).toEqual([[], []]);
  const reasons = at.rpc.session().messages.flatMap((one) => (one.role === "assistant" ? [one.stop_reason ?? ""] : []));
  expect([count(reasons, "aborted"), count(reasons, "error")]).toEqual([2, 1]);

  for (const shown of [at.assistant.shown(), await reload(at.door, at.sessionId)]) {
    const turns = [...shown.turns.values()];
    const stopped = turns.filter(({ interrupt }) => interrupt === "user_cancel");
    expect([stopped.length, turns.filter(({ error }) => error !== undefined).length]).toEqual([2, 1]);
    expect([...shown.tools.values()].map(({ state }) => state)).toEqual(["success", "error", "success", "interrupted"]);
    expect(turns.filter(({ isEnded }) => !isEnded)).toEqual([]);
  }

  expect(at.editor.text().match(/^> ling failed: the model is gone$/gm)).toHaveLength(1);
  const { messages } = WorkspaceState.parse(await at.linggen.get("/api/workspace/state", { session_id: at.sessionId }));
  expect(messages.at(-1)?.[1]).toBe("read in the thread");
});
