import { afterEach, expect, test } from "vitest";
import { createSession, newDataDir, openHost } from "../../test/host/open-host.ts";
import type { Host } from "../host/index.ts";
import { createConnectionPair } from "./connections.ts";
import { createLastingClient } from "./lasting-client.ts";

let host: Host | undefined;
afterEach(async () => {
  await host?.close();
  host = undefined;
});

test("a client deletes, lists, restores and compresses sessions; a refusal rejects with the host's message", async () => {
  const dataDir = newDataDir();
  const table = (host = await openHost(dataDir));
  const client = await createLastingClient(async () => {
    const [near, far] = createConnectionPair();
    table.serve(far);
    return near;
  });
  const sessionId = await createSession(client, dataDir);
  await client.deleteSession(sessionId);
  expect((await client.trash()).map(({ summary }) => summary.sessionId)).toEqual([sessionId]);
  await expect(client.deleteSession(sessionId)).rejects.toMatchObject({
    code: "unknown_session",
    message: `There is no session ${sessionId}.`,
  });
  await client.restoreSession(sessionId);
  await expect(client.compressSession(sessionId)).rejects.toMatchObject({
    code: "conflict",
    hint: expect.stringContaining("--compress"),
  });
  await client.command(sessionId, { type: "archive", archived: true });
  const { plainBytes, bytes } = await client.compressSession(sessionId);
  expect([plainBytes > 0, bytes > 0, (await client.list()).map((one) => one.sessionId)]).toEqual([
    true,
    true,
    [sessionId],
  ]);
  client.close();
});
