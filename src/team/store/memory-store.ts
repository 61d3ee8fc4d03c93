/** The store's model in memory: what PostgreSQL is compared with. */
import { createHash } from "node:crypto";
import { parseQuery, type Entry, type Term } from "../../host/index.ts";
import { systemClock } from "../../kit/clock.ts";
import { SEARCH_LIMIT_DEFAULT, type Ack, type Cursor } from "../../protocol/index.ts";
import type { SearchQuery } from "../../protocol/index.ts";
import { checkWriter, compareBatch, decodeEvent, encodeBatch, type EncodedEvent } from "./batch.ts";
import { toHit, toQuery, toVector } from "./search-text.ts";
import { SessionView } from "./session-view.ts";
import { inboxKey, START, TeamStoreError, type CommandInbox, type PostedCommand } from "./team-store.ts";
import type { StoredAnswer, TeamBlobs, TeamStore, Visible } from "./team-store.ts";
import { createTail, type ReadBatch } from "./tail.ts";
import { WakeUps } from "./wake-ups.ts";

interface MemorySession {
  readonly runnerId: string;
  epoch: number;
  events: EncodedEvent[];
  view: SessionView;
  entries: Entry[];
}

export function createMemoryStore(): TeamStore {
  const wakeUps = new WakeUps(systemClock);
  const over = new AbortController();
  const sessions = new Map<string, MemorySession>();
  const blobs = new Map<string, Uint8Array>();
  const readBatch: ReadBatch = async (sessionId, cursor) => {
    const session = sessions.get(sessionId);
    if (session === undefined) throw new TeamStoreError("unknown_session", `There is no session ${sessionId}.`);
    const at = session.events.find(({ seq }) => seq === cursor.seq);
    const isKnown = cursor.seq === 0 || (at !== undefined && at.epoch <= cursor.epoch && cursor.epoch <= session.epoch);
    if (!isKnown) throw new TeamStoreError("unknown_cursor", `Session ${sessionId} does not have this position.`);
    const after = session.events.filter(({ seq }) => seq > cursor.seq);
    return { events: after.map((event) => decodeEvent(sessionId, event)), isWhole: true };
  };

  return {
    async ingest(writer, events) {
      const { sessionId, runnerId, epoch } = writer;
      const batch = encodeBatch(writer, events);
      const session = sessions.get(sessionId) ?? createSession(sessionId, runnerId);
      const head = headOf(session);
      checkWriter(writer, { runnerId: session.runnerId, epoch: session.epoch, head }, batch[0]);
      const { replaceFrom, fresh } = compareBatch(batch, head, new Map(session.events.map((one) => [one.seq, one])));
      session.epoch = epoch;
      sessions.set(sessionId, session);
      if (replaceFrom !== undefined) {
        const events = session.events.filter(({ seq }) => seq < replaceFrom);
        Object.assign(session, { events, view: new SessionView(sessionId), entries: [] });
        derive(sessionId, session, events);
      }
      session.events.push(...fresh);
      derive(sessionId, session, fresh);
      if (fresh.length > 0) wakeUps.wake(sessionId);
      return headOf(session);
    },
    async *read(sessionId, cursor) {
      const { events } = await readBatch(sessionId, cursor);
      if (events.length > 0) yield events;
    },
    tail: createTail(readBatch, wakeUps, over.signal),
    async list(visible = {}) {
      return visibleIn(sessions, visible.sessionIds)
        .filter(([, { events }]) => events.length > 0)
        .map(([, { runnerId, view }]) => ({ runnerId, summary: view.summary }))
        .sort((a, b) => b.summary.updatedTs - a.summary.updatedTs);
    },
    saved: async (sessionId) => sessions.get(sessionId)?.view.saved,
    async forget({ sessionId, runnerId }) {
      if ((sessions.get(sessionId)?.runnerId ?? runnerId) !== runnerId) return;
      sessions.delete(sessionId);
      for (const key of blobs.keys()) if (key.startsWith(`${sessionId} `)) blobs.delete(key);
      wakeUps.wake(sessionId);
    },
    search: async (query, visible = {}) => searchMemory(sessions, query, visible),
    blobs: createMemoryBlobs(blobs),
    inbox: createMemoryInbox(wakeUps, over.signal),
    async close() {
      over.abort();
    },
  };
}

function headOf({ events }: MemorySession): Cursor {
  const last = events.at(-1);
  return last === undefined ? START : { epoch: last.epoch, seq: last.seq };
}

function derive(sessionId: string, session: MemorySession, fresh: readonly EncodedEvent[]): void {
  for (const entry of session.view.add(fresh.map((event) => decodeEvent(sessionId, event)))) {
    if (entry.retracts === undefined) session.entries.push(entry);
    else session.entries = session.entries.filter((one) => one.eventSeq !== entry.retracts || one.kind !== "text");
  }
}

function createSession(sessionId: string, runnerId: string): MemorySession {
  return { runnerId, epoch: 0, events: [], view: new SessionView(sessionId), entries: [] };
}

function searchMemory(
  sessions: ReadonlyMap<string, MemorySession>,
  query: SearchQuery,
  { sessionIds }: Visible,
): StoredAnswer {
  const { sessionId: only, cwd, member, tool, sinceTs = 0, limit = SEARCH_LIMIT_DEFAULT } = query;
  const terms = parseQuery(query["words"]);
  const hits = visibleIn(sessions, sessionIds).flatMap(([sessionId, { view, entries }]) => {
    const { title, cwd: directory } = view.summary;
    if ((only ?? sessionId) !== sessionId || (cwd ?? directory) !== directory) return [];
    return entries
      .filter((one) => (member ?? one.member) === one.member && (tool ?? one.tool) === one.tool)
      .filter((one) => one.ts >= sinceTs && matches(one.text, terms))
      .flatMap((one) => toHit({ sessionId, title, cwd: directory }, one, terms) ?? []);
  });
  hits.sort((a, b) => b.ts - a.ts || b.eventSeq - a.eventSeq);
  return { hits: hits.slice(0, limit), hasMore: hits.length > limit, isComplete: true, sessionsLeft: 0 };
}

function visibleIn<Value>(all: ReadonlyMap<string, Value>, ids: readonly string[] | undefined): [string, Value][] {
  return [...all].filter(([id]) => ids?.includes(id) ?? true);
}

/** A tsquery on a tsvector, for the operators that are used. */
function matches(text: string, terms: readonly Term[]): boolean {
  const lexemes = new Map<string, number[]>();
  for (const [, token = "", at] of toVector(text).matchAll(/'([^']*)'(?::([\d,]+))?/g))
    lexemes.set(token, at?.split(",").map(Number) ?? []);
  const query = terms.filter((term) => toQuery([term]) !== "");
  return query.every(({ tokens, isPrefix }) => {
    const at = tokens.map((token, index) =>
      [...lexemes]
        .filter(([lexeme]) => (isPrefix && index === tokens.length - 1 ? lexeme.startsWith(token) : lexeme === token))
        .flatMap(([, positions]) => (positions.length === 0 ? [0] : positions)),
    );
    if (at.length === 1) return at[0]?.length !== 0;
    return at[0]?.some((first) => first > 0 && at.every((one, index) => one.includes(first + index))) === true;
  });
}

function createMemoryBlobs(blobs: Map<string, Uint8Array>): TeamBlobs {
  return {
    async put(sessionId, { sha256 }, bytes) {
      if (createHash("sha256").update(bytes).digest("hex") !== sha256)
        throw new TeamStoreError("conflict", "The bytes of the blob do not match its hash.");
      blobs.set(`${sessionId} ${sha256}`, Uint8Array.from(bytes));
    },
    get: async (sessionId, sha256) => blobs.get(`${sessionId} ${sha256}`),
  };
}

interface MemoryCommand {
  readonly posted: PostedCommand;
  readonly atMs: number;
  ack?: Ack;
}

/** Of commands by which the runner is to continue the session. */
function sendersOf(commands: Iterable<MemoryCommand>, runner: string, sessionId: string): string[] {
  return [...commands].flatMap(({ posted: { command, runnerId, sender }, ack }) => {
    const isOpen = ack === undefined && runnerId === runner;
    return isOpen && command.type === "start" && command.from?.sessionId === sessionId ? [sender] : [];
  });
}

function createMemoryInbox(wakeUps: WakeUps, over: AbortSignal): CommandInbox {
  const commands = new Map<string, MemoryCommand>();
  return {
    async post(posted) {
      const key = inboxKey(posted);
      if (!commands.has(key)) commands.set(key, { posted, atMs: performance.now() });
      wakeUps.wake(posted.runnerId);
    },
    async *receive(runnerId, signal) {
      const either = AbortSignal.any([signal, over]);
      const waking = wakeUps.follow(runnerId, either);
      const given = new Set<string>();
      try {
        while (!either.aborted) {
          for (const [id, { posted, ack }] of commands) {
            if (posted.runnerId !== runnerId || ack !== undefined || given.has(id)) continue;
            given.add(id);
            yield posted;
          }
          await waking.next();
        }
      } finally {
        waking.end();
      }
    },
    async acknowledge(posted, ack) {
      const command = commands.get(inboxKey(posted));
      if (command?.posted.runnerId !== posted.runnerId)
        throw new TeamStoreError("conflict", `There is no command ${ack.commandId} for this runner.`);
      command.ack ??= ack;
      wakeUps.wake(inboxKey(posted));
      return command.ack;
    },
    continuing: async (runnerId, sessionId) => sendersOf(commands.values(), runnerId, sessionId),
    async expire(runnerId, ageMs, error) {
      for (const [key, command] of commands) {
        const isOld = performance.now() - command.atMs > ageMs;
        if (command.posted.runnerId !== runnerId || command.ack !== undefined || !isOld) continue;
        command.ack = { commandId: command.posted.command.commandId, ok: false, error };
        wakeUps.wake(key);
      }
    },
    async answer(posted, signal) {
      const either = AbortSignal.any([signal, over]);
      const waking = wakeUps.follow(inboxKey(posted), either);
      try {
        while (!either.aborted) {
          const ack = commands.get(inboxKey(posted))?.ack;
          if (ack !== undefined) return ack;
          await waking.next();
        }
        return undefined;
      } finally {
        waking.end();
      }
    },
  };
}
