/** Behaviour of linggen's own screens beyond the frames: questions one at a time, reloads, lists, pictures. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { systemClock } from "../../../src/kit/clock.ts";
import { fromSnapshot, loadedMessages } from "../../../src/transcript/index.ts";
import { createClient, createConnectionPair } from "../../../src/client/index.ts";
import { Runs, type Frame } from "./frame-schemas.ts";
import { openLinggenClient, type LinggenClient } from "./linggen-client.ts";
import { openWire, type OpenWire } from "./open-wire.ts";
import { patient } from "../../../test/patience.ts";

let laterMs = 0;
let wire: OpenWire;
let client: LinggenClient;

beforeEach(async () => {
  laterMs = 0;
  wire = await openWire({ clock: { ...systemClock, monotonic: () => systemClock.monotonic() + laterMs } });
  client = await openLinggenClient(wire.compat.url, wire.cwd);
});

afterEach(async () => {
  client.close();
  await wire.close();
});

/** Generous: the machine may be busy with other things. */
const WAIT = { timeout: patient(30_000) };

function openOwn() {
  const [here, there] = createConnectionPair();
  wire.host.serve(there);
  return createClient(async () => here, { clientId: "test" });
}

const data = (frame: Frame | undefined) => (frame?.data ?? {}) as Record<string, unknown>;
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const isDone = (frame: Frame) => frame.kind === "turn_complete";
const isText = (frame: Frame) => frame.kind === "token" && frame.text?.startsWith("I ") === true;
const look = (session_id: string, screen = client) => screen.get("/api/workspace/state", { session_id });

test("after one of two open questions is answered, the other is sent again", async () => {
  const { session_id } = await client.chat("ask");
  const first = await client.seesKind("ask_user");
  await client.chat("approve", { session_id, agent_id: "coder" });
  const second = await client.seesKind("ask_user", first);
  const answers = [{ question_index: 0, selected: ["Allow once"], custom_text: null }];
  const { question_id } = data(second);
  expect((await client.ask("POST", "/api/ask-user-response", { question_id, answers })).status).toBe(200);
  const again = await client.seesKind("ask_user", second);
  expect(again.data).toEqual(first.data);
});

test("a new screen gets the current state again when it asks for its session", async () => {
  const { session_id } = await client.chat("hold");
  await client.sees(isText);
  const late = await openLinggenClient(wire.compat.url, wire.cwd);
  const before = await late.sees(isText);
  await look(session_id, late);
  const again = await late.sees((frame) => isText(frame) && frame.seq > before.seq);
  await look(session_id, late);
  await client.chat("say done", { session_id, agent_id: "coder" });
  await late.sees((frame) => isDone(frame) && frame.agent_id === "coder");
  expect(late.frames.filter(isText)).toEqual([before, again]);
  late.close();
});

test("an older screen gets it when it changes the session, not at every request", async () => {
  const { session_id } = await client.chat("hold");
  const before = await client.sees(isText);
  const other = await client.ask("POST", "/api/sessions", { project_root: wire.cwd, title: "Other" });
  laterMs = 60_000;
  await look(session_id);
  const first = await client.sees((frame) => isText(frame) && frame.seq > before.seq);
  await look((other.body as { id: string }).id);
  await look(session_id);
  const second = await client.sees((frame) => isText(frame) && frame.seq > first.seq);
  await look(session_id);
  await client.chat("say done", { session_id, agent_id: "coder" });
  await client.sees((frame) => isDone(frame) && frame.agent_id === "coder");
  expect(client.frames.filter((frame) => isText(frame) && frame.seq > before.seq)).toEqual([first, second]);
});

test("an agent's plan is requested and approved with the terminal client's own messages", async () => {
  await client.chat("/plan plan the work", { agent_id: "coder" });
  const shown = await client.seesKind("run/plan_update");
  expect(client.folded().messages[0]).toBe("user > coder: /plan plan the work");
  await client.sees(isDone);
  const approved = await client.ask("POST", "/api/plan/approve", {
    project_root: wire.cwd,
    agent_id: shown.agent_id,
    clear_context: false,
  });
  expect(approved).toEqual({ status: 200, body: { status: "approved" } });
  await client.sees((frame) => isDone(frame) && frame.seq > shown.seq);
});

test("the agents of a project are its default members and those of its sessions", async () => {
  const { session_id } = await client.chat("say hello");
  await client.sees(isDone);
  const own = await openOwn();
  const spec = { name: "scribe", kind: "embedded" as const };
  await own.command(session_id, { type: "add_member", spec });
  const names = async () => (await client.get("/api/agents")) as { name: string }[];
  await vi.waitFor(async () => {
    expect((await names()).map((one) => one.name)).toEqual(["ling", "coder", "scribe"]);
  }, WAIT);
  await client.chat("say mine", { session_id, agent_id: "scribe" });
  await client.sees((frame) => isDone(frame) && frame.agent_id === "scribe");
  own.close();
});

test("a rejected plan is reported as over and not shown to later clients", async () => {
  const { session_id } = await client.chat("/plan plan the work");
  const shown = await client.seesKind("run/plan_update");
  await client.sees(isDone);
  const rejected = { project_root: wire.cwd, agent_id: "ling", session_id };
  expect((await client.ask("POST", "/api/plan/reject", rejected)).body).toEqual({ status: "rejected" });
  expect(data(await client.seesKind("run/plan_update", shown))["plan"]).toMatchObject({
    status: "completed",
    items: [{ status: "skipped" }, { status: "skipped" }],
  });
  expect(JSON.stringify(await look(session_id))).not.toContain("planned");
});

test("runs are the newest first, also of one second, and the context of one that was cleared is 404", async () => {
  const { session_id } = await client.chat("say one");
  const first = await client.sees(isDone);
  await client.chat("say two", { session_id });
  await client.sees((frame) => isDone(frame) && frame.seq > first.seq);
  const runs = Runs.parse(await client.get("/api/agent-runs", { session_id }));
  const [newest] = runs;
  const context = await client.get("/api/agent-context", { run_id: newest?.run_id ?? "", view: "raw" });
  expect(context).toMatchObject({ messages: [{ content: "say two" }, { content: "two" }] });
  await client.ask("POST", "/api/chat/clear", { project_root: wire.cwd, session_id });
  const gone = await client.ask("GET", `/api/agent-context?run_id=${newest?.run_id ?? ""}`);
  expect(gone).toEqual({ status: 404, body: { error: "Unknown run_id" } });
});

test("a refused message is answered with plain text, because the page would read JSON as a start", async () => {
  const base = { project_root: wire.cwd, agent_id: "ling", message: "say it" };
  const refusals = await Promise.all(
    [
      { ...base, agent_id: "nobody" },
      { ...base, project_root: "/etc" },
      { ...base, message: 7 },
    ].map(async (body) => {
      const headers = { "content-type": "application/json" };
      const answer = await fetch(`${wire.compat.url}/api/chat`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      return { status: answer.status, type: answer.headers.get("content-type"), isJson: isJson(await answer.text()) };
    }),
  );
  const type = "text/plain; charset=utf-8";
  expect(refusals).toEqual([404, 404, 400].map((status) => ({ status, type, isJson: false })));
});

test("sessions, agents and tree of an unknown project are 404 and empty, because the page draws them", async () => {
  const paths = ["sessions", "agents", "workspace/tree"];
  const answers = await Promise.all(paths.map((path) => client.ask("GET", `/api/${path}?project_root=/gone`)));
  expect(answers).toEqual([[], [], {}].map((body) => ({ status: 404, body })));
});

test("an image without a type is recognised by its first bytes", async () => {
  const images = ["/9j/4AAQ", "R0lGODlh", "UklGRgAA", "iVBORw0KGgo="];
  const { session_id } = await client.chat("say seen", { images });
  await client.sees(isDone);
  const own = await openOwn();
  const transcript = fromSnapshot(await own.snapshot(session_id));
  const [asked] = transcript === undefined ? [] : [...loadedMessages(transcript)];
  const types = asked?.kind === "user" ? asked.attachments.map((one) => one.mime) : [];
  expect(types).toEqual(["image/jpeg", "image/gif", "image/webp", "image/png"]);
  own.close();
});
