/** Sign-in of devices over HTTP: what a device can do, and what nobody else can. */
import { createPublicKey, verify } from "node:crypto";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { connectWebSocket, createClient } from "../../src/client/index.ts";
import { systemClock, type Clock } from "../../src/kit/clock.ts";
import { messageOf } from "../../src/server/sign-in/keys.ts";
import { patient } from "../patience.ts";
import { ask, authorized, createSession, openServer, type OpenServer } from "./open-server.ts";
import {
  challenge,
  dsa,
  newCode,
  newKey,
  newNonce,
  readAs,
  register,
  signatureOf,
  type TestDevice,
} from "./test-device.ts";

let open: OpenServer;
/** Moves both clocks of the server, as tests need it. */
let aheadMs = 0;
const clock: Clock = {
  ...systemClock,
  now: () => systemClock.now() + aheadMs,
  monotonic: () => systemClock.monotonic() + aheadMs,
};

beforeAll(async () => {
  open = await openServer({ clock });
});
afterAll(() => open.close());

const post = async (path: string, body: unknown) => await ask(open, path, body);

const redeem = async (device: string, nonce: string, signature: string) =>
  await post("/v1/devices/token", { device, nonce, signature });

async function signIn(device: TestDevice): Promise<string> {
  const given = await challenge(open, device);
  const answer = await redeem(device.id, given.nonce, signatureOf(device, given, open.server.url));
  return (await readAs<{ token: string }>(answer)).token;
}

const withToken = async (token: string, path = "/v1/sessions") =>
  await fetch(`${open.server.url}${path}`, { headers: { authorization: `Bearer ${token}` } });

describe("a device", () => {
  test("registers once with a code, signs in, and may do what the token may", async () => {
    const device = await register(open);
    const token = await signIn(device);
    expect((await withToken(token)).status).toBe(200);
    expect((await withToken(token, "/v1/devices")).status).toBe(200);
  });

  test("registers with a typed code, as people type it", async () => {
    const code = await newCode(open, true);
    expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
    const { jwk } = newKey();
    const asTyped = ` ${code.toLowerCase().replaceAll("0", "o").replaceAll("1", "l")} `;
    expect((await post("/v1/devices", { code: asTyped, name: "Phone", key: jwk })).status).toBe(200);
    expect((await post("/v1/devices", { code, name: "Phone", key: jwk })).status).toBe(401);
  });

  test("is shown that the server knows it before it signs", async () => {
    const device = await register(open);
    const { deviceNonce, nonce, proof } = await challenge(open, device);
    const message = messageOf("server", [open.server.url, device.id, deviceNonce, nonce]);
    const isProved = verify("sha256", message, { key: device.serverKey, ...dsa }, Buffer.from(proof, "base64url"));
    expect(isProved).toBe(true);
  });

  test("signs in from forty tabs at once, as a browser that opens again", async () => {
    const device = await register(open);
    const given = await Promise.all(Array.from({ length: 40 }, () => challenge(open, device)));
    const answers = await Promise.all(
      given.toReversed().map((one) => redeem(device.id, one.nonce, signatureOf(device, one, open.server.url))),
    );
    const tokens = await Promise.all(answers.map((answer) => readAs<{ token: string }>(answer)));
    expect(new Set(tokens.map(({ token }) => token)).size).toBe(40);
    for (const { token } of tokens.slice(0, 3)) expect((await withToken(token)).status).toBe(200);
  });

  test("is listed without its key", async () => {
    await register(open, "A tablet");
    const listed = await readAs<{ name: string }[]>(await ask(open, "/v1/devices"));
    const tablet = listed.find(({ name }) => name === "A tablet");
    expect(Object.keys(tablet ?? {}).sort()).toEqual(["createdTs", "id", "name", "origin", "scope", "usedTs"]);
  });
});

describe("no sign-in succeeds", () => {
  test("by replaying a signature or a challenge", async () => {
    const device = await register(open);
    const given = await challenge(open, device);
    const signature = signatureOf(device, given, open.server.url);
    expect((await redeem(device.id, given.nonce, signature)).status).toBe(200);
    expect((await redeem(device.id, given.nonce, signature)).status).toBe(401);
    const next = await challenge(open, device);
    expect((await redeem(device.id, next.nonce, signature)).status).toBe(401);
    // A wrong answer uses the challenge up.
    expect((await redeem(device.id, next.nonce, signatureOf(device, next, open.server.url))).status).toBe(401);
  });

  test("with the server's own proof, another device's key or a signature for another address", async () => {
    const [device, other] = [await register(open), await register(open)];
    const one = await challenge(open, device);
    expect((await redeem(device.id, one.nonce, one.proof)).status).toBe(401);
    const two = await challenge(open, device);
    const stolen = signatureOf({ ...device, privateKey: other.privateKey }, two, open.server.url);
    expect((await redeem(device.id, two.nonce, stolen)).status).toBe(401);
    const three = await challenge(open, device);
    const elsewhere = signatureOf(device, three, "http://127.0.0.1:9");
    expect((await redeem(device.id, three.nonce, elsewhere)).status).toBe(401);
    const four = await challenge(open, device);
    expect((await redeem(other.id, four.nonce, signatureOf(other, four, open.server.url))).status).toBe(401);
  });

  test("at another address of this server than the one it registered at", async () => {
    const device = await register(open);
    const { port } = new URL(open.server.url);
    const answer = await fetch(`http://localhost:${port}/v1/devices/challenge`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ device: device.id, nonce: newNonce() }),
    });
    expect(answer.status).toBe(401);
  });

  test("after the challenge or the token has expired, whatever the wall clock shows", async () => {
    const device = await register(open);
    const late = await challenge(open, device);
    const token = await signIn(device);
    aheadMs += 31_000;
    expect((await redeem(device.id, late.nonce, signatureOf(device, late, open.server.url))).status).toBe(401);
    expect((await withToken(token)).status).toBe(200);
    aheadMs += 10 * 60_000;
    expect((await withToken(token)).status).toBe(401);
    expect((await withToken(await signIn(device))).status).toBe(200);
  });

  test("with a code that was used, guessed or has ended", async () => {
    const { jwk } = newKey();
    const attempt = async (code: string) => (await post("/v1/devices", { code, name: "Me", key: jwk })).status;
    const code = await newCode(open);
    aheadMs += 61_000;
    expect(await attempt(code)).toBe(401);
    expect(await attempt("0000-0000")).toBe(401);
    expect(await attempt("")).toBe(401);
  });

  test("with a key that is none", async () => {
    const zero = Buffer.alloc(32).toString("base64url");
    const keys = [{ kty: "EC", crv: "P-256", x: zero, y: zero }, { kty: "oct", k: "AAAA" }, "key", null];
    for (const key of keys) {
      const answer = await post("/v1/devices", { code: await newCode(open), name: "Me", key });
      expect(answer.status).toBe(400);
    }
  });
});

describe("a device with limits", () => {
  const pair = async (limits: object): Promise<TestDevice> => {
    const { privateKey, jwk } = newKey();
    const { code } = await readAs<{ code: string }>(await post("/v1/codes", limits));
    const registered = await readAs<{ device: string; serverKey: JsonWebKey }>(
      await post("/v1/devices", { code, name: "Tablet", key: jwk }),
    );
    const serverKey = createPublicKey({ key: registered.serverKey, format: "jwk" });
    return { id: registered.device, privateKey, serverKey };
  };

  test("that may only read gets through no route and no frame that changes anything", async () => {
    const token = await signIn(await pair({ scope: "read" }));
    const sessionId = await createSession(open);
    const routes = [...open.server.routes.values()].flat().filter(({ policy }) => policy.access === "token");
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const refused: string[] = [];
    for (const { method, path, policy } of routes.filter((one) => one.policy.carrier === "http")) {
      const at = path.replaceAll(":id", sessionId).replaceAll(":n", "0").replaceAll(":hash", "0".repeat(64));
      // Streams do not end by themselves.
      const body = policy.bodyBytesMax > 0 ? { body: "{}" } : {};
      const answer = await fetch(`${open.server.url}${at}`, { method, headers, ...body });
      await answer.body?.cancel();
      if (answer.status === 403) refused.push(`${method} ${path}`);
      else expect([method, path]).toEqual(["GET", path]);
    }
    expect(refused.filter((name) => name.startsWith("GET ")).sort()).toEqual([
      "GET /v1/configuration",
      "GET /v1/devices",
      "GET /v1/files",
      "GET /v1/folders",
    ]);
    const client = await createClient(() => connectWebSocket(open.server.url, token));
    expect((await client.list()).map((one) => one.sessionId)).toContain(sessionId);
    const readOnly = { code: "unsupported", message: "This device has read-only access." };
    expect(await client.command(sessionId, { type: "rename", title: "mine" })).toMatchObject({
      ok: false,
      error: readOnly,
    });
    await expect(client.create(open.newSession)).rejects.toMatchObject(readOnly);
    await expect(client.deleteSession(sessionId)).rejects.toMatchObject(readOnly);
    client.close();
    // The token may do everything, and is not given for a code that gives less.
    const { code } = await readAs<{ code: string }>(await post("/v1/codes", { scope: "read" }));
    expect((await post("/v1/exchange", { code })).status).toBe(401);
  });

  test("that may use sessions manages no devices", async () => {
    const token = await signIn(await pair({ scope: "use" }));
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const codes = await fetch(`${open.server.url}/v1/codes`, { method: "POST", headers, body: "{}" });
    expect([codes.status, (await withToken(token, "/v1/devices")).status]).toEqual([403, 403]);
    expect((await fetch(`${open.server.url}/v1/sessions`, { method: "POST", headers, body: "{}" })).status).toBe(200);
  });

  test("that expires loses its token, its connections and its place in the list", async () => {
    const device = await pair({ days: 1 });
    const listed = await readAs<{ id: string; expiresTs?: number }[]>(await ask(open, "/v1/devices"));
    const { expiresTs = 0 } = listed.find(({ id }) => id === device.id) ?? {};
    expect(Math.abs(expiresTs - clock.now() - 24 * 3_600_000)).toBeLessThan(patient(10_000));
    aheadMs += 24 * 3_600_000 - 60_000;
    const token = await signIn(device);
    // It could sign in one that does not expire.
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    expect((await fetch(`${open.server.url}/v1/codes`, { method: "POST", headers, body: "{}" })).status).toBe(403);
    const socket = new WebSocket(`${open.server.url.replace("http", "ws")}/v1/ws`, ["roundtable.v1", `token.${token}`]);
    await once(socket, "open");
    const closed = once(socket, "close");
    aheadMs += 61_000;
    await closed;
    expect((await withToken(token)).status).toBe(401);
    expect((await post("/v1/devices/challenge", { device: device.id, nonce: newNonce() })).status).toBe(401);
    const left = await readAs<{ id: string }[]>(await ask(open, "/v1/devices"));
    expect(left.map(({ id }) => id)).not.toContain(device.id);
  });

  test("is refused limits that mean nothing", async () => {
    for (const limits of [{ days: 0 }, { days: 1.5 }, { days: 1e9 }, { scope: "admin" }, { scope: null }])
      expect((await post("/v1/codes", limits)).status).toBe(400);
  });
});

describe("a revoked device", () => {
  test("loses its tokens and its open connections at once", async () => {
    const device = await register(open);
    const token = await signIn(device);
    const pending = await challenge(open, device);
    const socket = new WebSocket(`${open.server.url.replace("http", "ws")}/v1/ws`, ["roundtable.v1", `token.${token}`]);
    await once(socket, "open");
    const closed = once(socket, "close");
    const headers = authorized(open);
    const gone = await fetch(`${open.server.url}/v1/devices/${device.id}`, { method: "DELETE", headers });
    expect(gone.status).toBe(200);
    await closed;
    expect((await withToken(token)).status).toBe(401);
    expect((await redeem(device.id, pending.nonce, signatureOf(device, pending, open.server.url))).status).toBe(401);
    expect((await post("/v1/devices/challenge", { device: device.id, nonce: newNonce() })).status).toBe(401);
    expect((await fetch(`${open.server.url}/v1/devices/${device.id}`, { method: "DELETE", headers })).status).toBe(404);
  });

  test("does not finish a sign-in that was under way", async () => {
    const device = await register(open);
    const given = await challenge(open, device);
    const [answer] = await Promise.all([
      redeem(device.id, given.nonce, signatureOf(device, given, open.server.url)),
      fetch(`${open.server.url}/v1/devices/${device.id}`, { method: "DELETE", headers: authorized(open) }),
    ]);
    if (answer.status === 200) {
      const { token } = await readAs<{ token: string }>(answer);
      expect((await withToken(token)).status).toBe(401);
    }
  });
});

test("no route of another system's protocol accepts a device", async () => {
  const token = await signIn(await register(open));
  const compat = [...open.server.routes.values()].flat().filter(({ policy }) => policy.access === "bearer");
  expect(compat.length).toBeGreaterThan(20);
  for (const { method, path } of compat.filter(({ policy }) => policy.carrier === "http")) {
    const at = path.replaceAll(":id", "01JN0000000000000000000001").replaceAll(":n", "0");
    const headers = { authorization: `Bearer ${token}` };
    const { status } = await fetch(`${open.server.url}${at}`, { method, headers });
    expect([method, path, status]).toEqual([method, path, 403]);
  }
});

test("another site, another port and another name can change nothing", async () => {
  const token = await signIn(await register(open));
  const changing = [...open.server.routes.values()].flat().filter(({ method }) => method !== "GET");
  expect(changing.length).toBeGreaterThan(10);
  const strangers = [{ origin: "https://evil.example" }, { origin: "http://127.0.0.1:9" }, { origin: "null" }];
  for (const { method, path } of changing) {
    const at = path.replaceAll(":id", "01JN0000000000000000000001").replaceAll(":n", "0");
    for (const stranger of [...strangers, { "sec-fetch-site": "cross-site" }, { "sec-fetch-site": "same-site" }]) {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", ...stranger };
      const { status } = await fetch(`${open.server.url}${at}`, { method, headers, body: "{}" });
      expect([method, path, stranger, status]).toEqual([method, path, stranger, 403]);
    }
  }
});

test("unregisters a service worker that another server left", async () => {
  const answer = await fetch(`${open.server.url}/left/behind.js`, { headers: { "service-worker": "script" } });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
  expect(await answer.text()).toContain("registration.unregister()");
});
