/** Settings, projects, and the contents of a project. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createClient, createConnectionPair } from "../../../src/client/index.ts";
import { fromSnapshot } from "../../../src/transcript/index.ts";
import type { Frame } from "./frame-schemas.ts";
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

const isDone = (frame: Frame) => frame.kind === "turn_complete";
const save = (body: object) => client.ask("POST", "/api/settings", body);

async function headOf(sessionId: string) {
  const [here, there] = createConnectionPair();
  wire.host.serve(there);
  const own = await createClient(async () => here, { clientId: "test" });
  const head = fromSnapshot(await own.snapshot(sessionId))?.head;
  own.close();
  if (head === undefined) throw new Error("no such session");
  return head;
}

test("settings are saved, returned unchanged, survive a restart, and are sent to other screens", async () => {
  const before = (await client.get("/api/settings")) as Record<string, unknown>;
  const agents = [{ id: "ling", spec_path: "agents/ling.md", model: "small" }];
  const server = { port: 1234 };
  const changed = { theme: "dark", agents, server, mine: { a: [1, null, "two"] } };
  expect(await save({ ...before, ...changed })).toEqual({ status: 200, body: { status: "ok" } });
  await client.seesKind("run/sync");
  expect(await client.get("/api/settings")).toEqual({ ...before, ...changed });
  expect(await client.get("/api/config")).toEqual({ ...before, ...changed });
  await wire.close();
  wire = await openWire({ directory: wire.cwd });
  client.close();
  client = await openLinggenClient(wire.compat.url, wire.cwd);
  expect(await client.get("/api/settings")).toMatchObject(changed);
});

test("a model applies to new sessions, and to an existing one from its next message on", async () => {
  const { session_id } = await client.chat("say one");
  const first = await client.sees(isDone);
  await save({ model: "large", agents: [{ id: "coder", spec_path: "", model: "tiny" }] });
  expect(await client.get("/api/agents")).toMatchObject([
    { name: "ling", model: "large" },
    { name: "coder", model: "tiny" },
  ]);
  await client.chat("say two", { session_id });
  await client.sees((frame) => isDone(frame) && frame.seq > first.seq);
  const head = await headOf(session_id);
  expect([head.members["ling"]?.model, head.members["coder"]?.model]).toEqual(["large", "tiny"]);
  const made = await client.ask("POST", "/api/sessions", { project_root: wire.cwd, title: "New" });
  const { members } = await headOf((made.body as { id: string }).id);
  expect([members["ling"]?.spec.model, members["coder"]?.spec.model]).toEqual(["large", "tiny"]);
});

test("prompts apply to new sessions; the one for all members also to existing sessions", async () => {
  const { session_id } = await client.chat("say one");
  const first = await client.sees(isDone);
  await save({ prompts: { system: "Be brief.", coder: "Write tests." } });
  await client.chat("say two", { session_id });
  await client.sees((frame) => isDone(frame) && frame.seq > first.seq);
  expect((await headOf(session_id)).settings?.prompt).toBe("Be brief.");
  const made = await client.ask("POST", "/api/sessions", { project_root: wire.cwd, title: "New" });
  const { settings, members } = await headOf((made.body as { id: string }).id);
  expect(settings?.prompt).toBe("Be brief.");
  expect(members["coder"]?.spec.prompt).toBe("Write tests.");
});

test("no saved setting starts a program, passes on a key or changes an address", async () => {
  const models = [{ id: "small", provider: "openai", model: "small", url: "http://example.com", api_key: "k-123" }];
  const agents = [
    { id: "ling", spec_path: "/bin/sh", command: ["sh", "-c", "id"], baseUrl: "http://x", env: ["HOME"] },
  ];
  expect((await save({ models, agents, agent: { write_safety_mode: "off" } })).status).toBe(200);
  const returned = (await client.get("/api/settings")) as { models: unknown };
  expect(returned.models).toEqual([{ ...models[0], api_key: "***" }]);
  expect(readFileSync(join(wire.dataDir, "compat-linggen.json"), "utf8")).not.toContain("k-123");
  const made = await client.ask("POST", "/api/sessions", { project_root: wire.cwd, title: "New" });
  const { settings, members } = await headOf((made.body as { id: string }).id);
  expect(members["ling"]?.spec).toEqual({ name: "ling", kind: "embedded", model: "small" });
  expect(settings?.writable).toBe(false);
  expect((await save({ model: "--dangerously-skip-permissions" })).status).toBe(200);
  expect(await client.get("/api/agents")).toMatchObject([{ name: "ling", model: "small" }, {}]);
});

test("a project is added by its path, used, and removed again", async () => {
  const other = realpathSync(mkdtempSync(join(tmpdir(), "rt-project-")));
  const ask = (method: string, path: string) => client.ask(method, "/api/projects", { path });
  expect((await client.ask("GET", `/api/sessions?project_root=${other}`)).status).toBe(404);
  expect(await ask("POST", other)).toEqual({ status: 200, body: { ok: true } });
  expect(await ask("POST", other)).toEqual({ status: 200, body: { ok: true } });
  const listed = (await client.get("/api/projects")) as { path: string }[];
  expect(listed.map((project) => project.path)).toEqual([wire.cwd, other]);
  expect(await ask("DELETE", other)).toEqual({ status: 200, body: { ok: true } });
  await ask("POST", other);
  const { session_id } = await client.chat("say hello", { project_root: other });
  await client.sees(isDone);
  expect((await headOf(session_id)).cwd).toBe(other);
  expect((await ask("DELETE", other)).status).toBe(409);
  for (const path of ["relative", join(other, "missing"), "/dev/null", ""])
    expect((await ask("POST", path)).status).toBe(400);
});

test("files are listed a directory at a time, and none outside the project", async () => {
  mkdirSync(join(wire.cwd, "src"));
  writeFileSync(join(wire.cwd, "src", "main.ts"), "");
  writeFileSync(join(wire.cwd, "read me.md"), "");
  symlinkSync(tmpdir(), join(wire.cwd, "out"));
  const files = (path: string) => client.get("/api/files", { path });
  expect(await client.get("/api/files")).toEqual([
    { name: "data", isDir: true, path: "data" },
    { name: "src", isDir: true, path: "src" },
    { name: "out", isDir: false, path: "out" },
    { name: "read me.md", isDir: false, path: "read me.md" },
  ]);
  expect(await files("src")).toEqual([{ name: "main.ts", isDir: false, path: "src/main.ts" }]);
  for (const path of ["..", "src/../..", "/etc", "out"]) await expect(files(path)).rejects.toThrow("400 []");
  await expect(files("nothing")).rejects.toThrow("404 []");
});

test("skills are those that agents find in the project", async () => {
  const skill = (name: string, text: string) => {
    mkdirSync(join(wire.cwd, ".claude", "skills", name), { recursive: true });
    writeFileSync(join(wire.cwd, ".claude", "skills", name, "SKILL.md"), text);
  };
  skill("review", '---\nname: review\ndescription: "Reviews a change"\nargument-hint: <branch>\n---\nLook closely.\n');
  skill("notes", "---\nname: notes\ndescription: >\n  Writes\n  notes\n---\n");
  skill("broken", "no head");
  const found = (await client.get("/api/skills")) as { name: string; source: { type: string } }[];
  expect(found.filter(({ source }) => source.type === "Project")).toEqual([
    expect.objectContaining({ name: "notes", description: "Writes notes", content: "" }),
    expect.objectContaining({
      name: "review",
      description: "Reviews a change",
      content: "Look closely.",
      argument_hint: "<branch>",
      tool_defs: [],
      trigger: null,
    }),
  ]);
});
