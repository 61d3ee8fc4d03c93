import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createHandClock } from "../../../../test/agents/hand-clock.ts";
import { scratchTree } from "../../../../test/agents/scratch-tree.ts";
import { settle, startAgent, type AgentProbe } from "../../../../test/agents/agent-probe.ts";
import { UiRequestBody } from "../../../../src/protocol/index.ts";
import { createEmbeddedAgent } from "../../../../src/agents/embedded/agent.ts";
import { scout } from "../scout.ts";
import { tryPhraseNames } from "./phrases.ts";

async function table() {
  const clock = createHandClock();
  const setup = { sessionId: "session", cwd: await scratchTree(), writable: false };
  return { clock, table: await startAgent(createEmbeddedAgent(scout, setup, clock)) };
}

/** Moves the clock whenever the turn waits for it, until the turn has ended. */
async function runThrough(phrase: string): Promise<AgentProbe> {
  const made = await table();
  made.table.ask(phrase);
  while (made.table.all("turn_done").length === 0) {
    await settle();
    if (made.clock.waiting() > 0) made.clock.advance(250);
  }
  return made.table;
}

test("the phrases are exactly these, and help and an unknown phrase list them all", async () => {
  expect(tryPhraseNames.toSorted()).toEqual(
    `approval changes confirm context crash delay editor editor-text error fallback hang input long notify plan question
    retrying select silence slow status thinking title tool-output tools usage widget working`
      .split(/\s+/)
      .toSorted(),
  );
  for (const text of ["scout, what can you do?", "/try", "/try nonsense", "@scout /try nonsense"]) {
    const said = (await runThrough(text)).text();
    for (const name of tryPhraseNames) expect(said).toContain(`- \`/try ${name}`);
  }
  expect((await runThrough("/try nonsense")).text()).toMatch(/^There is no test phrase `nonsense`\./);
});

describe("overlays", () => {
  test.each(["select", "confirm", "input", "editor", "approval", "question"])(
    "/try %s asks and says the answer",
    async (name) => {
      const { table: made } = await table();
      made.ask(`/try ${name}`);
      const { callId, request } = await made.next("request");
      expect(UiRequestBody.parse(request)).toEqual(request);
      expect(request.method).toBe(name);
      if (request.method === "approval") {
        expect(request.callHash).toBe(createHash("sha256").update(request.call).digest("hex"));
      }
      made.agent.answer(callId, { result: { chosen: "this" }, error: null });
      await made.next("turn_done");
      expect(made.text()).toContain('You answered `{"chosen":"this"}`.');
    },
  );

  test("a request without an answer reports the default that was used", async () => {
    const { table: made } = await table();
    made.ask("/try confirm");
    const { callId } = await made.next("request");
    made.agent.answer(callId, { result: false, error: "expired" });
    await made.next("turn_done");
    expect(made.text()).toContain("No answer (`expired`); the default was used: `false`.");
  });
});

const SHOWN: readonly [string, string, number][] = [
  ["notify", "ui_notify", 4],
  ["status", "ui_status", 2],
  ["widget", "ui_widget", 2],
  ["working", "ui_working", 2],
  ["title", "ui_set_title", 1],
  ["editor-text", "ui_set_editor_text", 1],
  ["plan", "plan_update", 4],
  ["changes", "change_report", 1],
  ["retrying", "retrying", 2],
  ["fallback", "model_fallback", 1],
  ["usage", "usage", 1],
  ["context", "context_update", 1],
];

test.each(SHOWN)("/try %s brings up %s, %i times, and completes", async (phrase, type, times) => {
  const made = await runThrough(`/try ${phrase}`);
  expect(made.events.filter((event) => event.type === type)).toHaveLength(times);
  expect(made.events.at(-1)).toMatchObject({ type: "turn_done", outcome: "completed" });
});

test("a temporary signal is removed again", async () => {
  expect((await runThrough("/try status")).all("ui_status").map((event) => event.text)).toEqual([
    "scout: trying the status",
    null,
  ]);
  expect((await runThrough("/try widget")).all("ui_widget").at(-1)?.content).toBeNull();
  expect((await runThrough("/try working")).all("ui_working").at(-1)?.message).toBeNull();
});

test("/try error ends with an intended error, /try crash with an internal one", async () => {
  const meant = (await runThrough("/try error")).events.at(-1);
  expect(meant).toMatchObject({ outcome: "errored", error: { code: "unsupported", hint: expect.any(String) } });
  const fault = (await runThrough("/try crash")).events.at(-1);
  expect(fault).toMatchObject({ outcome: "errored", reason: "crashed", error: { code: "crashed" } });
});

test.each([
  ["3s", 3_000],
  ["500ms", 500],
  ["2", 2_000],
  ["1m", 60_000],
  ["", 3_000],
  ["nonsense", 3_000],
  ["99999m", 600_000],
])("/try delay %s waits %i ms and then answers", async (argument, ms) => {
  const { clock, table: made } = await table();
  made.ask(`/try delay ${argument}`);
  await settle();
  clock.advance(ms - 1);
  await settle();
  expect(made.events).toEqual([]);
  clock.advance(1);
  await made.next("turn_done");
  expect(made.text()).toContain(`That took ${ms / 1_000} s`);
});

test.each([
  ["/try slow", 60],
  ["/try slow 3", 3],
])("%s streams step by step and answers a steer in the same turn", async (phrase, steps) => {
  const { clock, table: made } = await table();
  made.ask(phrase);
  await made.next("text_delta");
  made.agent.send({ kind: "steer", messageId: "m1", text: "hurry up" });
  while (made.all("turn_done").length === 0) {
    await settle();
    clock.advance(250);
  }
  expect(made.all("steered")).toEqual([{ type: "steered", messageId: "m1" }]);
  const step = (at: number) => `Step ${at} of ${steps}, at leisure. `;
  expect(made.text().startsWith(`${step(1)}\n\nYou said: hurry up\n\n${step(2)}`)).toBe(true);
  expect(made.text().endsWith(`${step(steps)}Done.\n`)).toBe(true);
});

test.each([0, 1, 10, 1_000, 200_000])(
  "/try long %i writes exactly that many characters in small chunks",
  async (chars) => {
    const made = await runThrough(`/try long ${chars}`);
    expect(made.text().length).toBe(chars);
    expect(Math.max(0, ...made.all("text_delta").map((event) => event.text.length))).toBeLessThan(60);
    expect(
      made
        .text()
        .split("\n")
        .filter((line) => line.startsWith("```")).length % 2,
    ).toBe(0);
  },
);

test("/try thinking thinks before it speaks; /try silence says nothing", async () => {
  const thinking = await runThrough("/try thinking");
  const types = thinking.events.map((event) => event.type);
  expect(types.indexOf("thinking_delta")).toBeLessThan(types.indexOf("text_delta"));
  expect(thinking.all("thinking_done")).toHaveLength(2);
  const silence = await runThrough("/try silence");
  expect(silence.events.map((event) => event.type)).toEqual(["turn_done"]);
});

test("/try hang runs until it is interrupted", async () => {
  const { clock, table: made } = await table();
  made.ask("/try hang");
  for (let hour = 0; hour < 5; hour++) {
    await settle();
    clock.advance(3_600_000);
  }
  expect(made.all("turn_done")).toEqual([]);
  made.agent.interrupt();
  expect((await made.next("turn_done")).outcome).toBe("interrupted");
});

test("/try tools runs four calls at once, one of which fails", async () => {
  const made = await runThrough("/try tools");
  const types = made.events.map((event) => event.type).filter((type) => type.startsWith("tool_"));
  expect(types.slice(0, 4).filter((type) => type === "tool_result")).toEqual([]);
  expect(made.all("tool_result").filter((event) => !event.ok)).toMatchObject([{ error: { code: "tool_error" } }]);
  expect(made.all("tool_result")).toHaveLength(4);
  expect(made.text()).toContain("3 succeeded, 1 failed.");
});

test("/try tool-output streams the lines and says that the result is only their end", async () => {
  const made = await runThrough("/try tool-output 5000");
  const output = made
    .all("tool_output_delta")
    .map((event) => event.text)
    .join("");
  expect(output.split("\n").length - 1).toBe(5_000);
  const [result] = made.all("tool_result");
  expect(result?.truncated?.totalBytes).toBe(Buffer.byteLength(output));
  expect(output.endsWith(result?.result ?? "?")).toBe(true);
});
