/**
 * Best guess of the session that a screen will open, read from small files before a host is connected, so that the
 * first frame can name it. The host's list decides in the end.
 */
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { readOwnFile } from "../../kit/files/own-file.ts";
import type { ScreenOptions } from "../../tui/index.ts";
import type { SessionSelection } from "./choose-session.ts";

/** Limits of the guess: the first frame does not wait. */
const LOGS_MAX = 2_000;
const READ_MAX = 50;
const LOG = /^([0-9A-HJKMNP-TV-Z]{26})\.jsonl(?:\.zst)?$/;

type Selection = Pick<SessionSelection, "id" | "isNew" | "isPicking"> & { readonly cwd: string };

export function expectedSession(dataDir: string, { id, isNew, isPicking, cwd }: Selection): ScreenOptions["expected"] {
  if (isNew === true) return { isNew: true };
  const ids = logsByAge(dataDir);
  if (ids.length === 0) return { isNew: true };
  if (isPicking === true) return { isNew: false };
  const part = id?.trim().toUpperCase();
  const candidates = part === undefined ? ids : ids.filter((one) => one.startsWith(part) || one.endsWith(part));
  const summary = candidates
    .slice(0, READ_MAX)
    .map((one) => summaryOf(dataDir, one))
    .find((one) => one !== undefined && (part !== undefined || (one.cwd === cwd && one.archived !== true)));
  // Where not all were read, an older one may be of this directory.
  if (summary === undefined && part === undefined && ids.length <= READ_MAX) return { isNew: true };
  return { isNew: false, ...(typeof summary?.title === "string" ? { title: summary.title } : {}) };
}

/** Ids of all logs, most recently written first. */
function logsByAge(dataDir: string): string[] {
  const directory = path.join(dataDir, "logs");
  try {
    return readdirSync(directory)
      .flatMap((name) => {
        const id = LOG.exec(name)?.[1];
        return id === undefined ? [] : [{ id, name }];
      })
      .slice(-LOGS_MAX)
      .map(({ id, name }) => ({
        id,
        ms: statSync(path.join(directory, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
      }))
      .sort((a, b) => b.ms - a.ms)
      .map(({ id: one }) => one);
  } catch {
    // Nothing there yet, or the host will report the error.
    return [];
  }
}

function summaryOf(dataDir: string, id: string): { cwd?: unknown; title?: unknown; archived?: unknown } | undefined {
  try {
    const file = path.join(dataDir, "sessions", `${id}.meta.json`);
    const { summary } = JSON.parse(readOwnFile(file)) as { summary?: object };
    return summary;
  } catch {
    // A derived file that may not exist yet.
    return undefined;
  }
}
