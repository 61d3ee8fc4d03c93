/** Wire 003 on generated sessions: every line matches the format, and no text is lost. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { SessionEvent } from "../../../src/protocol/index.ts";
import {
  empty,
  fold,
  loadedMessages,
  type Transcript,
  type TurnMessage,
  type UserMessage,
  isQuiet,
} from "../../../src/transcript/index.ts";
import * as lemon from "../format/lemon.ts";
import { sessionLog } from "../../../test/generate/session-log.ts";
import { ended, batchSizes, batchesOf } from "../../../test/wires/ended-log.ts";
import { conversationOf, newSession, readEvent, type Conversation, type ReadSession } from "./line-reader.ts";
import { WireLine, type WireAssistant } from "./line-schemas.ts";
import { rounds } from "../../../test/rounds.ts";

/** The transcript in the same form. */
function expected(transcript: Transcript): Conversation {
  const users: string[] = [];
  const members = new Map<string, string[]>();
  for (const message of loadedMessages(transcript)) {
    if (message.kind === "user") users.push(asTyped(message));
    if (message.kind === "turn") {
      members.set(message.member, [...(members.get(message.member) ?? []), ...saidIn(message)]);
    }
  }
  return { users, members };
}

function asTyped({ text, to, toAll }: UserMessage): string {
  return toAll || to.length === 0 ? text : `${to.map((name) => `@${name}`).join(" ")} ${text}`;
}

function saidIn(turn: TurnMessage): string[] {
  return turn.blocks.flatMap((block) => {
    if (block.kind === "text") return [`text ${block.text}`];
    if (block.kind === "thinking") return [`thinking ${block.text}`];
    if (block.kind !== "tool") return [];
    const isError = block.state === "error" || block.state === "interrupted" || block.state === "pending";
    const text = (block.state === "pending" ? undefined : (block.result ?? block.error?.message)) ?? block.output;
    return [`tool ${block.toolCallId} ${block.name} ${String(isError)} ${beginningOf(text)}`];
  });
}

/** Tool output is limited to 32 KiB, with the omitted size. */
function beginningOf(text: string): string {
  const told = new TextDecoder().decode(Buffer.from(text).subarray(0, 32 * 1024), { stream: true });
  return told === text ? text : `${told}\n[${text.length - told.length} more characters]`;
}

/** The wire synthesises calls for exchanges and subagents, and splits messages in its own way. */
function comparable({ users, members }: Conversation): unknown {
  const isMade = (one: string) => /^tool \S+ (?:subagent|agents_message) /.test(one);
  const said = [...members].flatMap(([name, all]) => all.filter((one) => !isMade(one)).map((one) => `${name} ${one}`));
  return { users, said: said.toSorted() };
}

/** Without what this wire cannot express: an ended message never changes, so retracted or replaced text stays. */
function sayable(events: readonly SessionEvent[]): SessionEvent[] {
  return events.map((event) => {
    if (event.type === "text_retracted") return { ...event, type: "ui_notify", message: "", notifyType: "info" };
    if (event.type !== "turn_start") return event;
    const { replaces: _, ...rest } = event;
    return rest;
  });
}

function play(events: readonly SessionEvent[], sizes: readonly number[]): { session: ReadSession; last: Transcript } {
  const session = newSession();
  let transcript = empty("session");
  const stream = new lemon.SessionStream(transcript);
  take(session, stream.begin());
  for (const batch of batchesOf(events, sizes)) {
    transcript = fold(transcript, batch);
    take(session, stream.show(transcript, batch));
    take(
      session,
      batch.flatMap((event) => lemon.signalLines(event)),
    );
  }
  return { session, last: transcript };
}

const SESSION = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const LINE_BYTES_MAX = 64 * 1024;

function take(session: ReadSession, lines: readonly lemon.Line[]): void {
  for (const raw of lines) {
    // Generated sessions have a short name; ids of the wire are those of real ones.
    const text = JSON.stringify({ ...raw, session_id: SESSION });
    if (Buffer.byteLength(text) > LINE_BYTES_MAX) session.faults.push(`${text.slice(0, 100)}… is longer than 64 KiB`);
    const line = WireLine.parse(JSON.parse(text));
    if (line.type === "event") readEvent(session, line);
  }
}

test("every line of a generated session fits the format and 64 KiB, and one message grows at a time", () => {
  fc.assert(
    fc.property(sessionLog({ steps: 80, damage: true }), batchSizes, (events, sizes) => {
      const { session } = play(events, sizes);
      expect(session.faults).toStrictEqual([]);
    }),
    { numRuns: rounds(10, 2_000) },
  );
});

test("folding the lines back gives the conversation of the transcript", () => {
  fc.assert(
    fc.property(sessionLog({ steps: 60 }), batchSizes, (events, sizes) => {
      const { session, last } = play(ended(sayable(events)), sizes);
      const isHeaded = ({ content: [first] }: WireAssistant): boolean =>
        first?.type === "text" && /^\*\*[^*]+\*\*\n\n$/.test(first.text);
      expect(session.growing).toBeUndefined();
      expect(comparable(conversationOf(session.messages, isHeaded))).toStrictEqual(comparable(expected(last)));
    }),
    { numRuns: rounds(10, 2_000) },
  );
});

test("a client that connects later gets the same messages, those that wait for a running turn after it", () => {
  fc.assert(
    fc.property(sessionLog({ steps: 40 }), fc.double({ min: 0, max: 1, noNaN: true }), (events, share) => {
      const all = ended(events);
      const count = Math.round(share * all.length);
      let transcript = fold(empty("session"), all.slice(0, count));
      const { clearedSeq } = transcript.head;
      const isShown = ({ seq }: { readonly seq: number }) => seq > clearedSeq;
      fc.pre([...loadedMessages(transcript)].filter(isShown).length <= lemon.HISTORY_MESSAGES_MAX);
      const session = newSession();
      const stream = new lemon.SessionStream(transcript);
      take(session, stream.begin());
      const isWorking = !isQuiet(transcript.head) && Object.keys(transcript.head.openTurns).length > 0;
      expect(session.isBusy).toBe(isWorking);
      const users = () =>
        [...loadedMessages(transcript)].flatMap((one) => (one.kind === "user" && isShown(one) ? [asTyped(one)] : []));
      const received = () => session.messages.flatMap((one) => (one.role === "user" ? [one.content] : []));
      expect(received()).toStrictEqual(isWorking ? users().slice(0, received().length) : users());
      for (const event of all.slice(count)) {
        transcript = fold(transcript, [event]);
        take(session, stream.show(transcript, [event]));
      }
      expect(received()).toStrictEqual(users());
      expect(session.faults).toStrictEqual([]);
    }),
    { numRuns: rounds(10, 2_000) },
  );
});
