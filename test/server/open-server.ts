/** A server in this process, over a real host with the embedded members. */
import { mkdtempSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgentFactory } from "../../src/agents/index.ts";
import { embedded, embeddedMembers, exporters, loadWires } from "../../src/cli/edges.ts";
import { createUploadImport } from "../../src/cli/commands/import/import-upload.ts";
import { createHost, type Host } from "../../src/host/index.ts";
import { systemClock, type Clock } from "../../src/kit/clock.ts";
import type { MemberSpec, Settings } from "../../src/protocol/index.ts";
import {
  startServer,
  type Configuration,
  type PageFile,
  type RunningServer,
  type ShownConfiguration,
} from "../../src/server/index.ts";
import type { ServerLimits } from "../../src/server/http/limits.ts";
import { patient } from "../patience.ts";

const settings: Settings = {
  mode: "broadcast",
  auto_rounds: 0,
  timeout: patient(60),
  request_timeout: patient(60),
  order: ["scout"],
  limits: { turns: 40, minutes: 30, tokens: 1_000_000, usd: 5 },
  writable: false,
  preamble: "Answer.",
};

const plainFile = (path: string, contentType: string) => ({ path, contentType, body: Buffer.from(`the file ${path}`) });
const plainFiles = [plainFile("/", "text/html; charset=utf-8"), plainFile("/app.js", "text/javascript; charset=utf-8")];

/** A configuration in memory: that of the user who runs the tests stays as it is. */
function testConfiguration(dataDir: string, members: MemberSpec[]): Configuration {
  const rules: ShownConfiguration["rules"] = [{ verdict: "deny", rule: "read: .env*", from: "a file", isOwn: true }];
  return {
    defaults: async (cwd) => ({ cwd, settings, members }),
    read: async (cwd) => {
      const sandbox = { mode: "auto", from: "default" };
      return { cwd, file: "config.jsonc", dataDir, sandbox, rules, grants: [], fixed: [] };
    },
    async change(change) {
      if (change.change === "add_rule") rules.push({ ...change, from: "a file", isOwn: true });
    },
  };
}

export interface OpenServer {
  server: RunningServer;
  host: Host;
  dataDir: string;
  port: number;
  newSession: { cwd: string; title: string; settings: Settings; members: MemberSpec[] };
  close(): Promise<void>;
}

export interface OpenServerOptions {
  clock?: Clock;
  limits?: Partial<ServerLimits>;
  pageFiles?: readonly PageFile[];
}

export async function openServer(options: OpenServerOptions = {}): Promise<OpenServer> {
  const { clock = systemClock, limits = {}, pageFiles = plainFiles } = options;
  const directory = mkdtempSync(join(tmpdir(), "rt-server-"));
  const members = embeddedMembers.filter((spec) => spec.name === "scout");
  const host = await createHost({
    dataDir: join(directory, "data"),
    agentFactory: createAgentFactory(embedded),
    version: "0.0.0-test",
    exporters,
  });
  const defaults = { cwd: directory, settings, members };
  const server = await startServer({
    host,
    pageFiles,
    defaults: {
      ...defaults,
      configuration: testConfiguration(directory, members),
      importFile: createUploadImport({ dataDir: join(directory, "data"), defaults }),
    },
    port: 0,
    clock,
    limits,
    wires: await loadWires(),
  });
  return {
    server,
    host,
    dataDir: join(directory, "data"),
    port: Number(new URL(server.url).port),
    newSession: { cwd: directory, title: "a test", settings, members },
    async close() {
      server.stop();
      await host.close();
      await server.cut();
    },
  };
}

export function authorized({ server }: OpenServer): { authorization: string } {
  return { authorization: `Bearer ${server.token}` };
}

/** GET with the token, or POST of this body. */
export function ask(open: OpenServer, path: string, body?: unknown): Promise<Response> {
  const headers = authorized(open);
  if (body === undefined) return fetch(`${open.server.url}${path}`, { headers });
  return fetch(`${open.server.url}${path}`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** Over the route, with the defaults of the server. */
export async function createSession(open: OpenServer, body: object = {}): Promise<string> {
  const made = await ask(open, "/v1/sessions", body);
  return ((await made.json()) as { sessionId: string }).sessionId;
}

export interface RawAnswer {
  /** 0 when the server said nothing. */
  status: number;
  text: string;
}

const RAW_WAIT_MS = patient(5_000);

/** Bytes in, bytes out: sends exactly this and reads until the server hangs up, or until a head came when `isOpenEnded`. */
export function sendRaw(port: number, bytes: string, { isOpenEnded = false } = {}): Promise<RawAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  const socket = connect(port, "127.0.0.1");
  let text = "";
  const finish = () => {
    clearTimeout(late);
    socket.destroy();
    resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text });
  };
  const late = setTimeout(() => {
    socket.destroy();
    reject(new Error(`the server neither answered nor hung up on:\n${bytes}\nit said:\n${text}`));
  }, RAW_WAIT_MS);
  socket.setEncoding("latin1");
  socket.on("data", (chunk: string) => {
    text += chunk;
    if (isOpenEnded && text.includes("\r\n\r\n")) finish();
  });
  // A reset after the answer is a way to hang up.
  socket.on("error", finish);
  socket.on("close", finish);
  socket.write(bytes, "latin1");
  return promise;
}
