/** Imported sessions: questions are shown in their position. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { findSessionsIn } from "../../../src/host/index.ts";
import { externalFormats, importerOf } from "../../../test/edge-parts.ts";
import type { SessionEvent } from "../../../src/protocol/index.ts";
import { empty } from "../../../src/transcript/index.ts";
import * as assistant from "../format/assistant.ts";
import { readLog } from "../../../test/client/check-view.ts";
import { createScriptedAgent } from "../../../test/host/scripted-agent.ts";
import { bring, copyOf, newDirectory, recorded } from "../../../test/import/import-file.ts";
import { MEMBERS, openWire, SETTINGS } from "./open-wire.ts";
import { loadEvents, SmallClient } from "./small-client.ts";

type Chat = Pick<assistant.ChatEvent, "type" | "turnId" | "payload">;

/** Turns and user messages in order. */
function asShown(chats: readonly Chat[], turns: ReadonlySet<string>): string[] {
  return chats.flatMap(({ type, turnId = "", payload }) => {
    if (type === "turn_start") return turns.has(turnId) ? [turnId] : [];
    const isUsers = type === "user_message" && "text" in payload && !("fromAgentId" in payload);
    return isUsers ? [`${turnId}: ${payload.text}`] : [];
  });
}

/** The same from our log; a steered message is shown in its turn. */
function asLogged(events: readonly SessionEvent[]): string[] {
  const into = new Map<string, string>();
  for (const event of events) if (event.type === "steering") into.set(event.messageId, event.turnId);
  return events.flatMap((event) => {
    if (event.type === "turn_start") return [event.turnId];
    return event.type === "user_message" ? [`${into.get(event.messageId) ?? event.messageId}: ${event.text}`] : [];
  });
}

async function expectInPlace(dataDir: string, sessionId: string): Promise<void> {
  const events = await readLog(dataDir, sessionId);
  const turns = new Set(events.flatMap((event) => (event.type === "turn_start" ? [event.turnId] : [])));
  const logged = asLogged(events);
  expect(logged.length).toBeGreaterThan(turns.size);
  const replay = assistant.createReplay({ sessionId });
  replay.add(events);
  expect(asShown(replay.finish(), turns)).toStrictEqual(logged);
  let state = assistant.openWire(empty(sessionId));
  const told: Chat[] = [];
  for (const event of events) {
    const mapped = assistant.mapEvent(state, event, sessionId);
    state = mapped.state;
    told.push(...mapped.frames.flatMap(({ frame }) => (frame.type === "chat_event" ? [frame.event] : [])));
    // A client that subscribes here continues the same way.
    expect(assistant.openWire(state.transcript).pending).toStrictEqual(state.pending);
  }
  expect(asShown(told, turns)).toStrictEqual(logged);
}

test.for(recorded)("%s: every question stands where it was asked, live and after a reload", async (name) => {
  const dataDir = newDirectory();
  for (const { path: file, format } of (await findSessionsIn(copyOf(name), externalFormats)).sessions) {
    const { sessionId } = await bring(file, { dataDir, format });
    await expectInPlace(dataDir, sessionId);
  }
});

const threads = await importerOf("kingdom");

test.runIf(threads)("a thread of kingdom: every message of the king stands where it was written", async () => {
  const [dataDir, directory] = [newDirectory(), newDirectory()];
  for (const [at, from] of ["king", "claude", "king", "claude"].entries()) {
    const head = `from: ${from}\nto: all\ntimestamp: 2026-02-15T10:00:0${at}Z`;
    const file = path.join(directory, `000${at + 1}-${from}.md`);
    writeFileSync(file, `---\n${head}\n---\n\nWords ${at} of ${from}.\n`);
  }
  const defaults = { cwd: directory, settings: SETTINGS, members: [...MEMBERS] };
  const [thread] = (await threads?.find(directory)) ?? [];
  const result = thread && (await threads?.run(thread, { dataDir, defaults, agentFactory: createScriptedAgent }));
  await expectInPlace(dataDir, result?.sessionId ?? "");
});

test("an imported session is loaded with its questions, and the first new message leaves them where they are", async () => {
  const directory = newDirectory();
  const [found] = (await findSessionsIn(copyOf("assistant-written"), externalFormats)).sessions;
  const dataDir = path.join(directory, "data");
  const { sessionId } = await bring(found?.path ?? "", { dataDir, cwd: directory, members: MEMBERS });
  const wire = await openWire(directory);
  try {
    const before = await loadEvents(wire.door, sessionId);
    const asked = before.flatMap((event) => (event.type === "user_message" ? [event.payload.text] : []));
    expect(asked).toStrictEqual(["Look around", "And then?", "Ask the other", "Fail", "Last"]);
    const client = await SmallClient.open(wire.door, [sessionId]);
    client.say({ type: "text_input", sessionId, text: "@solo plain" });
    await client.seesChat({ type: "turn_end" });
    const live = client.frames.flatMap((frame) =>
      frame.type === "chat_event" && frame.event.type === "user_message" ? [frame.event.payload.text] : [],
    );
    expect(live).toStrictEqual(["@solo plain"]);
    expect((await loadEvents(wire.door, sessionId)).slice(0, before.length)).toStrictEqual(before);
    client.close();
  } finally {
    await wire.close();
  }
});
