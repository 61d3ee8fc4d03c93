/** Values that no client sends, through every door of a running server: each is refused in its protocol, and nobody else notices. */
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { connectWebSocket, createClient, type Client } from "../../src/client/index.ts";
import { PROTOCOL_VERSION } from "../../src/protocol/index.ts";
import { openServerDevice } from "../../src/team/index.ts";
import { openServer, type OpenServer } from "./open-server.ts";

let open: OpenServer;
let other: Client;
let sessionId: string;

beforeAll(async () => {
  open = await openServer();
  const { url, token } = open.server;
  other = await createClient(() => connectWebSocket(url, token));
  sessionId = (await other.create(open.newSession)).sessionId;
});

afterAll(async () => {
  other.close();
  await open.close();
});

const DEEP = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
const answerCommand = (result: string) =>
  `{"frame":"command","sessionId":"${sessionId}","command":{"type":"answer","commandId":"c1","requestId":"r","result":${result}}}`;

class Peer {
  readonly socket: WebSocket;
  readonly received: Record<string, unknown>[] = [];
  readonly closed: Promise<number>;
  #wake: () => void = () => {};

  constructor(path: string, token = open.server.token) {
    const headers = { authorization: `Bearer ${token}` };
    this.socket = new WebSocket(`${open.server.url.replace("http", "ws")}${path}`, { headers });
    this.closed = once(this.socket, "close").then(([code]) => code as number);
    this.socket.on("message", (data: Buffer) => {
      this.received.push(JSON.parse(data.toString()) as Record<string, unknown>);
      this.#wake();
    });
  }

  async count(count: number): Promise<void> {
    while (this.received.length < count) await new Promise<void>((resolve) => (this.#wake = resolve));
  }
}

async function isOtherServed(): Promise<boolean> {
  return (await other.list()).some((one) => one.sessionId === sessionId);
}

test("a frame of /v1/ws that nests without end, is a batch or no JSON is refused under its own id, and the next one is answered", async () => {
  const peer = new Peer("/v1/ws");
  await once(peer.socket, "open");
  const hello = JSON.stringify({ frame: "hello", protocol: PROTOCOL_VERSION, clientId: "hostile" });
  for (const frame of [
    hello,
    answerCommand(DEEP),
    DEEP,
    `[${hello}]`,
    "{",
    `{"frame":"list","id":"same","x":${DEEP}}`,
  ]) {
    peer.socket.send(frame);
  }
  peer.socket.send('{"frame":"list","id":"same"}');
  peer.socket.send('{"frame":"list","id":"same"}');
  await peer.count(8);
  const tooDeep = { code: "bad_command", message: "Malformed frame: it nests deeper than 128 levels." };
  const [, ack, deep, batch, torn, list, ...listed] = peer.received;
  expect([ack, deep, list]).toEqual([
    { frame: "ack", sessionId, ack: { commandId: "c1", ok: false, error: tooDeep } },
    { frame: "reply", id: "", ok: false, error: tooDeep },
    { frame: "reply", id: "same", ok: false, error: tooDeep },
  ]);
  expect([batch, torn]).toMatchObject([
    { frame: "reply", ok: false, error: { code: "bad_command" } },
    { frame: "reply", ok: false, error: { code: "bad_command" } },
  ]);
  expect(listed).toMatchObject([
    { frame: "reply", id: "same", ok: true },
    { frame: "reply", id: "same", ok: true },
  ]);
  // WebSocket itself has the answer to a text that is no text.
  peer.socket.send(Buffer.from([0x22, 0xff, 0x22]), { binary: false });
  expect(await peer.closed).toBe(1007);
  expect(await isOtherServed()).toBe(true);
});

test("a frame and a body of more values than anybody sends are refused before they are looked at", async () => {
  const many = `[${"0,".repeat(500_000)}0]`;
  const peer = new Peer("/v1/ws");
  await once(peer.socket, "open");
  const hello = JSON.stringify({ frame: "hello", protocol: PROTOCOL_VERSION, clientId: "hostile" });
  for (const frame of [hello, `{"frame":"create","id":"c","members":${many}}`]) peer.socket.send(frame);
  await peer.count(2);
  expect(peer.received[1]).toEqual({
    frame: "reply",
    id: "c",
    ok: false,
    error: { code: "bad_command", message: "Malformed frame: it has more than 100000 values." },
  });
  peer.socket.close();
  const refused = await post("/v1/sessions", `{"members":${many.slice(0, 400_001)}0]}`);
  expect(refused).toMatchObject({ status: 400, text: expect.stringContaining("it has more than 100000 values") });
});

test("what a read-only device sends as a frame is refused, whatever it is", async () => {
  const made = await post("/v1/codes", '{"scope":"read"}');
  const { code } = JSON.parse(made.text) as { code: string };
  const machine = { dataDir: mkdtempSync(path.join(tmpdir(), "dev-")), name: "wall" };
  const device = await openServerDevice(`${open.server.url}/#code=${code}`, machine);
  const peer = new Peer("/v1/ws", await device.token());
  await once(peer.socket, "open");
  peer.socket.send(JSON.stringify({ frame: "hello", protocol: PROTOCOL_VERSION, clientId: "wall" }));
  const command = { type: "send", commandId: "c", text: "hi", clientMessageId: "c" };
  const halves: unknown[] = [null, 7, undefined, { type: "send" }, { ...command, text: 7 }, { commandId: "c" }];
  for (const half of halves) peer.socket.send(JSON.stringify({ frame: "command", sessionId, command: half }));
  for (const frame of ["create", "delete", "put_blob", "restore", "compress"])
    peer.socket.send(JSON.stringify({ frame }));
  peer.socket.send(
    JSON.stringify({ frame: "command", sessionId, command: { type: "x", commandId: JSON.parse(DEEP) } }),
  );
  peer.socket.send(JSON.stringify({ frame: "command", sessionId, command }));
  await peer.count(14);
  const [, ...answers] = peer.received as { ok?: boolean; ack?: { ok: boolean; error: { message: string } } }[];
  expect(answers.filter(({ ok, ack }) => ok !== false && ack?.ok !== false)).toEqual([]);
  expect(answers.at(-1)?.ack?.error.message).toBe("This device has read-only access.");
  peer.socket.close();
  expect(await isOtherServed()).toBe(true);
});

test("a line of the local socket that nests without end is refused, and the next one is answered", async () => {
  const socket = connect(open.host.socketPath);
  let received = "";
  socket.setEncoding("utf8").on("data", (text: string) => (received += text));
  await once(socket, "connect");
  const hello = JSON.stringify({ frame: "hello", protocol: PROTOCOL_VERSION, clientId: "hostile" });
  socket.write(`${hello}\n${answerCommand(DEEP)}\n{"frame":"list","id":"l1"}\n`);
  while (!received.includes('"l1"')) await once(socket, "data");
  expect(received).toContain("it nests deeper than 128 levels");
  socket.destroy();
  expect(await isOtherServed()).toBe(true);
});

async function post(path: string, body: string | Uint8Array<ArrayBuffer>): Promise<{ status: number; text: string }> {
  const headers = { authorization: `Bearer ${open.server.token}`, "content-type": "application/json" };
  const response = await fetch(`${open.server.url}${path}`, { method: "POST", headers, body });
  return { status: response.status, text: await response.text() };
}

test("a deeply nested or non-UTF-8 body gets 400 with a reason on the core's routes and on those of every wire", async () => {
  const paths = [
    `/v1/sessions/${sessionId}/commands`,
    "/v1/sessions",
    "/api/chat",
    "/api/ask-user-response",
    "/api/plugins/sessions/operations/update-attributes",
    "/api/plugins/sessions/operations/message",
    "/preferences",
  ];
  const deep = `{"type":"answer","commandId":"c","requestId":"r","result":${DEEP},"patch":{"a":${DEEP}},"sessionId":"${sessionId}"}`;
  const notText = new Uint8Array([...Buffer.from('{"message":"'), 0xff, 0xfe, ...Buffer.from('"}')]);
  for (const path of paths) {
    const [tooDeep, noText] = [await post(path, deep), await post(path, notText)];
    expect({ path, statuses: [tooDeep.status, noText.status] }).toEqual({ path, statuses: [400, 400] });
    expect(tooDeep.text).toContain("it nests deeper than 128 levels");
    expect(noText.text).toContain("not JSON");
  }
  expect(await isOtherServed()).toBe(true);
});
