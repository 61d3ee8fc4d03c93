import { createHash, randomBytes } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { connect, createSession, newDataDir, openHost } from "../../../test/host/open-host.ts";
import { attachFile, createConnectionPair, createLastingClient } from "../../client/index.ts";
import {
  ATTACHMENT_BYTES_MAX,
  blobParts,
  PROTOCOL_VERSION,
  type ClientConnection,
  type ClientFrame,
  type HostFrame,
} from "../../protocol/index.ts";
import type { Host } from "../host.ts";

const hosts: Host[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

async function open(dataDir: string): Promise<Host> {
  const host = await openHost(dataDir);
  hosts.push(host);
  return host;
}

const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

describe("a file over a connection", () => {
  test("arrives in parts, is stored by its hash with its detected type, and can be attached to a message", async () => {
    const dataDir = newDataDir();
    const host = await open(dataDir);
    const client = await connect(host);
    const sessionId = await createSession(client, dataDir);
    const bytes = new Uint8Array(randomBytes(1_300_000));
    const files = [
      { name: "a.bin", bytes },
      { name: "b.txt", bytes: new TextEncoder().encode("grüße\n") },
      { name: "c.png", bytes: new Uint8Array(Buffer.from("89504e470d0a1a0a00", "hex")) },
    ];
    // In parallel; a real client sends one after another.
    const attachments = await Promise.all(files.map((file) => attachFile(client, sessionId, file)));
    expect(attachments.map(({ name, mime, blob }) => [name, mime, blob.bytes])).toEqual([
      ["a.bin", "application/octet-stream", 1_300_000],
      ["b.txt", "text/plain", 8],
      ["c.png", "image/png", 9],
    ]);
    expect(Buffer.from(await host.readBlob(sessionId, hashOf(bytes))).equals(bytes)).toBe(true);
    const ack = await client.command(sessionId, { type: "send", text: "look", clientMessageId: "m", attachments });
    expect(ack.ok).toBe(true);
  });

  test("that is too large, empty, without a session, out of order or does not match its hash is refused, and the next one works", async () => {
    const dataDir = newDataDir();
    const host = await open(dataDir);
    const client = await connect(host);
    const sessionId = await createSession(client, dataDir);
    const large = new Uint8Array(ATTACHMENT_BYTES_MAX + 1);
    await expect(client.putBlob(sessionId, large)).rejects.toMatchObject({
      code: "too_large",
      message: expect.stringContaining("20 MB"),
    });
    await expect(client.putBlob(sessionId, new Uint8Array())).rejects.toMatchObject({ code: "bad_command" });
    const unknown = "01J0000000000000000000000Z";
    await expect(client.putBlob(unknown, new Uint8Array([1]))).rejects.toMatchObject({ code: "unknown_session" });

    const bytes = new Uint8Array(randomBytes(600_000));
    const [first, second] = [...blobParts(bytes, hashOf(bytes))];
    const raw = await speak(host);
    const ask = async (part: object) => raw.ask({ frame: "put_blob", sessionId, ...first, ...part });
    const refusals = [
      await ask({ bytes: ATTACHMENT_BYTES_MAX + 1 }),
      await ask({ bytes: 0 }),
      await ask({ ...second }),
      await ask({ data: "A".repeat(800_000) }),
      await ask({ bytes: 3, data: "AAAA" }),
      await ask({ bytes: 2, data: "AAAA" }),
    ];
    expect(refusals.map((reply) => (reply.ok ? "taken" : reply.error.code))).toEqual([
      "too_large",
      "bad_command",
      "conflict",
      "bad_command",
      "bad_command",
      "bad_command",
    ]);
    expect(await ask({})).toMatchObject({ ok: true, result: { received: 524_288 } });
    const whole = { received: 600_000, blob: { sha256: hashOf(bytes), bytes: 600_000 } };
    expect(await ask({ ...second })).toMatchObject({ ok: true, result: whole });
    // Complete: the same part again belongs to no upload.
    expect(await ask({ ...second })).toMatchObject({ ok: false, error: { code: "conflict" } });
  });

  test("for a session held by another process is stored by that process", async () => {
    const dataDir = newDataDir();
    const holder = await connect(await open(dataDir));
    const other = await connect(await open(dataDir));
    const sessionId = await createSession(holder, dataDir);
    const bytes = new Uint8Array(randomBytes(700_000));
    const blob = await other.putBlob(sessionId, bytes);
    expect(blob).toEqual(await holder.putBlob(sessionId, bytes));
    await expect(other.putBlob(sessionId, new Uint8Array())).rejects.toMatchObject({ code: "bad_command" });
  });

  test("whose connection is lost on the way is sent again from its beginning over the next one", async () => {
    const dataDir = newDataDir();
    const host = await open(dataDir);
    const lines: ClientConnection[] = [];
    const offsets: number[] = [];
    const client = await createLastingClient(
      async () => {
        const [near, far] = createConnectionPair();
        host.serve(far);
        lines.push(near);
        return {
          ...near,
          get backlogBytes() {
            return near.backlogBytes;
          },
          send(frame: ClientFrame) {
            if (frame.frame !== "put_blob") return near.send(frame);
            offsets.push(frame.offset);
            if (frame.offset > 0 && lines.length === 1) return near.close("the wire was cut");
            return near.send(frame);
          },
        };
      },
      { random: () => 0 },
    );
    const sessionId = await createSession(client, dataDir);
    const bytes = new Uint8Array(randomBytes(600_000));
    const blob = await client.putBlob(sessionId, bytes);
    expect([blob.sha256, offsets]).toEqual([hashOf(bytes), [0, 524_288, 0, 524_288]]);
    client.close();
  });
});

/** A client that sends raw frames. */
async function speak(host: Host) {
  const [near, far] = createConnectionPair();
  host.serve(far);
  const waiting = new Map<string, (reply: Extract<HostFrame, { frame: "reply" }>) => void>();
  near.onFrame((frame) => {
    if (frame.frame === "reply") waiting.get(frame.id)?.(frame);
  });
  near.send({ frame: "hello", protocol: PROTOCOL_VERSION, clientId: "raw" });
  let asked = 0;
  return {
    ask(frame: object): Promise<Extract<HostFrame, { frame: "reply" }>> {
      const id = String(asked++);
      const { promise, resolve } = Promise.withResolvers<Extract<HostFrame, { frame: "reply" }>>();
      waiting.set(id, resolve);
      near.send({ ...frame, id } as unknown as ClientFrame);
      return promise;
    },
  };
}
