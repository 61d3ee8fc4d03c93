/** A client that knows only linggen's protocol, through every user action. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { systemClock } from "../../../src/kit/clock.ts";
import { newId } from "../../../src/kit/ids.ts";
import { QueueItems, RunContext, Runs, WorkspaceState, type Frame } from "./frame-schemas.ts";
import { openLinggenClient, type LinggenClient } from "./linggen-client.ts";
import { openWire, type OpenWire } from "./open-wire.ts";

let wire: OpenWire;
let client: LinggenClient;

beforeEach(async () => {
  wire = await openWire();
  client = await openLinggenClient(wire.compat.url, wire.cwd);
});

afterEach(async () => {
  client.close();
  await wire.close();
});

const data = (frame: Frame) => (frame.data ?? {}) as Record<string, unknown>;
const isMessage = (text: string) => (frame: Frame) => frame.kind === "message" && frame.text === text;
const isDone = (frame: Frame) => frame.kind === "turn_complete";

async function history(sessionId: string): Promise<string[]> {
  const state = WorkspaceState.parse(await client.get("/api/workspace/state", { session_id: sessionId }));
  return state.messages.map(([{ from, to }, text]) => `${from} > ${to}: ${text}`);
}

async function runsOf(sessionId: string) {
  return Runs.parse(await client.get("/api/agent-runs", { session_id: sessionId }));
}

test("a first message opens a session, streams, and is the same after a reload", async () => {
  const { status, session_id } = await client.chat("Please say hello to one and all here");
  expect(status).toBe("started");
  await client.sees(isDone);
  await client.seesKind("run/outcome");
  const spoken = "hello to one and all here";
  const tokens = client.frames.filter((frame) => frame.kind === "token").map((frame) => frame.text);
  expect(tokens.join("")).toBe(spoken);
  const messages = ["user > ling: Please say hello to one and all here", `ling > user: ${spoken}`];
  expect(client.folded().messages).toEqual(messages);
  expect(await history(session_id)).toEqual(messages);
  expect(await client.get("/api/sessions")).toMatchObject([
    { id: session_id, repo_path: wire.cwd, title: "Please say hello to one and..." },
  ]);
  await client.sees((frame) => frame.id.startsWith("act-") && data(frame)["status"] === "idle");
  expect(client.folded().statuses).toEqual({ ling: "idle" });
});

test("tools are statuses with the text that clients parse, and closed blocks", async () => {
  await client.chat("tools");
  await client.sees(isDone);
  const statuses = client.frames
    .filter((frame) => frame.kind === "activity" && frame.phase === "doing")
    .map((frame) => `${String(data(frame)["status"])} ${frame.text}`);
  expect(statuses).toEqual([
    "model_loading Loading model: small",
    "thinking Thinking...",
    "working Running",
    "calling_tool Reading file: src/main.ts",
    "calling_tool Read file: src/main.ts",
    "working Running",
    "calling_tool Running command: npm test",
    "calling_tool Command failed: npm test",
    "working Running",
  ]);
  const blocks = client.frames.filter((frame) => frame.kind === "content_block").map((frame) => data(frame));
  expect(blocks.map((block) => block["tool"] ?? block["status"])).toEqual(["Read", "done", "Bash", "failed"]);
  const lines = client.frames.filter((frame) => frame.kind === "tool_progress").map((frame) => frame.text);
  expect(lines).toEqual(["one", "two", "thr"]);
  await client.seesKind("run/change_report");
  expect(client.folded().messages).toEqual([
    "user > ling: tools",
    "ling > user: I look first.",
    "ling > user: The answer is 42.",
  ]);
});

test("no event of a run is sent before the reply to its message, also when the run ends at once", async () => {
  // A long head start: anything sent early is noticed.
  const compatClock = { ...systemClock, after: (ms: number, run: () => void) => systemClock.after(ms * 100, run) };
  const slow = await openWire({ compatClock });
  const listener = await openLinggenClient(slow.compat.url, slow.cwd);
  try {
    const { session_id } = await listener.chat("say hello");
    await vi.waitUntil(async () => {
      const runs = Runs.parse(await listener.get("/api/agent-runs", { session_id }));
      return runs.some((run) => run.status === "completed");
    });
    expect(listener.frames.filter((frame) => frame.kind !== "run")).toEqual([]);
    await listener.sees(isDone);
    expect(listener.folded().messages).toEqual(["user > ling: say hello", "ling > user: hello"]);
  } finally {
    listener.close();
    await slow.close();
  }
});

test("a question is answered by its labels or with text; a second answer is 410, an unknown one 404", async () => {
  await client.chat("ask");
  const asked = await client.seesKind("ask_user");
  const question_id = data(asked)["question_id"];
  expect(data(asked)["questions"]).toMatchObject([
    {
      question: "Which colour?",
      header: "Colour",
      options: [{ label: "RED" }, { label: "BLUE" }],
      multi_select: false,
    },
  ]);
  const answers = [{ question_index: 0, selected: ["BLUE"], custom_text: null }];
  const respond = (id: unknown) => client.ask("POST", "/api/ask-user-response", { question_id: id, answers });
  expect(await respond(question_id)).toEqual({ status: 200, body: { status: "ok" } });
  await client.sees(isMessage('You said {"colour":"blue"}.'));
  expect(await respond(question_id)).toEqual({ status: 410, body: { error: "Question already expired" } });
  expect(await respond(newId())).toEqual({ status: 404, body: { error: "Unknown question_id" } });
});

test("a permission has exactly the options of its card, and each has the effect it names", async () => {
  const { session_id } = await client.chat("approve");
  const first = await client.seesKind("ask_user");
  expect(data(first)["questions"]).toMatchObject([
    {
      header: "Permission",
      options: ["Allow once", "Allow all Edit for this task", "Allow all Edit for this project", "Cancel"].map(
        (label) => ({ label }),
      ),
    },
  ]);
  const respond = (frame: Frame, label: string) =>
    client.ask("POST", "/api/ask-user-response", {
      question_id: data(frame)["question_id"],
      answers: [{ question_index: 0, selected: [label], custom_text: null }],
    });
  expect((await respond(first, "Allow once")).status).toBe(200);
  await client.sees(isMessage("Edited."));
  const ended = await client.sees(isDone);
  await client.chat("approve", { session_id });
  const second = await client.seesKind("ask_user", ended);
  expect((await respond(second, "Cancel")).status).toBe(200);
  await client.sees(isMessage("Not edited."));
  await client.sees((frame) => frame.text === "Edit failed: a.ts");
});

test("a message to a busy agent is queued, shown at once, and asked when the agent is free", async () => {
  const { session_id } = await client.chat("hold");
  await client.seesKind("token");
  expect(await client.chat("say later", { session_id })).toEqual({ status: "queued", session_id });
  const queued = await client.sees((frame) => frame.kind === "queue" && frame.text === "Queued 1 message(s)");
  expect(queued).toMatchObject({ session_id, project_root: wire.cwd, agent_id: "ling" });
  expect(QueueItems.parse(data(queued)["items"])).toMatchObject([
    { preview: "say later", agent_id: "ling", session_id },
  ]);
  await client.sees(isMessage("say later"));
  expect(await history(session_id)).toContain("user > ling: say later");
  const late = await openLinggenClient(wire.compat.url, wire.cwd);
  await late.sees((frame) => frame.kind === "queue" && frame.text === "Queued 1 message(s)");
  await late.sees((frame) => frame.kind === "token" && frame.text?.startsWith("I ") === true);
  late.close();
  const run = (await runsOf(session_id)).find((one) => one.status === "running");
  const cancelled = await client.ask("POST", "/api/agent-cancel", { run_id: run?.run_id });
  expect(cancelled).toEqual({ status: 200, body: { cancelled_run_ids: [run?.run_id] } });
  await client.sees(isDone);
  await client.sees(isMessage("later"));
  await client.sees((frame) => frame.kind === "queue" && frame.text === "Queued 0 message(s)");
  expect(client.folded().messages.filter((one) => one === "user > ling: say later")).toHaveLength(1);
});

test("a message that waits for a running turn is queued until it is steered, and follows a cancel", async () => {
  const steered = await openWire({ members: [{ name: "ling", kind: "embedded", model: "steered" }] });
  const page = await openLinggenClient(steered.compat.url, steered.cwd);
  const seesQueue = (text: string, from = 0) =>
    page.sees((frame) => frame.kind === "queue" && frame.text === text && frame.seq > from);
  const { session_id } = await page.chat("hold");
  await page.seesKind("token");
  expect(await page.chat("take this along", { session_id })).toEqual({ status: "queued", session_id });
  const taken = await seesQueue("Queued 1 message(s)");
  expect(QueueItems.parse(data(taken)["items"])).toMatchObject([{ preview: "take this along", agent_id: "ling" }]);
  const empty = await seesQueue("Queued 0 message(s)");
  expect(await page.chat("say later", { session_id })).toEqual({ status: "queued", session_id });
  await seesQueue("Queued 1 message(s)", empty.seq);
  expect(await page.get("/api/queue", { session_id })).toMatchObject({ items: [{ preview: "say later" }] });
  const late = await openLinggenClient(steered.compat.url, steered.cwd);
  await late.sees((frame) => frame.kind === "queue" && frame.text === "Queued 1 message(s)");
  late.close();
  const runs = Runs.parse(await page.get("/api/agent-runs", { session_id }));
  await page.ask("POST", "/api/agent-cancel", { run_id: runs.find((one) => one.status === "running")?.run_id });
  await page.sees(isMessage("later"));
  await seesQueue("Queued 0 message(s)", empty.seq);
  expect(page.folded().messages.filter((one) => one === "user > ling: say later")).toHaveLength(1);
  page.close();
  await steered.close();
});

test("a removed queue item is never asked", async () => {
  const { session_id } = await client.chat("hold");
  await client.seesKind("token");
  await client.chat("say never", { session_id });
  await client.sees((frame) => frame.kind === "queue" && frame.text === "Queued 1 message(s)");
  const cleared = await client.ask("POST", "/api/queue/clear", { project_root: wire.cwd, session_id });
  expect(cleared).toEqual({ status: 200, body: { ok: true, cleared: 1 } });
  await client.sees((frame) => frame.kind === "queue" && frame.text === "Queued 0 message(s)");
  expect(await history(session_id)).not.toContain("user > ling: say never");
});

test("a cancel during text keeps the text, during a tool closes the tool; neither is ever completed", async () => {
  const { session_id } = await client.chat("hold");
  await client.seesKind("token");
  const cancelRunning = async () => {
    const running = (await runsOf(session_id)).find((run) => run.status === "running");
    return client.ask("POST", "/api/agent-cancel", { run_id: running?.run_id });
  };
  expect((await cancelRunning()).status).toBe(200);
  const first = await client.sees(isDone);
  await client.chat("hold-tool", { session_id });
  await client.seesKind("content_block/start", first);
  expect((await cancelRunning()).status).toBe(200);
  await client.sees((frame) => isDone(frame) && frame.seq > first.seq);
  expect(Object.values(client.folded().tools)).toEqual(["failed"]);
  expect((await runsOf(session_id)).map((run) => run.status)).toEqual(["cancelled", "cancelled"]);
  expect(await history(session_id)).toEqual(["user > ling: hold", "ling > user: I wait ", "user > ling: hold-tool"]);
  expect((await client.ask("POST", "/api/agent-cancel", { run_id: newId() })).status).toBe(404);
});

test("an error is a message of the agent, and the run has failed", async () => {
  const { session_id } = await client.chat("fail");
  await client.sees(isMessage("Error: the model is gone"));
  await client.sees(isDone);
  expect(await runsOf(session_id)).toMatchObject([{ status: "failed", detail: "the model is gone", agent_id: "ling" }]);
  expect(await history(session_id)).toEqual([
    "user > ling: fail",
    "ling > user: Half of ",
    "ling > user: Error: the model is gone",
  ]);
});

test("a subagent is a child run with its own tools and id, and its text is not the agent's", async () => {
  const { session_id } = await client.chat("team");
  await client.sees((frame) => isDone(frame) && frame.agent_id === "ling");
  const spawned = await client.seesKind("run/subagent_spawned");
  const subagent = String(data(spawned)["subagent_id"]);
  expect(subagent).toMatch(/^coder-/);
  const blocks = client.frames.filter((frame) => frame.kind === "content_block");
  expect(blocks.map((frame) => [frame.agent_id, data(frame)["parent_id"]])).toEqual([
    [subagent, "ling"],
    [subagent, "ling"],
  ]);
  const parent = (await runsOf(session_id)).find((run) => run.parent_run_id === null);
  const runId = parent?.run_id ?? "";
  const children = Runs.parse(await client.get("/api/agent-children", { run_id: runId }));
  expect(children).toMatchObject([
    { agent_id: subagent, agent_kind: "subagent", parent_run_id: runId, status: "completed" },
  ]);
  const raw = RunContext.parse(await client.get("/api/agent-context", { run_id: runId, view: "raw" }));
  expect(raw.messages?.map((one) => `${one.from_id}: ${one.content}`)).toEqual([
    "user: team",
    "ling: The answer is 42.",
  ]);
  const summary = RunContext.parse(await client.get("/api/agent-context", { run_id: runId, view: "summary" }));
  expect(summary.messages).toBeNull();
  expect(await history(session_id)).toEqual(["user > ling: team", "ling > user: The answer is 42."]);
});

test("a requested plan waits for approval, and then its member starts", async () => {
  const { session_id } = await client.chat("/plan plan the work");
  const shown = await client.seesKind("run/plan_update");
  expect(data(shown)["plan"]).toMatchObject({
    summary: "Two steps",
    status: "planned",
    items: [{ title: "look" }, { title: "change" }],
  });
  const outcome = await client.seesKind("run/outcome");
  expect(data(outcome)["outcome"]).toMatchObject({ type: "plan", status: "planned" });
  await client.sees(isDone);
  const plan = { project_root: wire.cwd, agent_id: "ling", session_id };
  expect(await client.ask("POST", "/api/plan/edit", { ...plan, text: "say planned" })).toEqual({
    status: 200,
    body: { ok: true },
  });
  expect(await client.ask("POST", "/api/plan/approve", plan)).toEqual({ status: 200, body: { status: "approved" } });
  await client.sees(isMessage("planned"));
  const none = { status: 404, body: { error: "There is no pending plan" } };
  expect(await client.ask("POST", "/api/plan/approve", plan)).toEqual(none);
  expect(await client.ask("POST", "/api/plan/reject", plan)).toEqual(none);
});

test("`@agent` asks that agent; an unknown agent or project is 404", async () => {
  const { session_id } = await client.chat("@coder say mine");
  await client.sees((frame) => isMessage("mine")(frame) && frame.agent_id === "coder");
  const base = { project_root: wire.cwd, agent_id: "ling", message: "say it" };
  expect((await client.ask("POST", "/api/chat", { ...base, agent_id: "nobody" })).status).toBe(404);
  expect((await client.ask("POST", "/api/chat", { ...base, project_root: "/etc" })).status).toBe(404);
  expect((await client.ask("POST", "/api/chat", { ...base, session_id: newId() })).status).toBe(404);
  expect(await client.get("/api/sessions")).toMatchObject([{ id: session_id }]);
});

test("thinking is marked, ends with an empty token, and is no part of the answer", async () => {
  await client.chat("think");
  await client.sees(isDone);
  const thinking = client.frames.filter((frame) => frame.kind === "token" && data(frame)["thinking"] === true);
  expect(thinking.map(({ text, phase }) => ({ text, phase }))).toEqual([
    { text: "Hm.", phase: undefined },
    { text: "", phase: "done" },
  ]);
  expect(client.folded().messages.at(-1)).toBe("ling > user: The answer is 42.");
});

test("two clients get the same conversation, each with its own numbers from 1", async () => {
  const other = await openLinggenClient(wire.compat.url, wire.cwd);
  await client.chat("say to both");
  await Promise.all([client.sees(isDone), other.sees(isDone)]);
  expect(other.folded().messages).toEqual(client.folded().messages);
  expect(other.frames[0]?.seq).toBe(1);
  expect(client.frames[0]?.seq).toBe(1);
  other.close();
});

test("two answers with the same text in one second are two messages of the history", async () => {
  const { session_id } = await client.chat("answer");
  const first = await client.sees(isDone);
  await client.chat("answer", { session_id });
  await client.sees((frame) => isDone(frame) && frame.seq > first.seq);
  const state = WorkspaceState.parse(await client.get("/api/workspace/state", { session_id }));
  const keys = state.messages.map(([{ from, to, ts }, text]) => `${from}|${to}|${ts}|${text}`);
  expect(new Set(keys).size).toBe(4);
});

test("a session is created, renamed and archived, and its project, agents, models and settings can be read", async () => {
  const made = await client.ask("POST", "/api/sessions", { project_root: wire.cwd, title: "Mine" });
  const { id } = made.body as { id: string };
  const renamed = await client.ask("PATCH", "/api/sessions", { project_root: wire.cwd, session_id: id, title: "Ours" });
  expect(renamed.status).toBe(200);
  expect(await client.get("/api/sessions")).toMatchObject([{ id, title: "Ours" }]);
  expect(await client.get("/api/projects")).toMatchObject([{ path: wire.cwd }]);
  expect(await client.get("/api/agents")).toMatchObject([
    { name: "ling", model: "small" },
    { name: "coder", model: null },
  ]);
  expect(await client.get("/api/models")).toMatchObject([{ id: "small", provider: "embedded" }, { id: "coder" }]);
  expect(await client.get("/api/settings")).toEqual(await client.get("/api/config"));
  expect(await client.get("/api/health")).toEqual({ ok: true });
  expect((await client.ask("DELETE", "/api/sessions", { project_root: wire.cwd, session_id: id })).status).toBe(200);
  expect(await client.get("/api/sessions")).toEqual([]);
});

test("the tree names the files that running agents work on, under the project's name", async () => {
  const { session_id } = await client.chat("approve");
  await client.seesKind("ask_user");
  const name = wire.cwd.split("/").at(-1) ?? "";
  expect(await client.get("/api/workspace/tree")).toMatchObject({
    [name]: {
      type: "dir",
      path: wire.cwd,
      children: { "a.ts": { type: "file", agent: "ling", status: "working", path: "a.ts" } },
    },
  });
  expect(await client.get("/api/pending-ask-user")).toMatchObject([{ agent_id: "ling", session_id }]);
});

test("a picture is attached to its message", async () => {
  const { session_id } = await client.chat("say seen", { images: ["data:image/png;base64,iVBORw0KGgo="] });
  await client.sees(isMessage("seen"));
  const run = (await wire.host.readRuns(session_id)).length;
  expect(run).toBe(0);
  const bad = { project_root: wire.cwd, agent_id: "ling", message: "say it", session_id, images: ["no picture!"] };
  expect((await client.ask("POST", "/api/chat", bad)).status).toBe(400);
});

test("a cancel stops the whole tree of runs: the agent's, its subagent's, and the question that it waits for", async () => {
  const { session_id } = await client.chat("team-hold");
  await client.seesKind("content_block/start");
  const runs = await runsOf(session_id);
  expect(runs.map(({ status }) => status)).toEqual(["running", "running"]);
  const parent = runs.find((run) => run.parent_run_id === null);
  const cancelled = await client.ask("POST", "/api/agent-cancel", { run_id: parent?.run_id });
  const ids = (cancelled.body as { cancelled_run_ids: string[] }).cancelled_run_ids;
  expect(ids.toSorted()).toEqual(runs.map((run) => run.run_id).toSorted());
  expect((await runsOf(session_id)).map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
  await client.sees((frame) => isDone(frame) && frame.agent_id === "ling");
  expect(Object.values(client.folded().tools)).toEqual(["failed"]);

  await client.chat("ask", { session_id });
  const asked = await client.seesKind("ask_user");
  const running = (await runsOf(session_id)).find((run) => run.status === "running");
  await client.ask("POST", "/api/agent-cancel", { run_id: running?.run_id });
  expect(await client.get("/api/pending-ask-user")).toEqual([]);
  const late = { question_id: data(asked)["question_id"], answers: [] };
  expect(await client.ask("POST", "/api/ask-user-response", late)).toEqual({
    status: 410,
    body: { error: "Question already expired" },
  });
});

test("clearing a chat reports how much was removed, and the history starts empty", async () => {
  const { session_id } = await client.chat("say before");
  await client.sees(isDone);
  const cleared = await client.ask("POST", "/api/chat/clear", { project_root: wire.cwd, session_id });
  expect(cleared).toEqual({ status: 200, body: { removed: 2 } });
  expect(await history(session_id)).toEqual([]);
  await client.chat("say after", { session_id });
  await client.sees(isMessage("after"));
  expect(await history(session_id)).toEqual(["user > ling: say after", "ling > user: after"]);
});

test("a stream that names a session gets its events from the first one on, and those of no other", async () => {
  const { id } = (await client.ask("POST", "/api/sessions", { project_root: wire.cwd, title: "Mine" })).body as {
    id: string;
  };
  const own = await openLinggenClient(wire.compat.url, wire.cwd, { query: `?session_id=${id}` });
  await own.get("/api/agent-runs", { session_id: id });
  await client.chat("say elsewhere");
  await client.chat("say here", { session_id: id });
  await own.sees((frame) => frame.kind === "turn_complete");
  expect(own.folded().messages).toEqual(["user > ling: say here", "ling > user: here"]);
  own.close();
});
