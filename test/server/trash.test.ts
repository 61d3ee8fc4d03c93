/** Deleting over HTTP: to the trash and back, behind the same guard as everything else. */
import { afterEach, expect, test } from "vitest";
import { ask, authorized, createSession, openServer, type OpenServer } from "./open-server.ts";

let open: OpenServer | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

test("DELETE /v1/sessions/:id moves a session to the trash, which is listed and gives it back; only with the token", async () => {
  const server = (open = await openServer());
  const sessionId = await createSession(server, { title: "unwanted" });
  const url = `${server.server.url}/v1/sessions/${sessionId}`;
  const remove = (headers: Record<string, string>) => fetch(url, { method: "DELETE", headers });
  expect((await remove({})).status).toBe(401);
  expect((await remove({ ...authorized(server), origin: "https://elsewhere.example" })).status).toBe(403);
  const listed = async () => (await (await ask(server, "/v1/sessions")).json()) as { sessionId: string }[];
  expect(await listed()).toMatchObject([{ sessionId }]);

  const removed = await remove(authorized(server));
  expect([removed.status, await removed.json()]).toEqual([200, { ok: true }]);
  expect(await listed()).toEqual([]);
  expect((await remove(authorized(server))).status).toBe(404);
  expect(await (await ask(server, "/v1/trash")).json()).toMatchObject([{ summary: { sessionId, title: "unwanted" } }]);

  const back = await ask(server, `/v1/trash/${sessionId}/restore`, {});
  expect([back.status, await back.json()]).toEqual([200, { ok: true }]);
  expect(await listed()).toMatchObject([{ sessionId, title: "unwanted" }]);
  expect((await ask(server, `/v1/trash/${sessionId}/restore`, {})).status).toBe(404);
});

test("a session with a running turn is not deleted, and the answer names what to do", async () => {
  const server = (open = await openServer());
  const sessionId = await createSession(server);
  const command = { type: "send", commandId: "c", clientMessageId: "c", text: "/try slow" };
  expect((await ask(server, `/v1/sessions/${sessionId}/commands`, command)).status).toBe(200);
  const refused = await fetch(`${server.server.url}/v1/sessions/${sessionId}`, {
    method: "DELETE",
    headers: authorized(server),
  });
  expect([refused.status, await refused.json()]).toMatchObject([
    409,
    { error: { code: "busy", hint: expect.stringContaining("Stop the running turns") } },
  ]);
});
