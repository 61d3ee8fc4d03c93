/** Wire 002 on generated sessions: sprout's reader lists and replays every one of them. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { SessionEvent } from "../../../src/protocol/index.ts";
import { empty, fold, loadedMessages, turnText, type Transcript } from "../../../src/transcript/index.ts";
import { createFlow } from "../../../src/host/index.ts";
import * as sprout from "../format/sprout.ts";
import { sessionLog } from "../../../test/generate/session-log.ts";
import { SESSION_ID } from "../../../test/generate/on-disk.ts";
import { faultsOf, parseLog, parseMeta, replay, type LineOf, type Message, type Meta } from "./sprout-reader.ts";
import { rounds } from "../../../test/rounds.ts";

interface Exported {
  readonly logs: ReadonlyMap<string, LineOf[]>;
  readonly meta: Meta;
  readonly transcript: Transcript;
}

function exported(generated: readonly SessionEvent[]): Exported {
  const events = generated.map((event) => Object.assign({}, event, { sessionId: SESSION_ID }));
  const transcript = fold(empty(SESSION_ID), events);
  const surveyor = sprout.createSproutSurveyor();
  for (const event of events) surveyor.apply(event);
  const writer = sprout.createSproutWriter({
    head: transcript.head,
    survey: surveyor.end(),
    logPath: "/out/log.jsonl",
  });
  const flow = createFlow();
  const items = [...[...loadedMessages(transcript)].flatMap((message) => flow.push(message)), ...flow.end()];
  const texts = new Map([[`${SESSION_ID}.jsonl`, ""]]);
  for (const { file, text } of [...items.flatMap((item) => writer.item(item)), ...writer.end()]) {
    texts.set(file, (texts.get(file) ?? "") + text);
  }
  const logs = new Map([...texts].map(([file, text]) => [file, parseLog(text)]));
  return { logs, meta: parseMeta(writer.meta()), transcript };
}

const rootOf = ({ logs }: Exported): LineOf[] => logs.get(`${SESSION_ID}.jsonl`) ?? [];

function textsOf(history: readonly Message[], role: Message["role"]): string[] {
  return history
    .filter((message) => message.role === role)
    .flatMap(({ content }) => content.flatMap((part) => (part.kind === "text" ? [part.text] : [])));
}

test("every line fits the format, and no log has a call without its result", () => {
  fc.assert(
    fc.property(sessionLog({ steps: 80, damage: true }), (events) => {
      const all = exported(events);
      for (const [file, lines] of all.logs) expect([file, faultsOf(replay(lines))]).toStrictEqual([file, []]);
      const plans = rootOf(all).filter(({ kind }) => kind === "plan_end");
      expect(all.meta.turns).toBe(plans.length);
    }),
    { numRuns: rounds(8, 2_000) },
  );
});

test("merged by time, lines keep the order of their logs, and a child's lines are between its start and end", () => {
  fc.assert(
    fc.property(sessionLog({ steps: 80, damage: true }), (events) => {
      const { logs } = exported(events);
      // Like sprout's reader: the root's lines first, the others in file order.
      const lines = [...logs].toSorted(([one], [other]) => Number(one.includes("/")) - Number(other.includes("/")));
      for (const order of [lines, [...lines.slice(0, 1), ...lines.slice(1).toReversed()]]) {
        const merged = order.flatMap(([, log]) => log).sort((one, other) => one.timestamp - other.timestamp);
        const places = new Map(merged.map((line, at) => [line, at]));
        const placesOf = (log: readonly LineOf[]): number[] => log.map((line) => places.get(line) ?? -1);
        for (const [file, log] of logs) {
          const own = placesOf(log);
          expect(own).toStrictEqual(own.toSorted((one, other) => one - other));
          for (const start of log) {
            if (start.kind !== "act_start") continue;
            const id = start.data.child_id;
            const end = log.find((line) => line.kind === "act_end" && line.data.child_id === id) as LineOf;
            const below = placesOf(logs.get(`${file.slice(0, -".jsonl".length)}/subagents/${id}.jsonl`) ?? []);
            expect(below[0]).toBeGreaterThan(places.get(start) ?? Infinity);
            expect(below.at(-1)).toBeLessThan(places.get(end) ?? -1);
          }
        }
      }
    }),
    { numRuns: rounds(8, 1_000) },
  );
});

/** Without anything that ends a history early, so it is complete. */
function whole(events: readonly SessionEvent[]): SessionEvent[] {
  return events.map((event) =>
    event.type === "session_clear" || event.type === "compaction"
      ? { ...pickEnvelope(event), type: "ui_set_title", title: "x" }
      : event,
  );
}

function pickEnvelope({ seq, epoch, id, ts, sessionId }: SessionEvent) {
  return { seq, epoch, id, ts, sessionId };
}

test("the replayed history has every message of the user once and every text of the members", () => {
  fc.assert(
    fc.property(sessionLog({ steps: 60 }), (events) => {
      const all = exported(whole(events));
      const history = replay(rootOf(all));
      const messages = [...loadedMessages(all.transcript)];
      const users = messages.flatMap((one) => (one.kind === "user" ? [one.text] : []));
      const below = [...all.logs].filter(([file]) => file.includes("/")).flatMap(([, lines]) => lines);
      const steeredBelow = below.flatMap((line) => (line.kind === "steering" ? [line.data.text] : []));
      const heard = [...textsOf(history, "user"), ...steeredBelow]
        .filter((text) => text !== "(Unprompted.)")
        .map((text) => text.replace(/^(?:@\S+ )+/, ""));
      expect(heard.toSorted()).toStrictEqual(users.toSorted());
      const said = textsOf(
        [...all.logs.values()].flatMap((lines) => replay(lines)),
        "assistant",
      ).join("\n\n");
      for (const one of messages) {
        if (one.kind !== "turn") continue;
        for (const block of one.blocks)
          if (block.kind === "text" && block.text.trim() !== "") expect(said).toContain(block.text);
      }
      const speakers = new Set(
        messages.flatMap((one) =>
          one.kind === "turn" && one.depth === 0 && turnText(one).trim() !== "" ? [one.member] : [],
        ),
      );
      if (speakers.size > 1) for (const name of speakers) expect(said).toContain(`**${name}**`);
    }),
    { numRuns: rounds(8, 2_000) },
  );
});

test("every delegation has a nested log of its own, below that of its parent", () => {
  fc.assert(
    fc.property(sessionLog({ steps: 80 }), (events) => {
      const { logs } = exported(events);
      const expected = [...logs].flatMap(([file, lines]) =>
        lines.flatMap((line) =>
          line.kind === "act_start" ? [`${file.slice(0, -".jsonl".length)}/subagents/${line.data.child_id}.jsonl`] : [],
        ),
      );
      const nested = [...logs.keys()].filter((file) => file.includes("/"));
      expect(nested.toSorted()).toStrictEqual(expected.toSorted());
      for (const [file, lines] of logs) {
        const depth = file.split("/subagents/").length - 1;
        expect(lines.every((line) => line.depth === depth)).toBe(true);
      }
    }),
    { numRuns: rounds(8, 1_000) },
  );
});
