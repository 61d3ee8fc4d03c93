/**
 * Deleting, restoring and compressing idle sessions. When another process holds the session, the request goes there.
 */
import type { Clock } from "../../kit/clock.ts";
import {
  hasSession,
  moveToTrash,
  readTrashNote,
  removeFromTrash,
  restoreFromTrash,
  sessionPaths,
  trashedIds,
  trashDirectory,
  type Compressed,
} from "../../log/index.ts";
import { RoundtableError, TrashedSession, type Json, type SessionSummary } from "../../protocol/index.ts";
import { summaryOf } from "../../transcript/index.ts";
import { askHolder, type Question } from "../connections/ask-holder.ts";
import { compressSession } from "./compress-session.ts";
import { removeLockFile } from "../data-dir.ts";
import type { OpenSessions } from "../sessions/open-sessions.ts";
import { readTranscript } from "../sessions/read-session.ts";

export interface SessionMaintenance {
  /**
   * Moves it to the trash. Rejects with "busy" while a turn runs, with "conflict" when `ifEmpty` is set and it has
   * messages.
   */
  delete(sessionId: string, options?: { readonly ifEmpty?: true | undefined }): Promise<void>;
  restore(sessionId: string): Promise<void>;
  /** Deleted sessions, the latest first. */
  trash(): Promise<TrashedSession[]>;
  /** Rejects with "conflict" unless the session is archived. */
  compress(sessionId: string): Promise<Compressed>;
}

export interface SessionMaintenanceDeps {
  readonly dataDir: string;
  readonly open: OpenSessions;
  readonly clock: Clock;
}

const DELETED = "the session was deleted; see `roundtable sessions trash`";
const COMPRESSED = "the session was compressed";

export function createSessionMaintenance({ dataDir, open, clock }: SessionMaintenanceDeps): SessionMaintenance {
  async function runOrDelegate<T>(question: Question, notice: string, work: () => Promise<T>): Promise<T | Json> {
    const done = await open.runExclusive(question.sessionId, { notice, mustExist: true }, work);
    return done.kind === "done" ? done.result : await askHolder(done.holder, question, clock);
  }

  return {
    async delete(sessionId, { ifEmpty } = {}) {
      const only = ifEmpty === undefined ? {} : { ifEmpty };
      await runOrDelegate({ frame: "delete", sessionId, ...only }, DELETED, async () => {
        if (ifEmpty !== undefined) await assertEmpty(dataDir, sessionId);
        const summary = await summaryAt(dataDir, sessionId);
        const note: TrashedSession = { deletedTs: clock.now(), summary };
        await moveToTrash({ dataDir, sessionId, note: note as unknown as Json });
        removeLockFile(sessionPaths(dataDir, sessionId));
      });
    },
    async restore(sessionId) {
      const options = { notice: "the session is being restored", mustExist: false };
      const done = await open.runExclusive(sessionId, options, () => restoreFromTrash({ dataDir, sessionId }));
      if (done.kind === "elsewhere") throw new RoundtableError("locked", `Another process holds session ${sessionId}.`);
    },
    trash: () => readTrash(dataDir),
    async compress(sessionId) {
      const done = await runOrDelegate({ frame: "compress", sessionId }, COMPRESSED, () =>
        compressSession(dataDir, sessionId),
      );
      return done as Compressed;
    },
  };
}

/** Runs under the lock, so that no message can arrive meanwhile. An unreadable session may have messages. */
async function assertEmpty(dataDir: string, sessionId: string): Promise<void> {
  const { head } = await readTranscript(dataDir, sessionId);
  if (head.userCount + head.turnCount + head.queue.length === 0) return;
  throw new RoundtableError("conflict", `Session ${sessionId} is not empty: it has messages.`);
}

/** Newest first. An entry without a note is read from its log. */
async function readTrash(dataDir: string): Promise<TrashedSession[]> {
  const entries: TrashedSession[] = [];
  for (const sessionId of trashedIds(dataDir)) {
    const note = TrashedSession.safeParse(await readTrashNote({ dataDir, sessionId }));
    if (note.success && note.data.summary.sessionId === sessionId) entries.push(note.data);
    else entries.push({ deletedTs: 0, summary: await summaryAt(trashDirectory(dataDir, sessionId), sessionId) });
  }
  return entries.sort((a, b) => b.deletedTs - a.deletedTs);
}

/** Unreadable sessions can be deleted and restored too. */
async function summaryAt(dataDir: string, sessionId: string): Promise<SessionSummary> {
  try {
    return summaryOf(await readTranscript(dataDir, sessionId));
  } catch (error) {
    if (!hasSession(dataDir, sessionId)) throw error;
    const problem = error instanceof Error ? error.message : String(error);
    const nothing = { cwd: "", members: [], messages: 0, turns: 0, createdTs: 0, updatedTs: 0, seq: 0 };
    return { sessionId, title: "(cannot be read)", ...nothing, archived: false, status: "interrupted", problem };
  }
}

/** Deletes only the named sessions; one that another process is just deleting is left alone. */
export async function emptyTrash(dataDir: string, sessionIds: readonly string[]): Promise<void> {
  for (const sessionId of sessionIds) await removeFromTrash({ dataDir, sessionId });
}
