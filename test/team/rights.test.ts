/**
 * Rights over HTTP and WebSocket on a real node: every operation of its OpenAPI document and every command, for every
 * role and scope, on own, shared and foreign sessions; and random attempts of people who have no right.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { connectWebSocket, createClient } from "../../src/client/index.ts";
import { newId } from "../../src/kit/ids.ts";
import { commandSchemas } from "../../src/protocol/index.ts";
import { openServerDevice } from "../../src/team/index.ts";
import { createRandom } from "../log/seeded-random.ts";
import { rounds } from "../rounds.ts";
import { hasPostgres } from "./database.ts";
import { newMachine, PEOPLE, ROLES, SCOPES, SECRET, startTeamOfRoles } from "./roles.ts";
import type { Name, Scope, TeamOfRoles } from "./roles.ts";

type Verdict = "yes" | "no" | "hidden";

/** viewer, driver, driver where answers are open, owner by a role, owner of the machine: Y yes, . no. */
const SESSION_OPERATIONS: Readonly<Record<string, [string, Scope]>> = {
  "GET /v1/sessions/{id}": ["YYYYY", "read"],
  "GET /v1/sessions/{id}/pages/{n}": ["YYYYY", "read"],
  "GET /v1/sessions/{id}/members": ["YYYYY", "read"],
  "GET /v1/sessions/{id}/requests": ["YYYYY", "read"],
  "GET /v1/sessions/{id}/usage": ["YYYYY", "read"],
  "GET /v1/sessions/{id}/events": ["YYYYY", "read"],
  "GET /v1/sessions/{id}/runs": ["YYYYY", "read"],
  "GET /v1/sessions/{id}/blobs/{hash}": ["YYYYY", "read"],
  "GET /v1/sessions/{id}/export": ["YYYYY", "read"],
  "POST /v1/sessions/{id}/blobs": [".YYYY", "use"],
  "POST /v1/sessions/{id}/rename": ["...YY", "use"],
  "POST /v1/sessions/{id}/archive": ["...YY", "use"],
  "POST /v1/sessions/{id}/commands": [".YYYY", "use"],
  "POST /v1/requests/{id}": ["..YYY", "use"],
  // Who reads a session may continue a copy on a machine of their own; the machine is asked for separately.
  "POST /v1/team/forks": ["YYYYY", "use"],
  "POST /v1/team/access": ["...YY", "manage"],
  "POST /v1/team/answers": ["...YY", "manage"],
};

/** Only the machine with the files answers; a node says so to everybody, whether there is such a session or not. */
const OF_MACHINES = new Set([
  "GET /v1/sessions/{id}/changes",
  "GET /v1/sessions/{id}/patch",
  "GET /v1/sessions/{id}/touched",
  "GET /v1/sessions/{id}/tree",
  "GET /v1/sessions/{id}/file",
  "GET /v1/sessions/{id}/named",
  "POST /v1/sessions",
  "POST /v1/import",
  "DELETE /v1/sessions/{id}",
  "POST /v1/trash/{id}/restore",
]);

/** Of whoever is signed in, about what they may see; with the scope that it takes. */
const OF_ANYBODY: Readonly<Record<string, Scope>> = {
  "GET /v1/sessions": "read",
  "GET /v1/sessions/events": "read",
  "GET /v1/search": "read",
  "GET /v1/runs": "read",
  "GET /v1/runs/{id}": "read",
  "GET /v1/requests": "read",
  "GET /v1/trash": "read",
  "GET /v1/agents": "read",
  "GET /v1/defaults": "read",
  "GET /v1/suggestions": "read",
  "GET /v1/schema.json": "read",
  "GET /v1/openapi.json": "read",
  "GET /v1/ws": "read",
  "GET /v1/team": "read",
  "GET /v1/files": "use",
  "GET /v1/folders": "use",
  "GET /v1/configuration": "manage",
  "POST /v1/configuration": "manage",
  "GET /v1/devices": "manage",
  "DELETE /v1/devices/{id}": "manage",
  "POST /v1/codes": "manage",
  "POST /v1/sign-in/link": "manage",
  "GET /v1/runner": "use",
};

const OF_ADMINISTRATORS = new Set(["POST /v1/team/invitations", "POST /v1/team/removals"]);

const OPEN = new Set([
  "GET /v1/health",
  "GET /v1/sign-in",
  "POST /v1/exchange",
  "POST /v1/devices",
  "POST /v1/devices/challenge",
  "POST /v1/devices/token",
  "POST /v1/sign-in/begin",
  "POST /v1/sign-in/end",
  "GET /sign-in",
  "GET /healthz",
  "GET /readyz",
]);

/** Not in the document: for machines, probes and browsers that come back from the provider. */
const UNDOCUMENTED = ["GET /sign-in", "GET /healthz", "GET /readyz", "GET /v1/runner"];

/** As `SESSION_OPERATIONS`; a command without an entry fails. */
const COMMANDS: Readonly<Record<string, string>> = {
  ...entries(".YYYY", "send steer queue_add queue_edit queue_reorder queue_remove queue_promote interrupt retry"),
  ...entries(".YYYY", "continue round list_files"),
  ...entries("YYYYY", "list_permissions"),
  ...entries("..YYY", "answer plan_decision"),
  ...entries("...YY", "mute unmute add_member remove_member compact compact_undo pin clear fork archive rename"),
  ...entries("...YY", "switch_model switch_effort set_settings minutes revoke_permission"),
};

function entries(row: string, names: string): Record<string, string> {
  return Object.fromEntries(names.split(" ").map((name) => [name, row]));
}

const NOT_ALLOWED =
  /^Your role in this session does not allow that\.|^This device has read-only access\.|^Only ada can answer requests/;
describe.runIf(hasPostgres)("rights on a node", () => {
  let team: TeamOfRoles;
  let url: string;
  let sessions: TeamOfRoles["sessions"];
  let deviceOf: TeamOfRoles["deviceOf"];
  /** Of its OpenAPI document, and all that it answers. */
  let operations: string[];
  let routes: string[];

  beforeAll(async () => {
    team = await startTeamOfRoles();
    ({ url, sessions, deviceOf } = team);
    routes = [...team.node.routes.values()]
      .flat()
      .map(({ method, path: at }) => `${method} ${at.replaceAll(/:(\w+)/g, "{$1}")}`);
    const document = await deviceOf("ada", "manage").ask<{ paths: Record<string, object> }>("/v1/openapi.json");
    operations = Object.entries(document.paths).flatMap(([at, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${at}`),
    );
  });

  afterAll(() => team.close());

  /** The body of an operation that has one, as valid as can be. */
  const bodyOf = (operation: string, sessionId: string): unknown => {
    const bodies: Record<string, unknown> = {
      "POST /v1/sessions/{id}/rename": { title: "mine" },
      "POST /v1/sessions/{id}/archive": { archived: true },
      "POST /v1/sessions/{id}/commands": { type: "send", commandId: newId(), text: "hi", clientMessageId: newId() },
      "POST /v1/requests/{id}": { sessionId, result: null },
      "POST /v1/team/forks": { sessionId },
      "POST /v1/team/access": { person: "stranger", role: null, sessionId },
      "POST /v1/team/answers": { sessionId, areOpen: sessionId === sessions.open },
      "POST /v1/team/invitations": { name: "somebody" },
      "POST /v1/team/removals": { name: "nobody" },
    };
    return bodies[operation] ?? {};
  };

  const call = async (operation: string, token: string | undefined, sessionId: string) => {
    const [method = "", template = ""] = operation.split(" ");
    const at = template.replace("{id}", sessionId).replace("{n}", "0").replace("{hash}", "0".repeat(64));
    const isBytes = operation === "POST /v1/sessions/{id}/blobs";
    const body = isBytes ? "bytes" : JSON.stringify(bodyOf(operation, sessionId));
    const answer = await fetch(`${url}${at}${template === "/v1/search" ? "?q=plan" : ""}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(method === "POST" ? { "content-type": isBytes ? "application/octet-stream" : "application/json" } : {}),
      },
      ...(method === "POST" ? { body } : {}),
    });
    const text = /event-stream/.test(answer.headers.get("content-type") ?? "") ? "" : await answer.text();
    if (text === "") await answer.body?.cancel();
    const error = answer.ok ? undefined : (JSON.parse(text) as { error?: { message?: string } }).error;
    return { status: answer.status, text, message: error?.message ?? "" };
  };

  const verdictOf = ({ status, message }: { status: number; message: string }): Verdict => {
    if (/^Invalid body|^Malformed/.test(message)) throw new Error(`rights were not asked: ${message}`);
    if (status === 404 && message.startsWith("There is no session ")) return "hidden";
    return status === 401 || status === 403 || NOT_ALLOWED.test(message) ? "no" : "yes";
  };

  const wanted = (row: string, needed: Scope, name: Name, scope: Scope): Verdict => {
    const hasScope = SCOPES.indexOf(scope) >= SCOPES.indexOf(needed);
    if (!hasScope) return "no";
    if (name === "stranger") return "hidden";
    return row[ROLES.indexOf(name)] === "Y" ? "yes" : "no";
  };

  /** Everybody who has a role, on the session on which it is theirs, and on the one on which nobody has any. */
  const cases = function* (): Generator<{ name: Name; scope: Scope; sessionId: string; isForeign: boolean }> {
    for (const name of PEOPLE)
      for (const scope of SCOPES) {
        yield { name, scope, sessionId: name === "opened" ? sessions.open : sessions.shared, isForeign: false };
        if (name !== "ada") yield { name, scope, sessionId: sessions.foreign, isForeign: true };
      }
  };

  test("every route has an entry, and every entry is a route; what is in the document is one", () => {
    const known = [SESSION_OPERATIONS, OF_ANYBODY].flatMap((table) => Object.keys(table));
    expect([...routes].sort()).toEqual([...known, ...OF_MACHINES, ...OF_ADMINISTRATORS, ...OPEN].sort());
    expect(routes.filter((one) => !operations.includes(one)).sort()).toEqual([...UNDOCUMENTED].sort());
    expect(operations.filter((one) => !routes.includes(one))).toEqual([]);
    expect(Object.keys(COMMANDS).sort()).toEqual(commandSchemas.map(({ shape }) => shape.type.value).sort());
  });

  test("operations on a session: every role and scope, own, shared and foreign", async () => {
    let count = 0;
    for (const [operation, [row, needed]] of Object.entries(SESSION_OPERATIONS))
      for (const { name, scope, sessionId, isForeign } of cases()) {
        const answer = await call(operation, await deviceOf(name, scope).token(), sessionId);
        const expected = wanted(row, needed, isForeign ? "stranger" : name, scope);
        expect([operation, name, scope, isForeign, verdictOf(answer)]).toEqual([
          operation,
          name,
          scope,
          isForeign,
          expected,
        ]);
        if (expected !== "yes") expect(answer.text).not.toContain(SECRET);
        count += 1;
      }
    expect(count).toBe(Object.keys(SESSION_OPERATIONS).length * (6 * 3 + 5 * 3));
  });

  test("commands: every role and scope, own, shared and foreign", async () => {
    for (const schema of commandSchemas) {
      const type = schema.shape.type.value;
      const row = COMMANDS[type] ?? "";
      const command = sampleOf(z.toJSONSchema(schema, { unrepresentable: "any" }));
      for (const { name, scope, sessionId, isForeign } of cases()) {
        const answer = await fetch(`${url}/v1/sessions/${sessionId}/commands`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${await deviceOf(name, scope).token()}`,
            "content-type": "application/json",
          },
          body: JSON.stringify({ ...(command as object), commandId: newId() }),
        });
        const { error } = (await answer.json()) as { error?: { message: string; code?: string } };
        const verdict = verdictOf({ status: answer.status, message: error?.message ?? "" });
        // Over HTTP a command is a change, whatever it says.
        const expected = wanted(row, "use", isForeign ? "stranger" : name, scope);
        expect([type, name, scope, isForeign, verdict]).toEqual([type, name, scope, isForeign, expected]);
        const isAnswer = type === "answer" || type === "plan_decision";
        if (verdict === "no" && scope !== "read" && sessionId === sessions.shared)
          expect(error?.message).toMatch(isAnswer ? /^Only ada can answer .+ team answers on \w{6}$/ : /^Your role /);
      }
    }
  });

  test("what is for anybody takes its scope and shows nothing of foreign sessions; the rest is refused", async () => {
    for (const name of PEOPLE)
      for (const scope of SCOPES) {
        const token = await deviceOf(name, scope).token();
        for (const [operation, needed] of Object.entries(OF_ANYBODY)) {
          const { status, text } = await call(operation, token, newId());
          const isRefused = SCOPES.indexOf(scope) < SCOPES.indexOf(needed);
          expect([operation, name, scope, status === 403, status >= 500]).toEqual([
            operation,
            name,
            scope,
            isRefused,
            false,
          ]);
          if (name === "stranger") expect([operation, text]).not.toEqual([operation, expect.stringContaining(SECRET)]);
          if (name !== "ada") expect(text).not.toContain(sessions.foreign);
        }
        for (const operation of OF_MACHINES) {
          const { status, text } = await call(operation, token, sessions.foreign);
          expect([operation, status < 300 && !operation.endsWith("/named")]).toEqual([operation, false]);
          expect(text).not.toContain(SECRET);
        }
        for (const operation of OF_ADMINISTRATORS) {
          const { status } = await call(operation, token, newId());
          const isAllowed = name === "ada" && scope === "manage";
          expect([operation, name, scope, status === 403 || status === 422]).toEqual([
            operation,
            name,
            scope,
            !isAllowed,
          ]);
        }
      }
    for (const operation of routes.filter((one) => !OPEN.has(one)))
      expect([operation, (await call(operation, undefined, sessions.shared)).status]).toEqual([operation, 401]);
  });

  test("random attempts with forged ids, other people's tokens and revoked devices: none gets through", async () => {
    const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
    const random = createRandom(seed);
    const pick = <One>(all: readonly One[]): One => all[Math.floor(random() * all.length)] as One;
    const ada = deviceOf("ada", "manage");
    const { code } = await ada.ask<{ code: string }>("/v1/codes", {});
    const lost = await openServerDevice(`${url}/#code=${code}`, newMachine("lost"));
    const revoked = await lost.token();
    const listed = await ada.ask<{ id: string; name: string }[]>("/v1/devices");
    const id = listed.find(({ name }) => name === "lost")?.id ?? "";
    await fetch(`${url}/v1/devices/${id}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${await ada.token()}` },
    });
    const good = await ada.token();
    const strangers = await Promise.all(SCOPES.map((scope) => deviceOf("stranger", scope).token()));
    const forge = (text: string): string => {
      const at = Math.floor(random() * text.length);
      return `${text.slice(0, at)}${pick("abcXYZ019-_".split("").filter((one) => one !== text[at]))}${text.slice(at + 1)}`;
    };
    const worthless: (() => string)[] = [
      () => revoked,
      () => forge(good),
      () => forge(pick(strangers)),
      () => good.slice(0, -1 - Math.floor(random() * 40)),
      () => Buffer.from(crypto.getRandomValues(new Uint8Array(93))).toString("base64url"),
      // The person of the good one with the proof of another.
      () => splice(pick(strangers), good),
    ];
    const tokens = [...worthless, () => pick(strangers)];
    const devices = listed.filter(({ name }) => name !== "lost").map((one) => one.id);
    const ids = [() => pick(Object.values(sessions)), newId, () => forge(sessions.foreign), () => pick(devices)];
    const names = [...Object.keys(SESSION_OPERATIONS), ...OF_ADMINISTRATORS, "DELETE /v1/devices/{id}"];
    const through: unknown[] = [];
    const socket = await createClient(() => connectWebSocket(url, pick(strangers)));
    for (let round = 0; round < rounds(1_000, 20_000); round += 1) {
      const sessionId = pick(ids)();
      if (random() < 0.2) {
        const ack = await socket.command(sessionId, { type: "interrupt", scope: "all" });
        if (ack.ok || ack.error.code !== "unknown_session") through.push([round, "interrupt", ack]);
        const seen = await socket.snapshot(sessionId).catch(() => undefined);
        if (seen !== undefined) through.push([round, "snapshot"]);
        const opened = await connectWebSocket(url, pick(worthless)()).catch(() => undefined);
        if (opened !== undefined) through.push([round, "connection"]);
        continue;
      }
      const operation = pick(names);
      const { status, text } = await call(operation, pick(tokens)(), sessionId);
      if (status < 400 || status === 409 || status >= 500 || text.includes(SECRET))
        through.push([round, operation, status, text]);
    }
    socket.close();
    expect(through, `SEED=${seed}`).toEqual([]);
    const left = await ada.ask<{ id: string }[]>("/v1/devices");
    expect(left.map((one) => one.id).sort()).toEqual(devices.sort());
  });
});

/** Fields of the one token with the proof of the other. */
function splice(fields: string, proof: string): string {
  const [one, other] = [fields, proof].map((token) => Buffer.from(token, "base64url"));
  return Buffer.concat([other?.subarray(0, 61) ?? Buffer.alloc(0), one?.subarray(61) ?? Buffer.alloc(0)]).toString(
    "base64url",
  );
}

interface JsonSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

/** The smallest value that a schema accepts. */
function sampleOf(given: unknown): unknown {
  const schema = given as JsonSchema;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const [first] = schema.anyOf ?? schema.oneOf ?? [];
  if (first !== undefined) return sampleOf(first);
  if (schema.type === "array") return Array.from({ length: schema.minItems ?? 0 }, () => sampleOf(schema.items ?? {}));
  if (schema.type === "number" || schema.type === "integer") return Math.max(1, schema.minimum ?? 1);
  if (schema.type === "boolean") return true;
  if (schema.type !== "object") return "x";
  return Object.fromEntries((schema.required ?? []).map((name) => [name, sampleOf(schema.properties?.[name] ?? {})]));
}
