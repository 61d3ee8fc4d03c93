/** The port for clients of other systems: off unless asked for, checked as everything else, and only for marked sessions. */
import { existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { newId } from "../../src/kit/ids.ts";
import { openLinggenClient } from "../../edges/linggen/test/linggen-client.ts";
import { openWire, type OpenWire } from "../../edges/linggen/test/open-wire.ts";
import { sendRaw } from "./open-server.ts";

let wire: OpenWire | undefined;

afterEach(async () => {
  await wire?.close();
  wire = undefined;
});

const portOf = (url: string) => Number(new URL(url).port);

/** A session of this data directory that nobody marked. */
async function createUnmarked({ server, cwd }: OpenWire): Promise<string> {
  const made = await fetch(`${server.url}/v1/sessions`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
    body: JSON.stringify({ cwd, title: "private" }),
  });
  return ((await made.json()) as { sessionId: string }).sessionId;
}

test("[V140] on the ordinary port the wires ask for the token like everything else", async () => {
  wire = await openWire();
  const { url, token } = wire.server;
  expect((await fetch(`${url}/api/health`)).status).toBe(401);
  expect((await fetch(`${url}/api/events`)).status).toBe(401);
  const headers = { authorization: `Bearer ${token}` };
  expect(await (await fetch(`${url}/api/health`, { headers })).json()).toEqual({ ok: true });
  const client = await openLinggenClient(url, wire.cwd, { headers });
  await client.chat("say token");
  await client.sees((frame) => frame.kind === "message" && frame.text === "token");
  client.close();
});

test("the port without a token answers only to its own Host and to exact or absent Origins", async () => {
  wire = await openWire({ origins: ["http://localhost:5173"] });
  const port = portOf(wire.compat.url);
  const own = `127.0.0.1:${port}`;
  const status = async (host: string, headers: string) =>
    (await sendRaw(port, `GET /api/health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${headers}\r\n`)).status;
  const seen = {
    plain: await status(own, ""),
    localhost: await status(`localhost:${port}`, ""),
    own: await status(own, `Origin: http://${own}\r\n`),
    named: await status(own, "Origin: http://localhost:5173\r\n"),
    proxied: await status("localhost:5173", "Origin: http://localhost:5173\r\n"),
    otherHost: await status(`evil.example:${port}`, ""),
    otherOrigin: await status(own, "Origin: http://evil.example\r\n"),
    otherPort: await status(own, "Origin: http://localhost:5174\r\n"),
    nullOrigin: await status(own, "Origin: null\r\n"),
    crossSite: await status(own, "Sec-Fetch-Site: cross-site\r\n"),
  };
  const taken = { plain: 200, localhost: 200, own: 200, named: 200, proxied: 200 };
  expect(seen).toEqual({ ...taken, otherHost: 403, otherOrigin: 403, otherPort: 403, nullOrigin: 403, crossSite: 403 });
});

test("a body in chunks is read within its limit, and only as HTTP/1.1 defines it", async () => {
  wire = await openWire();
  const { compat, server, cwd } = wire;
  const post = (port: number, path: string, more: string, body: string) =>
    sendRaw(
      port,
      [`POST ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, "Connection: close", more, "", body].join("\r\n"),
    );
  const typed = "Content-Type: application/json";
  const chunked = `${typed}\r\nTransfer-Encoding: chunked`;
  const inChunks = (text: string, size: number) => {
    const parts = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
    return [...parts, ""].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("");
  };
  const port = portOf(compat.url);
  const title = JSON.stringify({ project_root: cwd, title: "in chunks" });
  expect(await post(port, "/api/sessions", chunked, inChunks(title, 7))).toMatchObject({ status: 200 });
  const tooLong = JSON.stringify({ project_root: cwd, title: "x".repeat(40_000_000) });
  expect(await post(port, "/api/sessions", chunked, inChunks(tooLong, 60_000))).toMatchObject({ status: 413 });
  const length = `${chunked}\r\nContent-Length: ${title.length}`;
  expect((await post(port, "/api/sessions", length, inChunks(title, 7))).status).not.toBe(200);
  const other = `${typed}\r\nTransfer-Encoding: gzip, chunked`;
  expect((await post(port, "/api/sessions", other, inChunks(title, 7))).status).not.toBe(200);
  const own = `${chunked}\r\nAuthorization: Bearer ${server.token}`;
  expect(await post(portOf(server.url), "/v1/sessions", own, inChunks("{}", 7))).toMatchObject({ status: 200 });
  const sessions = await fetch(`${compat.url}/api/sessions?project_root=${encodeURIComponent(cwd)}`);
  expect((await sessions.json()) as object[]).toHaveLength(1);
});

test("nothing but the switched-on wires is on that port", async () => {
  wire = await openWire();
  for (const path of ["/", "/v1/sessions", "/v1/defaults", "/v1/ws", "/app.js"]) {
    expect({ path, status: (await fetch(`${wire.compat.url}${path}`)).status }).toEqual({ path, status: 404 });
  }
});

test("[V143] a session that is not marked does not exist there, whichever way it is asked for", async () => {
  wire = await openWire();
  const { compat, cwd } = wire;
  const secret = await createUnmarked(wire);
  const client = await openLinggenClient(compat.url, cwd);
  expect(await client.get("/api/sessions")).toEqual([]);
  const query = new URLSearchParams({ project_root: cwd, session_id: secret });
  for (const path of ["/api/workspace/state", "/api/agent-runs", "/api/queue"]) {
    expect({ path, status: (await client.ask("GET", `${path}?${query}`)).status }).toEqual({ path, status: 404 });
  }
  const writes: [string, string, object][] = [
    ["POST", "/api/chat", { agent_id: "ling", message: "say it" }],
    ["POST", "/api/chat/clear", {}],
    ["POST", "/api/queue/clear", {}],
    ["PATCH", "/api/sessions", { title: "mine" }],
    ["DELETE", "/api/sessions", {}],
    ["POST", "/api/plan/approve", { agent_id: "ling" }],
  ];
  for (const [method, path, body] of writes) {
    const { status } = await client.ask(method, path, { project_root: cwd, session_id: secret, ...body });
    expect({ method, path, status }).toEqual({ method, path, status: 404 });
  }
  const { session_id } = await client.chat("say mine");
  await client.sees((frame) => frame.kind === "message" && frame.text === "mine");
  expect(await client.get("/api/sessions")).toMatchObject([{ id: session_id }]);
  expect((await wire.host.listSessions()).length).toBe(2);
  client.close();
});

test("events and requests of an unmarked session are not sent there", async () => {
  wire = await openWire();
  const { compat, server, cwd } = wire;
  const secret = await createUnmarked(wire);
  const headers = { authorization: `Bearer ${server.token}` };
  const inside = await openLinggenClient(server.url, cwd, { headers });
  const outside = await openLinggenClient(compat.url, cwd);
  await inside.chat("ask", { session_id: secret });
  const asked = await inside.seesKind("ask_user");
  expect(await outside.get("/api/pending-ask-user")).toEqual([]);
  const { question_id } = (asked.data ?? {}) as { question_id?: string };
  const answers = [{ question_index: 0, selected: ["RED"], custom_text: null }];
  expect((await outside.ask("POST", "/api/ask-user-response", { question_id, answers })).status).toBe(404);
  await outside.chat("say outside");
  await outside.sees((frame) => frame.kind === "message" && frame.text === "outside");
  expect(outside.folded().messages).toEqual(["user > ling: say outside", "ling > user: outside"]);
  expect(outside.frames.filter((frame) => frame.kind === "ask_user")).toEqual([]);
  inside.close();
  outside.close();
});

test("a session named at the start can be reached, and one that was made there also after a restart", async () => {
  const directory = mkdtempSync(join(tmpdir(), "rt-compat-"));
  wire = await openWire({ directory });
  const named = await createUnmarked(wire);
  const client = await openLinggenClient(wire.compat.url, wire.cwd);
  const { session_id: made } = await client.chat("say made");
  await client.sees((frame) => frame.kind === "message" && frame.text === "made");
  client.close();
  await wire.close();
  expect(existsSync(join(directory, "data", "compat-sessions.json"))).toBe(true);
  wire = await openWire({ directory, sessions: [named] });
  const again = await openLinggenClient(wire.compat.url, wire.cwd);
  const ids = ((await again.get("/api/sessions")) as { id: string }[]).map((one) => one.id);
  expect(ids.toSorted()).toEqual([named, made].toSorted());
  again.close();
});

test("a mission that is set there prompts only in sessions that are marked", async () => {
  wire = await openWire();
  await createUnmarked(wire);
  const client = await openLinggenClient(wire.compat.url, wire.cwd);
  const mission = {
    project_root: wire.cwd,
    text: "Keep it green",
    agents: [{ id: "ling", idle_prompt: "say woken", idle_interval_secs: 1 }],
  };
  expect((await client.ask("POST", "/api/mission", mission)).body).toEqual({ ok: true });
  const headers = { authorization: `Bearer ${wire.server.token}` };
  const inside = await fetch(`${wire.server.url}/api/mission?${new URLSearchParams({ project_root: wire.cwd })}`, {
    headers,
  });
  expect(await inside.json()).toEqual({ active: false });
  const { session_id } = await client.chat("say first");
  const prompted = await client.sees((frame) => frame.id.startsWith("idle-trigger-ling-"));
  expect(prompted).toMatchObject({ project_root: wire.cwd, agent_id: "ling" });
  await client.sees((frame) => frame.kind === "message" && frame.text === "woken");
  const summaries = await wire.host.listSessions();
  expect(summaries.filter((one) => one.messages > 0).map((one) => one.sessionId)).toEqual([session_id]);
  const cleared = await client.ask("DELETE", "/api/mission", { project_root: wire.cwd });
  expect(cleared.body).toEqual({ ok: true });
  expect(await client.get("/api/mission")).toEqual({ active: false });
  expect(await client.get("/api/missions")).toMatchObject({
    missions: [
      {
        text: "Keep it green",
        active: false,
        agents: [{ id: "ling", idle_prompt: "say woken", idle_interval_secs: 1 }],
      },
    ],
  });
  const override = { project_root: wire.cwd, agent_id: "coder", idle_prompt: "say rest", idle_interval_secs: 60 };
  expect((await client.ask("POST", "/api/agent-override", override)).body).toEqual({ ok: true });
  expect(await client.get("/api/agent-override", { agent_id: "coder" })).toEqual({
    agent_id: "coder",
    idle_prompt: "say rest",
    idle_interval_secs: 60,
  });
  client.close();
});

test("an unknown id is 404 and affects nothing else", async () => {
  wire = await openWire();
  const client = await openLinggenClient(wire.compat.url, wire.cwd);
  for (const id of [newId(), "../../etc/passwd", "constructor", "__proto__", "sess-1-abcdef01", "x".repeat(4_000)]) {
    const { status } = await client.ask("POST", "/api/agent-cancel", { run_id: id });
    expect({ id, status }).toEqual({ id, status: 404 });
  }
  client.close();
});

function makePage(): string {
  const directory = mkdtempSync(join(tmpdir(), "rt-page-"));
  const page = join(directory, "dist");
  mkdirSync(join(page, "assets", "api"), { recursive: true });
  writeFileSync(join(directory, "secret.txt"), "outside");
  writeFileSync(join(page, "index.html"), "<!doctype html><title>linggen</title>");
  writeFileSync(join(page, "assets", "app-1a2b.js"), "export {};");
  writeFileSync(join(page, "assets", "look at me.css"), "body{}");
  writeFileSync(join(page, "logo.svg"), "<svg/>");
  writeFileSync(join(page, "data"), "bytes");
  writeFileSync(join(page, ".env"), "KEY=1");
  symlinkSync(join(directory, "secret.txt"), join(page, "secret.txt"));
  symlinkSync(directory, join(page, "up"));
  symlinkSync(page, join(page, "round"));
  symlinkSync("logo.svg", join(page, "icon.svg"));
  return page;
}

test("the page of another system is served from its directory, each file as what it is", async () => {
  wire = await openWire({ page: makePage() });
  const { url } = wire.compat;
  const types: Record<string, string | null> = {};
  for (const path of ["/", "/index.html", "/assets/app-1a2b.js", "/assets/look%20at%20me.css", "/icon.svg", "/data"]) {
    const answer = await fetch(url + path);
    expect({ path, status: answer.status }).toEqual({ path, status: 200 });
    types[path] = answer.headers.get("content-type");
  }
  expect(types).toEqual({
    "/": "text/html; charset=utf-8",
    "/index.html": "text/html; charset=utf-8",
    "/assets/app-1a2b.js": "text/javascript; charset=utf-8",
    "/assets/look%20at%20me.css": "text/css; charset=utf-8",
    "/icon.svg": "image/svg+xml",
    "/data": "application/octet-stream",
  });
  const page = await fetch(url);
  expect(await page.text()).toBe("<!doctype html><title>linggen</title>");
  expect(page.headers.get("x-content-type-options")).toBe("nosniff");
  expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  // Its requests come from its own address, so nothing has to be allowed for them.
  const headers = { origin: url, "content-type": "application/json" };
  const body = JSON.stringify({ project_root: wire.cwd, agent_id: "ling", message: "say hello", session_id: null });
  expect((await fetch(`${url}/api/chat`, { method: "POST", headers, body })).status).toBe(200);
});

test("no path and no link leads out of the page's directory, and the checks of the port hold for it", async () => {
  wire = await openWire({ page: makePage() });
  const port = portOf(wire.compat.url);
  const own = `127.0.0.1:${port}`;
  const status = async (path: string, headers = "", host = own) =>
    (await sendRaw(port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${headers}\r\n`)).status;
  const out = ["/../secret.txt", "/..%2fsecret.txt", "/%2e%2e/secret.txt", "/assets/../../secret.txt", "//secret.txt"];
  const linked = ["/secret.txt", "/up/secret.txt", "/round/index.html", "/.env", "/assets", "/assets/"];
  for (const path of [...out, ...linked]) expect({ path, status: await status(path) }).toEqual({ path, status: 404 });
  expect(await status("/", "", `evil.example:${port}`)).toBe(403);
  expect(await status("/logo.svg", "Origin: http://evil.example\r\n")).toBe(403);
  expect(await status("/logo.svg", "Sec-Fetch-Site: cross-site\r\n")).toBe(403);
  expect(await status("/", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n")).toBe(200);
});

test("a directory without a page is refused at the start", async () => {
  const page = mkdtempSync(join(tmpdir(), "rt-page-"));
  await expect(openWire({ page })).rejects.toThrow(`${page} cannot be served as a page: it has no index.html.`);
});
