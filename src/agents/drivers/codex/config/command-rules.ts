/**
 * Codex's own rules for commands (`*.rules`). A command that they allow runs unasked and outside of Codex's sandbox, in
 * read-only threads too, and no setting turns them off: they are looked for before a member is said to be guarded.
 */
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { checkoutDirectories } from "../../../../kit/files/checkout-directories.ts";
import type { Project } from "./thread-config.ts";

/** Where an administrator puts them. */
const SYSTEM_RULES = "/etc/codex/rules";

/** The first folder outside of the project that has any and that no sandbox hides. */
export function externalRules(home: string, isSandboxed: boolean): string | null {
  const own = path.join(home, "rules");
  const folders = [...(isSandboxed && !isLink(own) ? [] : [own]), SYSTEM_RULES];
  return folders.find(hasRules) ?? null;
}

/** What a link leads to is elsewhere, and the sandbox closes only what is in Codex's own directory. */
function isLink(folder: string): boolean {
  return lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** Codex's own directory is none of a project, also where a session is about the whole home directory. */
export function inspectProject(cwd: string, home: string): Project {
  const directories = checkoutDirectories(cwd);
  const settings = directories
    .map((directory) => path.join(directory, ".codex"))
    .filter((folder) => folder !== home && existsSync(folder));
  return {
    directories,
    hasSettings: settings.length > 0,
    hasRules: settings.some((folder) => hasRules(path.join(folder, "rules"))),
  };
}

/** What cannot be read may say anything. */
function hasRules(folder: string): boolean {
  try {
    const files = readdirSync(folder).filter((name) => name.endsWith(".rules"));
    return files.some((name) => saysSomething(readFileSync(path.join(folder, name), "utf8")));
  } catch (thrown) {
    return !(thrown instanceof Error && "code" in thrown && (thrown.code === "ENOENT" || thrown.code === "ENOTDIR"));
  }
}

function saysSomething(text: string): boolean {
  return text.split("\n").some((line) => !/^\s*(?:#.*)?$/.test(line));
}
