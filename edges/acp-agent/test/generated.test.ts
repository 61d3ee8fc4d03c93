/** Updates of generated sessions: each matches the protocol, and no text is lost. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import type { SessionEvent } from "../../../src/protocol/index.ts";
import { empty, fold, loadedMessages, type Transcript } from "../../../src/transcript/index.ts";
import * as acpAgent from "../format/acp-agent.ts";
import { sessionLog } from "../../../test/generate/session-log.ts";
import { ended, batchSizes, batchesOf } from "../../../test/wires/ended-log.ts";
import { rounds } from "../../../test/rounds.ts";

/** The protocol's schema of a notification, as published with the official library. */
function notificationSchema(): z.ZodType {
  const file = createRequire(import.meta.url).resolve("@agentclientprotocol/sdk/schema/v1/schema.json");
  const { $defs } = JSON.parse(readFileSync(file, "utf8")) as { $defs: Record<string, object> };
  const schema = { $ref: "#/$defs/SessionNotification", $defs } as Parameters<typeof z.fromJSONSchema>[0];
  return z.fromJSONSchema(schema);
}

const Notification = notificationSchema();

function play(
  events: readonly SessionEvent[],
  sizes: readonly number[],
): { updates: SessionUpdate[]; last: Transcript } {
  let transcript = empty("session");
  const stream = new acpAgent.SessionUpdates(transcript, { clientId: "editor" });
  const updates: SessionUpdate[] = [];
  for (const batch of batchesOf(events, sizes)) {
    transcript = fold(transcript, batch);
    updates.push(...stream.show(transcript, batch));
  }
  return { updates, last: transcript };
}

/** Joined as in an editor: all chunks of a message, and every call with its last status. */
function read(updates: readonly SessionUpdate[]): { said: Map<string, string>; calls: Map<string, string> } {
  const said = new Map<string, string>();
  const calls = new Map<string, string>();
  for (const update of updates) {
    if (update.sessionUpdate === "agent_message_chunk" || update.sessionUpdate === "agent_thought_chunk") {
      const key = `${update.sessionUpdate} ${update.messageId ?? ""}`;
      const text = update.content.type === "text" ? update.content.text : "";
      said.set(key, (said.get(key) ?? "") + text);
    }
    if (update.sessionUpdate === "tool_call") calls.set(update.toolCallId, update.status ?? "pending");
    if (update.sessionUpdate === "tool_call_update") {
      expect(calls.has(update.toolCallId)).toBe(true);
      if (update.status !== undefined && update.status !== null) calls.set(update.toolCallId, update.status);
    }
  }
  return { said, calls };
}

test("every update of a generated session fits the protocol's schema", () => {
  expect(Notification.safeParse({ sessionId: "s", update: { sessionUpdate: "bogus" } }).success).toBe(false);
  fc.assert(
    fc.property(sessionLog({ steps: 60, damage: true }), batchSizes, (events, sizes) => {
      const { updates } = play(events, sizes);
      for (const update of updates) {
        expect(
          Notification.safeParse({ sessionId: "s", update: JSON.parse(JSON.stringify(update)) }).error,
        ).toBeUndefined();
      }
    }),
    { numRuns: rounds(8, 1_000) },
  );
});

test("folding the updates back gives every text, thought and call of the transcript, none cut by another member's", () => {
  fc.assert(
    fc.property(sessionLog({ steps: 60 }), batchSizes, (events, sizes) => {
      const { updates, last } = play(ended(events), sizes);
      const { said, calls } = read(updates);
      const drawn = updates.map((one) =>
        one.sessionUpdate === "agent_message_chunk" && one.content.type === "text" ? one.content.text : "",
      );
      const page = drawn.join("");
      for (const turn of loadedMessages(last)) {
        if (turn.kind !== "turn") continue;
        for (const block of turn.blocks) {
          if (block.kind === "text") {
            expect(said.get(`agent_message_chunk ${turn.turnId}`) ?? "").toContain(block.text);
            expect(page).toContain(block.text);
          }
          if (block.kind === "thinking")
            expect(said.get(`agent_thought_chunk ${turn.turnId}`) ?? "").toContain(block.text);
          if (block.kind !== "tool") continue;
          const isOk = block.state !== "error" && block.state !== "interrupted" && block.state !== "pending";
          expect(calls.get(block.toolCallId)).toBe(isOk ? "completed" : "failed");
        }
      }
    }),
    { numRuns: rounds(8, 2_000) },
  );
});
