/** Attachments over HTTP: what is taken, how it is kept, and that it comes back as nothing but bytes. */
import { randomBytes } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ATTACHMENT_BYTES_MAX } from "../../src/protocol/index.ts";
import { authorized, createSession, openServer, type OpenServer } from "./open-server.ts";

let open: OpenServer;
let sessionId: string;
beforeAll(async () => {
  open = await openServer();
  sessionId = await createSession(open);
});
afterAll(() => open.close());

function put(body: Uint8Array, headers: Record<string, string> = {}, id = sessionId): Promise<Response> {
  return fetch(`${open.server.url}/v1/sessions/${id}/blobs`, {
    method: "POST",
    headers: { ...authorized(open), "content-type": "application/octet-stream", ...headers },
    body: new Uint8Array(body),
  });
}

test("an attachment is stored 0600 by its hash with its detected type, and is returned byte for byte", async () => {
  const polyglot = Buffer.concat([Buffer.from("GIF89a"), Buffer.from("<script>alert(1)</script>")]);
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>');
  const kinds: [Uint8Array, string][] = [
    [Buffer.from("89504e470d0a1a0a00", "hex"), "image/png"],
    [Buffer.from("ffd8ffe000", "hex"), "image/jpeg"],
    [polyglot, "image/gif"],
    [Buffer.from("RIFF\0\0\0\0WEBPVP8 "), "image/webp"],
    [svg, "text/plain"],
    [Buffer.from("grüße"), "text/plain"],
    [Buffer.from([0, 1, 2, 255]), "application/octet-stream"],
  ];
  for (const [bytes, mime] of kinds) {
    const answer = await put(bytes);
    const ref = (await answer.json()) as { sha256: string; bytes: number; mime: string };
    expect([answer.status, ref.bytes, ref.mime]).toEqual([200, bytes.length, mime]);
    const back = await fetch(`${open.server.url}/v1/sessions/${sessionId}/blobs/${ref.sha256}`, {
      headers: authorized(open),
    });
    expect(back.headers.get("content-type")).toBe("application/octet-stream");
    expect(back.headers.get("content-disposition")).toBe("attachment");
    expect(Buffer.from(await back.arrayBuffer())).toEqual(Buffer.from(bytes));
  }
  const directory = join(open.dataDir, "blobs", sessionId);
  const modes = readdirSync(directory).map((name) => statSync(join(directory, name)).mode & 0o777);
  expect(modes).toEqual(kinds.map(() => 0o600));
});

test("too much, nothing, another type, a coding, no token and a session that is not there are refused", async () => {
  const statuses = [
    (await put(Buffer.alloc(ATTACHMENT_BYTES_MAX + 1))).status,
    (await put(Buffer.alloc(0))).status,
    (await put(randomBytes(3), { "content-type": "image/png" })).status,
    (await put(randomBytes(3), { "content-type": "application/json" })).status,
    (await put(randomBytes(3), { "content-encoding": "gzip" })).status,
    (await put(randomBytes(3), { authorization: "Bearer x" })).status,
    (await put(randomBytes(3), {}, "01JN0000000000000000000001")).status,
  ];
  expect(statuses).toEqual([413, 400, 415, 415, 415, 401, 404]);
  const whole = await put(Buffer.alloc(ATTACHMENT_BYTES_MAX, 1));
  expect(whole.status).toBe(200);
});
