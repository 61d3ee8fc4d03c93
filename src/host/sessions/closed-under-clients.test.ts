/** A session is deleted or compressed while its host runs: every pending request is answered. */
import { expect, test } from "vitest";
import { BEGINNING, connect, createSession, newDataDir, until } from "../../../test/host/open-host.ts";
import { openedHosts } from "../../../test/host/opened-hosts.ts";
import { createConnectionPair } from "../../client/index.ts";
import { PROTOCOL_VERSION, type ClientFrame, type Command, type HostFrame } from "../../protocol/index.ts";
import type { Host } from "../host.ts";

/** More steps than between a command's arrival and its answer. */
const STEPS = 60;

const open = openedHosts();

/** A client that sends raw frames and tracks their answers. */
function speak(host: Host, sessionId: string) {
  const [near, far] = createConnectionPair();
  const answers = new Map<string, HostFrame>();
  near.onFrame((frame) => {
    if (frame.frame === "ack") answers.set(frame.ack.commandId, frame);
    if (frame.frame === "reply") answers.set(frame.id, frame);
  });
  host.serve(far);
  const say = (frame: ClientFrame) => near.send(frame);
  say({ frame: "hello", protocol: PROTOCOL_VERSION, clientId: "hand" });
  return {
    answers,
    command: (command: Command) => say({ frame: "command", sessionId, command }),
    subscribe: (id: string) => say({ frame: "subscribe", id, sessionId, cursor: BEGINNING }),
    answered: (...ids: string[]) => until(`the answers to ${ids.join(", ")}`, () => ids.every((id) => answers.has(id))),
  };
}

async function afterSteps(steps: number): Promise<void> {
  for (let step = 0; step < steps; step += 1) await Promise.resolve();
}

test("a session with an unanswered command is neither deleted nor compressed", async () => {
  const dataDir = newDataDir();
  const asked = Promise.withResolvers<void>();
  const found = Promise.withResolvers<readonly string[]>();
  const listFiles = () => {
    asked.resolve();
    return found.promise;
  };
  const host = await open(dataDir, { listFiles });
  const client = await connect(host);
  const sessionId = await createSession(client, dataDir);
  const ack = client.command(sessionId, { type: "list_files", query: "x", limit: 1 });
  await asked.promise;
  await expect(client.deleteSession(sessionId)).rejects.toMatchObject({ code: "busy" });
  await expect(client.compressSession(sessionId)).rejects.toMatchObject({ code: "busy" });
  found.resolve(["x.ts"]);
  expect(await ack).toMatchObject({ ok: true, result: { files: ["x.ts"] } });
  await client.deleteSession(sessionId);
});

test("a session deleted at any moment answers every pending and later command and subscription", async () => {
  const dataDir = newDataDir();
  const host = await open(dataDir);
  const client = await connect(host);
  const outcomes = new Set<string>();
  for (let steps = 0; steps < STEPS; steps += 1) {
    const sessionId = await createSession(client, dataDir);
    const { answers, command, subscribe, answered } = speak(host, sessionId);
    subscribe("first");
    await answered("first");
    command({ type: "rename", commandId: "rename", title: "x" });
    command({ type: "clear", commandId: "clear" });
    subscribe("again");
    await afterSteps(steps);
    const deleted = host.maintenance.delete(sessionId).then(
      () => "deleted",
      (error: { code: string }) => error.code,
    );
    await answered("rename", "clear", "again");
    const outcome = await deleted;
    outcomes.add(outcome);
    command({ type: "rename", commandId: "later", title: "y" });
    await answered("later");
    expect([steps, outcome, answers.get("later")]).toMatchObject([
      steps,
      outcome,
      { ack: outcome === "deleted" ? { ok: false, error: { code: "unknown_session" } } : { ok: true } },
    ]);
  }
  expect([...outcomes].sort()).toEqual(["busy", "deleted"]);
});

test("a session compressed at any moment continues with pending work", async () => {
  const dataDir = newDataDir();
  const host = await open(dataDir);
  const client = await connect(host);
  for (let steps = 0; steps < STEPS; steps += steps < 12 ? 1 : 8) {
    const sessionId = await createSession(client, dataDir);
    await client.command(sessionId, { type: "archive", archived: true });
    const { answers, command, subscribe, answered } = speak(host, sessionId);
    subscribe("first");
    await answered("first");
    command({ type: "rename", commandId: "rename", title: "put away" });
    subscribe("again");
    await afterSteps(steps);
    await host.maintenance.compress(sessionId).catch((error: { code: string }) => expect(error.code).toBe("busy"));
    await answered("rename", "again");
    expect([steps, answers.get("rename"), answers.get("again")]).toMatchObject([
      steps,
      { ack: { ok: true } },
      { ok: true },
    ]);
    expect((await client.list()).find((one) => one.sessionId === sessionId)?.title).toBe("put away");
  }
});
