/** The OpenAPI document against the server it describes: every operation is called, every answer is held to its schema. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { connectWebSocket, createClient } from "../../src/client/index.ts";
import { openApiPath, type SessionEvent } from "../../src/protocol/index.ts";
import { openSource } from "./event-source.ts";
import { ask, authorized, createSession, openServer, type OpenServer } from "./open-server.ts";
import { challenge, newKey, newNonce, register, signatureOf } from "./test-device.ts";

type Schema = Record<string, unknown>;

interface Operation {
  operationId: string;
  security: unknown[];
  parameters?: { name: string; in: string; required: boolean }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

interface Document {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** A session of Claude Code with one message. */
const CLAUDE_LINE = JSON.stringify({
  type: "user",
  uuid: "0b1cd0e5-1d40-4cf6-8468-9b16ce2ba533",
  parentUuid: null,
  sessionId: "a0fd6a2d-636e-4be7-8d2a-779c6a1dacf8",
  cwd: "/home/you/project",
  timestamp: "2026-11-02T10:00:00.000Z",
  message: { role: "user", content: "Hello there." },
});

const NOBODY = "01JN0000000000000000000001";

let open: OpenServer;
let document: Document;
/** A session with a turn behind it, one whose member waits for an answer, and the ids of what happened there. */
let ids: { sessionId: string; asking: string; large: string; unwanted: string; runId: string; requestId: string };
/** A device, and the answer to a challenge that it was given. */
let device: { id: string; nonce: string; signature: string };
/** Too long for an event, so it is put aside. */
const LARGE = "a long message ".repeat(16_000);
const LARGE_HASH = createHash("sha256").update(LARGE.trim()).digest("hex");

beforeAll(async () => {
  open = await openServer();
  execFileSync("git", ["init", "-q"], { cwd: open.newSession.cwd });
  document = (await (await ask(open, "/v1/openapi.json")).json()) as Document;
  const sessionId = await createSession(open);
  const asking = await createSession(open);
  const runId = await sendAndAwait(sessionId, "/try short", (event) => event.type === "turn_end");
  await sendAndAwait(asking, "/try confirm", (event) => event.type === "ui_request");
  const [request] = (await (await ask(open, `/v1/sessions/${asking}/requests`)).json()) as { requestId: string }[];
  const large = await createSession(open);
  await sendAndAwait(large, LARGE.trim(), (event) => event.type === "turn_end");
  const unwanted = await createSession(open);
  const registered = await register(open);
  const given = await challenge(open, registered);
  const signature = signatureOf(registered, given, open.server.url);
  device = { id: registered.id, nonce: given.nonce, signature };
  ids = { sessionId, asking, large, unwanted, runId, requestId: request?.requestId ?? "" };
});

afterAll(() => open.close());

async function sendAndAwait(sessionId: string, text: string, fits: (event: SessionEvent) => boolean): Promise<string> {
  const source = await openSource(`${open.server.url}/v1/sessions/${sessionId}/events`, authorized(open));
  const command = { type: "send", commandId: "c", clientMessageId: "m", text };
  const sent = await ask(open, `/v1/sessions/${sessionId}/commands`, command);
  await source.next(({ id, data }) => id !== undefined && fits(data as SessionEvent));
  source.close();
  return ((await sent.json()) as { result: { messageId: string } }).result.messageId;
}

const newCode = () => new URL(open.server.newLink()).hash.slice("#code=".length);

interface Call {
  /** In place of `{id}` and `{n}`. */
  id?: string;
  body?: unknown;
  /** After the path. */
  query?: string;
}

/** How each operation is called well. One that is missing here fails the test, and so does one that is too many. */
const calls: Record<string, () => Call> = {
  "POST /v1/devices": () => ({ body: { code: newCode(), name: "Firefox on Linux", key: newKey().jwk } }),
  "POST /v1/devices/challenge": () => ({ body: { device: device.id, nonce: newNonce() } }),
  "POST /v1/devices/token": () => ({
    body: { device: device.id, nonce: device.nonce, signature: device.signature },
  }),
  "GET /v1/devices": () => ({}),
  "DELETE /v1/devices/{id}": () => ({ id: device.id }),
  "GET /v1/health": () => ({}),
  "GET /v1/sign-in": () => ({}),
  "POST /v1/exchange": () => ({ body: { code: newCode() } }),
  "POST /v1/codes": () => ({ body: {} }),
  "GET /v1/ws": () => ({}),
  "GET /v1/defaults": () => ({}),
  "GET /v1/agents": () => ({}),
  "GET /v1/folders": () => ({}),
  "GET /v1/suggestions": () => ({}),
  "GET /v1/configuration": () => ({}),
  "POST /v1/configuration": () => ({ body: { change: "add_rule", verdict: "allow", rule: "shell: git status" } }),
  "GET /v1/files": () => ({ query: "?limit=5" }),
  "POST /v1/import": () => ({ query: "?name=a.jsonl", body: new Uint8Array(Buffer.from(CLAUDE_LINE)) }),
  "GET /v1/schema.json": () => ({}),
  "GET /v1/openapi.json": () => ({}),
  "GET /v1/sessions": () => ({}),
  "POST /v1/sessions": () => ({ body: { title: "new", settings: { mode: "sequential" } } }),
  "GET /v1/sessions/events": () => ({}),
  "GET /v1/sessions/{id}": () => ({ id: ids.sessionId }),
  "DELETE /v1/sessions/{id}": () => ({ id: ids.unwanted }),
  "GET /v1/trash": () => ({}),
  "POST /v1/trash/{id}/restore": () => ({ id: ids.unwanted, body: {} }),
  "GET /v1/sessions/{id}/pages/{n}": () => ({ id: ids.sessionId }),
  "GET /v1/sessions/{id}/blobs/{hash}": () => ({ id: ids.large }),
  "POST /v1/sessions/{id}/blobs": () => ({ id: ids.sessionId, body: new Uint8Array([1, 2, 3]) }),
  "GET /v1/sessions/{id}/export": () => ({ id: ids.sessionId }),
  "GET /v1/sessions/{id}/members": () => ({ id: ids.asking }),
  "GET /v1/sessions/{id}/requests": () => ({ id: ids.asking }),
  "GET /v1/sessions/{id}/usage": () => ({ id: ids.sessionId }),
  "GET /v1/sessions/{id}/changes": () => ({ id: ids.sessionId, query: "?against=head" }),
  "GET /v1/sessions/{id}/patch": () => ({ id: ids.sessionId, query: "?path=a.txt" }),
  "GET /v1/sessions/{id}/touched": () => ({ id: ids.sessionId }),
  "GET /v1/sessions/{id}/tree": () => ({ id: ids.sessionId }),
  "GET /v1/sessions/{id}/file": () => ({ id: ids.sessionId, query: "?path=a.txt" }),
  "GET /v1/sessions/{id}/named": () => ({ id: ids.sessionId, query: "?path=a.txt" }),
  "GET /v1/sessions/{id}/runs": () => ({ id: ids.asking }),
  "GET /v1/sessions/{id}/events": () => ({ id: ids.sessionId }),
  "POST /v1/sessions/{id}/rename": () => ({ id: ids.sessionId, body: { title: "other" } }),
  "POST /v1/sessions/{id}/archive": () => ({ id: ids.sessionId, body: { archived: true } }),
  "POST /v1/sessions/{id}/commands": () => ({
    id: ids.sessionId,
    body: { type: "rename", commandId: "r", title: "third" },
  }),
  "GET /v1/runs": () => ({}),
  "GET /v1/runs/{id}": () => ({ id: ids.runId }),
  "GET /v1/requests": () => ({}),
  "GET /v1/search": () => ({ query: "?q=third&limit=5" }),
  "POST /v1/requests/{id}": () => ({ id: ids.requestId, body: { result: true } }),
};

function operations(): { name: string; method: string; path: string; operation: Operation }[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([verb, operation]) => {
      const method = verb.toUpperCase();
      return { name: `${method} ${path}`, method, path, operation };
    }),
  );
}

function targetOf(path: string, id: string | undefined): string {
  return path
    .replace("{id}", id ?? "")
    .replace("{n}", "0")
    .replace("{hash}", LARGE_HASH);
}

/** Answers on all that is there are not empty, so that an empty list cannot pass for a right one. */
const EMPTY = new Set(["[]", "{}", "null"]);

/** As any other validator would: a reference counts from the root of the document. */
function validator(schema: Schema): z.ZodType {
  const { schemas } = document.components;
  const text = JSON.stringify({ ...schema, $defs: schemas });
  return z.fromJSONSchema(JSON.parse(text.replaceAll('"#/components/schemas/', '"#/$defs/')) as never);
}

function faultsOf(schema: Schema, value: unknown): string | undefined {
  return validator(schema).safeParse(value).error?.message;
}

function request(method: string, target: string, { body, token }: { body?: unknown; token?: string }) {
  const isBytes = body instanceof Uint8Array;
  const sent = isBytes ? new Uint8Array(body) : JSON.stringify(body ?? {});
  return fetch(`${open.server.url}${target}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(method === "POST" ? { "content-type": isBytes ? "application/octet-stream" : "application/json" } : {}),
    },
    ...(method === "POST" ? { body: sent } : {}),
  });
}

describe("the document", () => {
  test("[V39] it has every route under /v1 and nothing else, each operation once and by a name of its own", () => {
    const all = [...open.server.routes.values()].flat();
    const routes = all.filter(({ path, policy }) => path.startsWith("/v1/") && policy.access !== "bearer");
    const names = operations().map((one) => one.name);
    expect(names.toSorted()).toEqual(routes.map(({ method, path }) => `${method} ${openApiPath(path)}`).toSorted());
    expect(names.toSorted()).toEqual(Object.keys(calls).toSorted());
    const operationIds = operations().map((one) => one.operation.operationId);
    expect(new Set(operationIds).size).toBe(operationIds.length);
    expect([document.openapi, document.info]).toEqual(["3.1.0", { title: "Roundtable", version: "0" }]);
    for (const { name, path, operation } of operations()) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, part]) => part);
      const described = (operation.parameters ?? []).filter((one) => one.in === "path").map((one) => one.name);
      expect([name, described]).toEqual([name, inPath]);
    }
  });

  test("[V39] every operation, called as described, answers as described", async () => {
    for (const { name, method, path, operation } of operations()) {
      const { id, body, query = "" } = calls[name]?.() ?? {};
      const { schema: bodySchema } = operation.requestBody?.content["application/json"] ?? {};
      const takesBytes = operation.requestBody?.content["application/octet-stream"] !== undefined;
      expect([name, bodySchema === undefined]).toEqual([name, body === undefined || takesBytes]);
      expect([name, takesBytes]).toEqual([name, body instanceof Uint8Array]);
      if (bodySchema !== undefined) expect([name, faultsOf(bodySchema, body)]).toEqual([name, undefined]);
      if (operation.responses["101"] !== undefined) {
        (await createClient(() => connectWebSocket(open.server.url, open.server.token))).close();
        continue;
      }
      const { content = {} } = operation.responses["200"] ?? {};
      if (content["text/event-stream"] !== undefined) {
        const source = await openSource(`${open.server.url}${targetOf(path, id)}`, authorized(open));
        await source.next(() => true);
        source.close();
        continue;
      }
      const answer = await request(method, targetOf(path, id) + query, { body, token: open.server.token });
      const text = await answer.text();
      expect([name, answer.status, EMPTY.has(text)]).toEqual([name, 200, false]);
      if (content["text/markdown"] !== undefined) {
        const [type = ""] = (answer.headers.get("content-type") ?? "").split(";");
        expect([name, Object.keys(content).includes(type)]).toEqual([name, true]);
        continue;
      }
      if (content["application/octet-stream"] !== undefined) {
        const { headers } = answer;
        expect([headers.get("content-type"), headers.get("content-disposition")]).toEqual([
          "application/octet-stream",
          "attachment",
        ]);
        expect(text === LARGE.trim()).toBe(true);
        continue;
      }
      expect([name, faultsOf(content["application/json"]?.schema ?? { not: {} }, JSON.parse(text))]).toEqual([
        name,
        undefined,
      ]);
    }
  });

  test("a query parameter is required exactly where the operation is refused without it", async () => {
    for (const { name, method, path, operation } of operations()) {
      const queried = (operation.parameters ?? []).filter((one) => one.in === "query");
      if (queried.length === 0 || operation.responses["200"]?.content?.["text/event-stream"] !== undefined) continue;
      const { id, body } = calls[name]?.() ?? {};
      const { status } = await request(method, targetOf(path, id), { body, token: open.server.token });
      expect([name, status === 400]).toEqual([name, queried.some((one) => one.required)]);
    }
  });

  test("every frame of a WebSocket is as the JSON schema says", async () => {
    const schema = (await (await ask(open, "/v1/schema.json")).json()) as { $defs: Record<string, Schema> };
    const { client, server } = schema.$defs["frames"] as { client: Schema; server: Record<string, Schema> };
    const holds = (one: unknown, value: unknown) => {
      const root = { ...(one as Schema), $defs: schema.$defs };
      return z.fromJSONSchema(root).safeParse(value).error?.message;
    };
    const socket = new WebSocket(`${open.server.url.replace("http", "ws")}/v1/ws`, [
      "roundtable.v1",
      `token.${open.server.token}`,
    ]);
    const { promise: seenAll, resolve } = Promise.withResolvers<void>();
    const frames: { frame: string }[] = [];
    const awaited = new Set(["welcome", "reply", "sessions", "events", "ack"]);
    socket.addEventListener("message", ({ data }: MessageEvent<string>) => {
      const frame = JSON.parse(data) as { frame: string };
      frames.push(frame);
      awaited.delete(frame.frame);
      if (awaited.size === 0) resolve();
    });
    await new Promise((opened) => socket.addEventListener("open", opened));
    const { sessionId } = ids;
    const command = { type: "rename", commandId: "c", title: "another" };
    for (const sent of [
      { frame: "hello", protocol: 1, clientId: "test" },
      { frame: "list", id: "1" },
      { frame: "follow_list", id: "2" },
      { frame: "snapshot", id: "3", sessionId },
      { frame: "subscribe", id: "4", sessionId, cursor: { epoch: 0, seq: 0 } },
      { frame: "page", id: "5", sessionId, page: 99 },
      { frame: "command", sessionId, command },
    ]) {
      expect([sent.frame, holds(client[sent.frame], sent)]).toEqual([sent.frame, undefined]);
      socket.send(JSON.stringify(sent));
    }
    await seenAll;
    socket.close();
    for (const frame of frames)
      expect([frame.frame, holds(server[frame.frame], frame)]).toEqual([frame.frame, undefined]);
  });

  test("every refusal is an Error as documented: without the token, with an unknown id, with an unknown key in the body", async () => {
    for (const { name, method, path, operation } of operations()) {
      const schema = operation.responses["default"]?.content?.["application/json"]?.schema ?? {};
      const isOpen = operation.security.length === 0;
      const refusals = [
        ...(isOpen ? [] : [await request(method, targetOf(path, ids.sessionId), {})]),
        ...(path.includes("{id}")
          ? [await request(method, targetOf(path, NOBODY), { body: calls[name]?.().body, token: open.server.token })]
          : []),
        ...(operation.requestBody === undefined
          ? []
          : [await request(method, targetOf(path, ids.sessionId), { body: { zebra: 1 }, token: open.server.token })]),
      ];
      for (const refusal of refusals) {
        expect([name, refusal.status >= 400 && refusal.status < 500]).toEqual([name, true]);
        expect([name, faultsOf(schema, await refusal.json())]).toEqual([name, undefined]);
      }
    }
  });

  test("every reference in the document is to something in the document", () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].map(([, to]) => to);
    const known = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect(references.filter((to) => !known.includes(to ?? ""))).toEqual([]);
    expect(known).toEqual(["Error", "Json", "Event"].map((name) => `#/components/schemas/${name}`));
  });

  test("an event of a session is one of those the document describes", async () => {
    const source = await openSource(`${open.server.url}/v1/sessions/${ids.sessionId}/events`, authorized(open));
    await source.next(({ data }) => (data as SessionEvent).type === "turn_end");
    source.close();
    const schema = validator({ $ref: "#/components/schemas/Event" });
    const events = source.received.filter((one) => one.id !== undefined);
    expect(events.filter(({ data }) => !schema.safeParse(data).success)).toEqual([]);
    expect(schema.safeParse({ ...(events[0]?.data as object), seq: -1 }).success).toBe(false);
  });
});
