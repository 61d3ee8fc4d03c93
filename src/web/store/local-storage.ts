/**
 * What this browser keeps between visits: drafts, how far each session was read, the look. Nothing secret is ever kept
 * here, and a browser that keeps nothing costs comfort only.
 */
const PREFIX = "roundtable.";
/** Drafts and marks of this many sessions are kept; the oldest go first. */
const SESSIONS_MAX = 200;
/** What is longer is cut when it is kept. */
export const DRAFT_CHARS_MAX = 200_000;

export type Theme = "auto" | "light" | "dark";

export function readDraft(sessionId: string): string {
  return readMap("drafts").get(sessionId) ?? "";
}

export function storeDraft(sessionId: string, text: string): void {
  const drafts = readMap("drafts");
  drafts.delete(sessionId);
  if (text !== "") drafts.set(sessionId, text.slice(0, DRAFT_CHARS_MAX));
  writeMap("drafts", drafts);
}

/** The newest seq of each session that this browser has shown. */
export function readSeen(): ReadonlyMap<string, number> {
  return new Map([...readMap("seen")].map(([sessionId, seq]) => [sessionId, Number(seq)]));
}

export function storeSeen(sessionId: string, seq: number): void {
  const seen = readMap("seen");
  seen.delete(sessionId);
  seen.set(sessionId, String(seq));
  writeMap("seen", seen);
}

export function readTheme(): Theme {
  const theme = read("look");
  return theme === "light" || theme === "dark" ? theme : "auto";
}

export function storeTheme(theme: Theme): void {
  write("look", theme);
}

function readMap(name: string): Map<string, string> {
  try {
    const entries: unknown = JSON.parse(read(name) ?? "[]");
    return new Map(Array.isArray(entries) ? entries.filter(isEntry) : []);
  } catch {
    // Written by something else; it is worth nothing to us.
    return new Map();
  }
}

function isEntry(value: unknown): value is [string, string] {
  return Array.isArray(value) && typeof value[0] === "string" && typeof value[1] === "string";
}

function writeMap(name: string, map: ReadonlyMap<string, string>): void {
  write(name, JSON.stringify([...map].slice(-SESSIONS_MAX)));
}

function read(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    // A browser may forbid it.
    return null;
  }
}

function write(name: string, text: string): void {
  try {
    localStorage.setItem(PREFIX + name, text);
  } catch {
    // Full or forbidden: the page works on without.
  }
}
