/** What the guard lets through, and what every answer carries. The hostile heads are in `guard-corpus.test.ts`. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answerHeaders } from "../../src/server/http/refuse.ts";
import type { Route } from "../../src/server/http/policy.ts";
import { createSession, openServer, sendRaw, type OpenServer } from "./open-server.ts";
import { rightHead, toBytes, withHeader } from "./raw-head.ts";

/** What a handler may say to a head that is right with an empty object for a body, and to a page or a run that is not there. */
const QUERIED = new Set(["/v1/search", "/v1/sessions/:id/patch", "/v1/sessions/:id/file", "/v1/sessions/:id/named"]);

function statusesOf({ path, policy }: Route): number[] {
  if (policy.carrier === "websocket") return [101];
  // Some take what they are asked about from a body or a query that is not there.
  const isAskedMore = policy.bodyBytesMax > 0 || path.startsWith("/api/") || QUERIED.has(path);
  return [200, ...(isAskedMore ? [400] : []), ...(path.includes("/:") ? [404] : [])];
}

let open: OpenServer;
let sessionId: string;
beforeAll(async () => {
  open = await openServer();
  sessionId = await createSession(open);
});
afterAll(() => open.close());

function targets() {
  const { server, port } = open;
  return [...server.routes.values()].flat().map((route) => ({ port, token: server.token, route, sessionId }));
}

function routeAt(path: string): Route {
  const [route] = open.server.routes.get(path) ?? [];
  if (route === undefined) throw new Error(`there is no route ${path}`);
  return route;
}

describe("the guard", () => {
  test("what a route asks for is let through, so a refusal is the guard's doing", async () => {
    for (const target of targets()) {
      const before = open.server.counts.handled;
      const body = target.route.policy.bodyBytesMax > 0 ? "{}" : "";
      const answer = await sendRaw(open.port, toBytes(rightHead(target)) + body, { isOpenEnded: true });
      const name = `${target.route.method} ${target.route.path}`;
      expect({ name, handled: open.server.counts.handled - before }).toEqual({ name, handled: 1 });
      expect({ name, statuses: statusesOf(target.route) }).toEqual({
        name,
        statuses: expect.arrayContaining([answer.status]),
      });
    }
  });

  test("HEAD is answered like GET without the body, and ends where GET goes on", async () => {
    const { server, port } = open;
    for (const path of ["/v1/defaults", "/v1/sessions/:id/export", "/v1/sessions/events", "/v1/sessions/:id/events"]) {
      const right = rightHead({ port, token: server.token, route: routeAt(path), sessionId });
      const head = { ...withHeader(right, "Connection", "close"), method: "HEAD" };
      const { status, text } = await sendRaw(port, toBytes(head));
      expect([path, status, text.slice(text.indexOf("\r\n\r\n"))]).toEqual([path, 200, "\r\n\r\n"]);
    }
  });

  test("a client that would rather speak HTTP/2 is answered in HTTP/1.1, with its body read", async () => {
    const { server, port } = open;
    const wish = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAAB\r\n";
    const typed = 'Content-Type: application/json; charset="utf-8"\r\nContent-Length: 14\r\n';
    const bytes = `POST /v1/sessions HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${wish}Authorization: bearer ${server.token}\r\n${typed}\r\n`;
    const { status, text } = await sendRaw(port, `${bytes}{"title":"h2"}`, { isOpenEnded: true });
    expect([status, text]).toEqual([200, expect.stringContaining("sessionId")]);
  });

  test("a WebSocket path says what to upgrade to", async () => {
    const answer = await fetch(`${open.server.url}/v1/ws`, {
      headers: { authorization: `Bearer ${open.server.token}` },
    });
    expect([answer.status, answer.headers.get("upgrade")]).toEqual([426, "websocket"]);
  });

  test("an address that is too long is refused as such", async () => {
    const { url, token } = open.server;
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${url}/v1/search?q=${"x".repeat(2_048)}`, { headers });
    expect([answer.status, await answer.text()]).toEqual([414, expect.stringContaining("longer than 2048 characters")]);
  });

  test("a link on another site may lead to the page, and to nothing else", async () => {
    const link = (host: string) =>
      `GET / HTTP/1.1\r\nHost: ${host}\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n\r\n`;
    const { port } = open;
    expect((await sendRaw(port, link(`127.0.0.1:${port}`), { isOpenEnded: true })).status).toBe(200);
    expect((await sendRaw(port, link(`localhost:${port}`), { isOpenEnded: true })).status).toBe(200);
    const script = link(`127.0.0.1:${port}`).replace("GET / ", "GET /app.js ");
    expect((await sendRaw(port, script)).status).toBe(403);
  });

  test("[V4] the answer of every route has every header that answers have", async () => {
    for (const target of targets().filter(({ route }) => route.policy.carrier === "http")) {
      const body = target.route.policy.bodyBytesMax > 0 ? "{}" : "";
      const { text } = await sendRaw(open.port, toBytes(rightHead(target)) + body, { isOpenEnded: true });
      const lines = text.toLowerCase().split("\r\n");
      const missing = Object.entries(answerHeaders).filter(
        ([name, value]) => !lines.includes(`${name}: ${value}`.toLowerCase()),
      );
      expect([target.route.path, missing]).toEqual([target.route.path, []]);
    }
  });

  test("[V4] every answer, a refusal too, forbids scripts of others, storing, sniffing and framing", async () => {
    const { url, token } = open.server;
    const answers = [
      await fetch(url),
      await fetch(`${url}/app.js`),
      await fetch(`${url}/v1/defaults`),
      await fetch(`${url}/v1/defaults`, { headers: { authorization: `Bearer ${token}` } }),
      await fetch(`${url}/nothing`),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 401, 200, 404]);
    for (const { headers } of answers) {
      expect({
        csp: headers.get("content-security-policy"),
        cache: headers.get("cache-control"),
        sniff: headers.get("x-content-type-options"),
        frame: headers.get("x-frame-options"),
        referrer: headers.get("referrer-policy"),
        cors: headers.get("access-control-allow-origin"),
      }).toEqual({
        csp:
          "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; " +
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types dompurify roundtable",
        cache: "no-store",
        sniff: "nosniff",
        frame: "DENY",
        referrer: "no-referrer",
        cors: null,
      });
    }
    expect(await (await fetch(`${url}/v1/health`)).text()).toBe('{"ok":true}');
  });
});
