/** Invalid bodies and queries: each is refused in the protocol's format, without effect on others. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { openLinggenClient, type LinggenClient } from "./linggen-client.ts";
import { openWire, type OpenWire } from "./open-wire.ts";

let wire: OpenWire;
let other: LinggenClient;

beforeAll(async () => {
  wire = await openWire();
  other = await openLinggenClient(wire.compat.url, wire.cwd);
});

afterAll(async () => {
  other.close();
  await wire.close();
});

const writing: [string, string][] = [
  ["POST", "/api/chat"],
  ["POST", "/api/chat/clear"],
  ["POST", "/api/agent-cancel"],
  ["POST", "/api/ask-user-response"],
  ["POST", "/api/sessions"],
  ["PATCH", "/api/sessions"],
  ["DELETE", "/api/sessions"],
  ["POST", "/api/mission"],
  ["DELETE", "/api/mission"],
  ["POST", "/api/agent-override"],
  ["POST", "/api/plan/approve"],
  ["POST", "/api/plan/reject"],
  ["POST", "/api/plan/edit"],
  ["POST", "/api/queue/clear"],
  ["POST", "/api/projects"],
];

const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
const bodies = [
  "{",
  "null",
  "[]",
  "7",
  '"text"',
  '{"project_root":7}',
  '{"run_id":[],"question_id":{}}',
  '{"a":1,',
  deep,
];

test("a refused first message leaves no session behind", async () => {
  const listed = async () =>
    (await other.ask("GET", `/api/sessions?project_root=${encodeURIComponent(wire.cwd)}`)).body;
  const before = await listed();
  for (const more of [{ message: " " }, { message: "look", images: ["not base64!"] }]) {
    const body = { project_root: wire.cwd, agent_id: "ling", session_id: null, ...more };
    expect((await other.ask("POST", "/api/chat", JSON.stringify(body))).status).toBe(400);
  }
  expect(await listed()).toEqual(before);
});

test("an invalid body gets 400 with a reason, on every route that has one", async () => {
  const { session_id } = await other.chat("say before");
  await other.sees((frame) => frame.kind === "message" && frame.text === "before");
  for (const [method, path] of writing) {
    for (const body of bodies) {
      const { status, body: said } = await other.ask(method, path, body);
      const error = (said as { error?: unknown }).error;
      const what = { method, path, body: body.slice(0, 40), status, isSaid: error !== undefined };
      expect(what).toMatchObject({ status: 400, isSaid: true });
    }
  }
  await other.chat("say after", { session_id });
  await other.sees((frame) => frame.kind === "message" && frame.text === "after");
  expect(other.folded().messages).toEqual([
    "user > ling: say before",
    "ling > user: before",
    "user > ling: say after",
    "ling > user: after",
  ]);
});

test("a directory is compared and never opened: one without a session is 404", async () => {
  const roots = ["/", "/etc", "../..", `${wire.cwd}/../..`, `${wire.cwd}/data`, "\u0000", "__proto__", "file:///etc"];
  const paths = [
    "workspace/state",
    "workspace/tree",
    "agent-runs",
    "sessions",
    "agents",
    "mission",
    "missions",
    "files",
    "queue",
  ];
  for (const root of roots) {
    for (const path of paths) {
      const { status } = await other.ask("GET", `/api/${path}?${new URLSearchParams({ project_root: root })}`);
      expect({ root, path, status }).toEqual({ root, path, status: 404 });
    }
  }
  expect((await other.ask("GET", "/api/workspace/tree")).status).toBe(400);
});

test("a stream of an unknown project or session is refused, and a project may be written with a slash at its end", async () => {
  for (const query of ["project_root=/no/such", "session_id=01ARZ3NDEKTSV4RRFFQ69G5FAV", "session_id=x"]) {
    expect({ query, status: (await other.ask("GET", `/api/events?${query}`)).status }).toEqual({ query, status: 404 });
  }
  const query = `?${new URLSearchParams({ project_root: `${wire.cwd}/`, session_id: "" })}`;
  const narrow = await openLinggenClient(wire.compat.url, wire.cwd, { query });
  try {
    await narrow.chat("say slash");
    await narrow.sees((frame) => frame.kind === "message" && frame.text === "slash");
  } finally {
    narrow.close();
  }
});

test("a message of many megabytes, or with odd characters, is accepted whole or refused", async () => {
  const huge = { project_root: wire.cwd, agent_id: "ling", message: "x".repeat(17 * 1024 * 1024) };
  const refused = await other.ask("POST", "/api/chat", huge).catch(() => ({ status: 413, body: {} }));
  expect(refused.status).toBe(413);
  const odd = "say \u2028 line \u0000 end \ud83d\ude00";
  const { session_id } = await other.chat(odd);
  await other.sees((frame) => frame.kind === "message" && frame.text === odd);
  expect(session_id).toMatch(/^[0-9A-Z]{26}$/);
});

test("an invalid interval or too many agents are refused, and the mission is unchanged", async () => {
  const agents = (one: object) => [{ id: "ling", idle_prompt: "go", ...one }];
  const bad = [
    agents({ idle_interval_secs: 0 }),
    agents({ idle_interval_secs: -5 }),
    agents({ idle_interval_secs: 1e12 }),
    Array.from({ length: 100 }, () => ({ id: "ling" })),
  ];
  for (const one of bad) {
    const { status } = await other.ask("POST", "/api/mission", { project_root: wire.cwd, text: "t", agents: one });
    expect(status).toBe(400);
  }
  expect(await other.get("/api/mission")).toEqual({ active: false });
});
