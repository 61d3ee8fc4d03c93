/**
 * JSON files in which an agent keeps its state, and in which some entries are configuration that makes programs run or
 * widens what the agent may do. They stay writable, since logins are renewed there; such entries are put back as they
 * were before.
 */
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { readText } from "./read-existing.ts";

/** Whether an entry at the top of the file is configuration. */
export type Governs = (key: string, value: unknown) => boolean;

type Entries = Readonly<Record<string, unknown>>;

/** A credential or a header that is a command: Pi runs what follows a "!". */
export const namesCommand: Governs = (_key, value) => hasString(value, (text) => text.trimStart().startsWith("!"));

/** A login that loads configuration from an address: opencode takes tool servers from there. */
export const namesRemoteConfiguration: Governs = (_key, value) => entriesOf(value)["type"] === "wellknown";

/** A provider whose package opencode installs and loads, beside those that its catalogue usually names. */
export const namesUnknownPackage: Governs = (_key, value) =>
  hasString(value, (text, key) => key === "npm" && !/^@(?:ai-sdk|openrouter|aws-sdk|anthropic-ai)\/[\w-]+$/.test(text));

export function governsBy(keys: RegExp): Governs {
  return (key) => keys.test(key);
}

/** Undefined where there is no such file or it is not an object. */
export function readEntries(file: string): Entries | undefined {
  try {
    const value: unknown = JSON.parse(readText(file).replace(/^\uFEFF/, ""));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Entries) : undefined;
  } catch {
    // The agent cannot read it either.
    return undefined;
  }
}

/** Puts entries that govern back as they were. Returns the names of those that were changed. */
export function restoreEntries(file: string, before: Entries | undefined, governs: Governs): string[] {
  const now = readEntries(file);
  if (now === undefined) return [];
  const names = [...new Set([...Object.keys(now), ...Object.keys(before ?? {})])];
  const changed = names.filter((name) => {
    const [old, value] = [before?.[name], now[name]];
    const isGoverned = (value !== undefined && governs(name, value)) || (old !== undefined && governs(name, old));
    return isGoverned && !isDeepStrictEqual(old, value);
  });
  if (changed.length === 0) return [];
  const unchanged = Object.entries(now).filter(([name]) => !changed.includes(name));
  const old = Object.entries(before ?? {}).filter(([name]) => changed.includes(name));
  replaceFile(file, `${JSON.stringify(Object.fromEntries([...unchanged, ...old]), undefined, 2)}\n`);
  return changed;
}

function replaceFile(file: string, text: string): void {
  const fresh = `${file}.restored-${process.pid}`;
  try {
    writeFileSync(fresh, text, { flag: "wx", mode: 0o600 });
    renameSync(fresh, file);
  } finally {
    rmSync(fresh, { force: true });
  }
}

function hasString(value: unknown, fits: (text: string, key: string) => boolean, key = ""): boolean {
  if (typeof value === "string") return fits(value, key);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([name, one]) => hasString(one, fits, Array.isArray(value) ? key : name));
}

function entriesOf(value: unknown): Entries {
  return typeof value === "object" && value !== null ? (value as Entries) : {};
}
