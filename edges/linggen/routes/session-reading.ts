/** Session data for the routes: snapshots and pages, without locks. A directory is only compared with known ones. */
import type { Clock } from "../../../src/kit/clock.ts";
import { isUlid } from "../../../src/kit/ids.ts";
import { RoundtableError, type SessionSummary, type SnapshotFrame } from "../../../src/protocol/index.ts";
import {
  fromSnapshot,
  loadedMessages,
  PAGE_SIZE,
  withPage,
  type ShownMessage,
  type Transcript,
} from "../../../src/transcript/index.ts";
import { callHost, CALL_ID, type ServedHost, type SessionDefaults } from "../../../src/server/index.ts";
import type { ClientStore } from "./client-store.ts";

export const CLIENT_ID = "linggen";

/** Default session name of clients that know none. */
const DEFAULT_SESSION = "default";
/** Number of sessions searched for an id without a session. */
const SEARCHED_MAX = 50;

export interface SessionReading {
  /** Not archived, newest first. */
  sessions(projectRoot?: string): Promise<SessionSummary[]>;
  /** As stored in sessions. Rejects with "unknown_session" for an unknown directory. */
  directory(projectRoot: string): Promise<string>;
  directories(): Promise<readonly { readonly path: string; readonly addedTs: number }[]>;
  /** The client's session; undefined if it does not exist yet. */
  named(sessionId: string | null | undefined, projectRoot: string | undefined): Promise<string | undefined>;
  transcript(sessionId: string): Promise<Transcript>;
  /** The newest messages of a session, oldest first. */
  shown(sessionId: string, messagesMax: number): Promise<{ transcript: Transcript; messages: ShownMessage[] }>;
  /** The first session that matches, busy ones first. */
  find(isIt: (transcript: Transcript) => boolean): Promise<Transcript | undefined>;
}

export interface ReadingDeps {
  readonly host: ServedHost;
  readonly clock: Clock;
  readonly defaults: SessionDefaults;
}

function runningFirst(a: SessionSummary, b: SessionSummary): number {
  return Number(b.status === "running") - Number(a.status === "running");
}

export function createSessionReading({ host, clock, defaults }: ReadingDeps, store: ClientStore): SessionReading {
  const ask = (frame: Parameters<typeof callHost>[2]) => callHost({ host, clock }, CLIENT_ID, frame);

  async function sessions(projectRoot?: string): Promise<SessionSummary[]> {
    const all = (await host.listSessions()).filter((one) => !one.archived && one.problem === undefined);
    const mine = projectRoot === undefined ? all : all.filter((one) => isSame(one.cwd, projectRoot));
    return mine.toSorted((a, b) => b.createdTs - a.createdTs || (a.sessionId < b.sessionId ? 1 : -1));
  }

  async function directories() {
    const added = (await store.read()).projects.map(({ path, addedTs }) => [path, addedTs] as const);
    const addedTsByPath = new Map([[defaults.cwd, 0], ...added]);
    for (const { cwd, createdTs } of await sessions())
      addedTsByPath.set(cwd, Math.min(addedTsByPath.get(cwd) || Infinity, createdTs));
    return [...addedTsByPath].map(([path, addedTs]) => ({ path, addedTs }));
  }

  async function directory(projectRoot: string): Promise<string> {
    const match = (await directories()).find((one) => isSame(one.path, projectRoot));
    if (match !== undefined) return match.path;
    throw new RoundtableError("unknown_session", "Unknown project_root; add it with POST /api/projects first.");
  }

  async function transcript(sessionId: string): Promise<Transcript> {
    if (!isUlid(sessionId)) throw unknownSession();
    const snapshot = (await ask({ frame: "snapshot", id: CALL_ID, sessionId })) as unknown as SnapshotFrame;
    const folded = fromSnapshot(snapshot);
    if (folded !== undefined) return folded;
    throw new RoundtableError("version_mismatch", "The session is held by another version of this program.");
  }

  return {
    sessions,
    directory,
    directories,
    transcript,
    async named(sessionId, projectRoot) {
      if (sessionId === null || sessionId === undefined || sessionId === "") return undefined;
      const mine = await sessions(projectRoot);
      if (sessionId === DEFAULT_SESSION) return mine[0]?.sessionId;
      if (mine.some((one) => one.sessionId === sessionId)) return sessionId;
      throw unknownSession();
    },
    async shown(sessionId, messagesMax) {
      let whole = await transcript(sessionId);
      const pagesMax = Math.ceil(messagesMax / PAGE_SIZE);
      const first = Math.max(0, whole.frozen.length + whole.live.length - pagesMax);
      for (let page = whole.frozen.length - 1; page >= first; page -= 1) {
        if (whole.frozen[page] !== undefined) continue;
        whole = withPage(whole, page, await ask({ frame: "page", id: CALL_ID, sessionId, page }));
      }
      const { clearedSeq } = whole.head;
      const messages = [...loadedMessages(whole)].filter((message) => message.seq > clearedSeq);
      return { transcript: whole, messages: messages.slice(-messagesMax) };
    },
    async find(isIt) {
      const busy = (await sessions()).toSorted(runningFirst);
      for (const { sessionId } of busy.slice(0, SEARCHED_MAX)) {
        const one = await transcript(sessionId).catch(() => undefined);
        if (one !== undefined && isIt(one)) return one;
      }
      return undefined;
    },
  };
}

function isSame(a: string, b: string): boolean {
  return a === b || a === b.replace(/\/+$/, "");
}

function unknownSession(): RoundtableError {
  return new RoundtableError("unknown_session", "Unknown session_id");
}
