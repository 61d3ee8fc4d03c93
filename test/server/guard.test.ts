/** Every route against every hostile head, over raw sockets: refused before the handler, nothing told, nothing read. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hostileHeads, rightHead, toBytes } from "./hostile-heads.ts";
import { createSession, openServer, sendRaw, type OpenServer } from "./open-server.ts";

const REFUSALS = new Set([400, 401, 403, 404, 405, 411, 413, 415, 426, 429]);

/** Answers of handlers to a head that is right and a body, or a page, that is not. */
const EXPECTED: Record<string, number> = {
  "POST /v1/exchange": 400,
  "POST /v1/sessions/:id/commands": 400,
  "GET /v1/sessions/:id/pages/:n": 404,
  "GET /v1/ws": 101,
};

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

describe("the guard", () => {
  test("[V1] what a route asks for is let through, so a refusal below is the guard's doing", async () => {
    for (const target of targets()) {
      const before = open.server.counts.handled;
      const body = target.route.policy.bodyBytesMax > 0 ? "{}" : "";
      const answer = await sendRaw(open.port, toBytes(rightHead(target)) + body, { isOpenEnded: true });
      const name = `${target.route.method} ${target.route.path}`;
      expect({ name, handled: open.server.counts.handled - before }).toEqual({ name, handled: 1 });
      const expected = EXPECTED[name] ?? 200;
      expect({ name, status: answer.status }).toEqual({ name, status: expected });
    }
  });

  test("[V2] every hostile head is refused on every route before its handler, without its body, telling nothing", async () => {
    expect(hostileHeads.length).toBeGreaterThanOrEqual(58);
    expect(targets().length).toBeGreaterThanOrEqual(18);
    const letThrough: string[] = [];
    for (const target of targets()) {
      for (const { name, isFor, change } of hostileHeads) {
        if (isFor?.(target.route) === false) continue;
        const before = open.server.counts.handled;
        const changed = change(rightHead(target), target);
        // No byte of a body is sent: a server that waits for one would not answer.
        const answer = await sendRaw(open.port, typeof changed === "string" ? changed : toBytes(changed));
        const isSilent = answer.status === 0 && name === "method CONNECT";
        const isRefused = isSilent || REFUSALS.has(answer.status);
        const isTelling = /access-control-/i.test(answer.text) || answer.text.includes(target.token);
        const isInvited = answer.text.includes(" 100 ") || answer.text.includes(" 101 ");
        if (!isRefused || isTelling || isInvited || open.server.counts.handled !== before) {
          letThrough.push(`${target.route.method} ${target.route.path}: ${name}: ${answer.text.slice(0, 200)}`);
        }
      }
    }
    expect(letThrough).toEqual([]);
  });

  test("[V3] a link on another site may lead to the page, and to nothing else", async () => {
    const link = (host: string) =>
      `GET / HTTP/1.1\r\nHost: ${host}\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n\r\n`;
    const { port } = open;
    expect((await sendRaw(port, link(`127.0.0.1:${port}`), { isOpenEnded: true })).status).toBe(200);
    expect((await sendRaw(port, link(`localhost:${port}`), { isOpenEnded: true })).status).toBe(200);
    const script = link(`127.0.0.1:${port}`).replace("GET / ", "GET /app.js ");
    expect((await sendRaw(port, script)).status).toBe(403);
  });

  test("[V4] every answer, a refusal too, forbids scripts of others, storing, sniffing and framing", async () => {
    const { url, token } = open.server;
    const answers = [
      await fetch(url),
      await fetch(`${url}/v1/defaults`),
      await fetch(`${url}/v1/defaults`, { headers: { authorization: `Bearer ${token}` } }),
      await fetch(`${url}/nothing`),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([200, 401, 200, 404]);
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
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
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
