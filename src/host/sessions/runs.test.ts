import { expect, test } from "vitest";
import {
  connect,
  createSession,
  listen,
  newDataDir,
  openHost,
  turnsEnded,
  until,
} from "../../../test/host/open-host.ts";
import { newId } from "../../kit/ids.ts";
import { commandResult } from "../../protocol/index.ts";

/** Two messages each, so that the first ones are on frozen pages. */
const RUNS = 140;

test("a run is found by its id in any session, however old, open here or only on disk", async () => {
  const dataDir = newDataDir();
  const writer = await openHost(dataDir);
  const client = await connect(writer);
  const sessionId = await createSession(client, dataDir);
  const heard = await listen(client, sessionId);
  const runIds: string[] = [];
  for (let at = 0; at < RUNS; at += 1) {
    const ack = await client.command(sessionId, { type: "send", text: `run ${at}`, clientMessageId: `m${at}` });
    runIds.push(commandResult("send", ack).messageId);
    await until(`answer ${at}`, () => turnsEnded(heard.events) === at + 1);
  }
  await createSession(client, dataDir);
  const first = {
    runId: runIds[0],
    sessionId,
    state: "ended",
    outcome: "completed",
    text: "run 0",
    members: [{ name: "echo", state: "answered" }],
    turns: [{ member: "echo", state: "completed", text: `answered [pid ${process.pid}]`, isCut: false }],
  };
  expect(await writer.readRun(runIds[0] ?? "")).toMatchObject(first);
  expect(await writer.readRuns()).toEqual([]);
  await writer.close();
  const reader = await openHost(dataDir);
  expect(await reader.readRun(runIds[0] ?? "")).toMatchObject(first);
  expect(await reader.readRun(runIds[0] ?? "", sessionId)).toMatchObject(first);
  expect(await reader.readRun(runIds.at(-1) ?? "")).toMatchObject({ text: `run ${RUNS - 1}`, turns: [{}] });
  await expect(reader.readRun(newId())).rejects.toMatchObject({ code: "unknown_message" });
  await reader.close();
});

test("[H85] an archived session is readable but not writable, and a refusal says how to unarchive it", async () => {
  const dataDir = newDataDir();
  const host = await openHost(dataDir);
  const client = await connect(host);
  const sessionId = await createSession(client, dataDir);
  await client.command(sessionId, { type: "archive", archived: true });
  const refusal = { ok: false, error: { code: "conflict", message: "This session is archived." } };
  const message = { text: "hello", clientMessageId: "m" };
  for (const type of ["send", "steer", "queue_add"] as const) {
    expect(await client.command(sessionId, { type, ...message })).toMatchObject(refusal);
  }
  expect(await client.command(sessionId, { type: "retry" })).toMatchObject(refusal);
  expect(await client.command(sessionId, { type: "rename", title: "put away" })).toMatchObject({ ok: true });
  await client.command(sessionId, { type: "archive", archived: false });
  expect(await client.command(sessionId, { type: "send", ...message })).toMatchObject({ ok: true });
  await host.close();
});

test("an impossible id is not found", async () => {
  const dataDir = newDataDir();
  const writer = await openHost(dataDir);
  await createSession(await connect(writer), dataDir);
  await writer.close();
  const reader = await openHost(dataDir);
  for (const runId of ["Z".repeat(26), "8".padEnd(26, "0"), "short"]) {
    await expect(reader.readRun(runId)).rejects.toMatchObject({
      code: "unknown_message",
      message: `No session has a run ${runId}.`,
    });
  }
  await reader.close();
});
