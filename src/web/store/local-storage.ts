/** What this browser stores: drafts, read positions, choices per folder, theme. No secrets; without storage only comfort is lost. */
const PREFIX = "roundtable.";
/** Sessions with stored drafts and positions; the oldest are dropped. */
const SESSIONS_MAX = 200;
/** Longer drafts are truncated when stored. */
export const DRAFT_CHARS_MAX = 200_000;

/** Models kept of each agent. */
const MODELS_MAX = 200;

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

/** The newest seq of each session shown in this browser. */
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

/** What was chosen for sessions in a folder. */
export interface FolderChoice {
  readonly members: readonly { readonly name: string; readonly model?: string; readonly effort?: string }[];
  readonly muted: readonly string[];
  readonly writable: boolean;
  readonly usd: number;
}

export function readChoice(cwd: string): FolderChoice | undefined {
  try {
    const stored: unknown = JSON.parse(readMap("folders").get(cwd) ?? "{}");
    return isChoice(stored) ? stored : undefined;
  } catch {
    // Not written by us; ignored.
    return undefined;
  }
}

/** No schema: this is part of what every page loads at once. */
function isChoice(value: unknown): value is FolderChoice {
  const { members, muted, writable, usd } = (value ?? {}) as Partial<Record<keyof FolderChoice, unknown>>;
  const isNamed = (one: { name?: unknown } | null) => typeof one?.name === "string";
  return (
    Array.isArray(members) &&
    members.every(isNamed) &&
    Array.isArray(muted) &&
    typeof writable === "boolean" &&
    typeof usd === "number" &&
    usd > 0
  );
}

export function storeChoice(cwd: string, choice: FolderChoice): void {
  const choices = readMap("folders");
  choices.delete(cwd);
  choices.set(cwd, JSON.stringify(choice));
  writeMap("folders", choices);
}

export function forgetChoice(cwd: string): void {
  const choices = readMap("folders");
  choices.delete(cwd);
  writeMap("folders", choices);
}

export interface KnownModel {
  readonly id: string;
  readonly name?: string | undefined;
}

/** What an agent has last offered; empty when it never did here. */
export function readModels(agent: string): readonly KnownModel[] {
  try {
    const stored: unknown = JSON.parse(readMap("models").get(agent) ?? "[]");
    return Array.isArray(stored) ? stored.filter((one: KnownModel | null) => typeof one?.id === "string") : [];
  } catch {
    // Not written by us; ignored.
    return [];
  }
}

export function storeModels(agent: string, models: readonly KnownModel[]): void {
  const stored = readMap("models");
  stored.delete(agent);
  const kept = models.slice(0, MODELS_MAX).map(({ id, name }) => (name === undefined ? { id } : { id, name }));
  stored.set(agent, JSON.stringify(kept));
  writeMap("models", stored);
}

/** The folder of new sessions; empty for that of the server. */
export function readFolder(): string {
  return read("folder") ?? "";
}

export function storeFolder(cwd: string): void {
  write("folder", cwd);
}

/** Whether the session list is hidden on a wide window. */
export function readSidebarHidden(): boolean {
  return read("sidebar") === "hidden";
}

export function storeSidebarHidden(isHidden: boolean): void {
  write("sidebar", isHidden ? "hidden" : "");
}

/** Whether answers to one message stand below one another. */
export function readStacked(): boolean {
  return read("columns") === "stacked";
}

export function storeStacked(isStacked: boolean): void {
  write("columns", isStacked ? "stacked" : "");
}

function readMap(name: string): Map<string, string> {
  try {
    const entries: unknown = JSON.parse(read(name) ?? "[]");
    return new Map(Array.isArray(entries) ? entries.filter(isEntry) : []);
  } catch {
    // Not written by us; ignored.
    return new Map();
  }
}

function isEntry(value: unknown): value is [string, string] {
  return Array.isArray(value) && typeof value[0] === "string" && typeof value[1] === "string";
}

function writeMap(name: string, map: ReadonlyMap<string, string>): void {
  write(name, JSON.stringify([...map].slice(-SESSIONS_MAX)));
}

function read(name: string): string | undefined {
  try {
    return localStorage.getItem(PREFIX + name) ?? undefined;
  } catch {
    // Storage may be forbidden.
    return undefined;
  }
}

function write(name: string, text: string): void {
  try {
    localStorage.setItem(PREFIX + name, text);
  } catch {
    // Full or forbidden: the page works without.
  }
}
