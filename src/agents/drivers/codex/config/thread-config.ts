/**
 * Codex's own settings, narrowed for one thread: nothing in them may let it act unasked, and the user's files are not
 * written. What cannot be narrowed this way are its rules files, see own-rules.ts.
 */
import type { Json } from "../../../../protocol/index.ts";
import { recordOf, textOf, type Fields } from "../../../json-rpc/fields.ts";
import { isRecord } from "../../../json-rpc/messages.ts";
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { checkoutDirectories } from "../../../../kit/files/checkout-directories.ts";

export type ThreadConfig = Readonly<Record<string, Json>>;

/** The project as far as it matters here: its directories from the session's own up to the root of the checkout. */
export interface Project {
  readonly directories: readonly string[];
  /** One of them has a `.codex` of its own. */
  readonly hasSettings: boolean;
  /** One of these has rules. */
  readonly hasRules: boolean;
}

const FIXED: ThreadConfig = {
  // They run programs, and one kind of them answers approvals in the user's place.
  "features.hooks": false,
  notify: [],
  sandbox_workspace_write: { writable_roots: [], network_access: false },
};

/** `config` is what Codex has made of its files for the session's directory. */
export function narrowConfig(config: Fields, project: Project, isWritable: boolean): ThreadConfig {
  const level = trustLevel(config, project);
  const projects = project.directories.map((directory) => [directory, { trust_level: level }] as const);
  return {
    ...FIXED,
    ...(level === null ? {} : { projects: Object.fromEntries(projects) }),
    ...toolApprovals(config, isWritable),
  };
}

/**
 * Null leaves it to the user's own word. Without one, Codex would write "trusted" into its configuration as soon as it
 * may write here. Settings of a project that the user has not trusted are not used, nor are those with rules.
 */
function trustLevel(config: Fields, { directories, hasSettings, hasRules }: Project): "trusted" | "untrusted" | null {
  const known = recordOf(config, "projects");
  const levels = new Set(directories.map((directory) => textOf(recordOf(known, directory), "trust_level")));
  if (levels.has("untrusted")) return "untrusted";
  if (!hasSettings) return "trusted";
  return hasRules || !levels.has("trusted") ? "untrusted" : null;
}

/** Whether it is for us that Codex leaves out the project's settings, and with them what the project tells agents. */
export function isProjectConfigIgnored(config: Fields, project: Project): boolean {
  const own = trustLevel(config, { ...project, hasSettings: false });
  return own !== "untrusted" && trustLevel(config, project) === "untrusted";
}

const MODES = new Set(["default_tools_approval_mode", "approval_mode"]);

/**
 * Tools of tool servers: asked about in writable sessions; in others only those that say that they read are run, since
 * there the others are denied.
 */
function toolApprovals(config: Fields, isWritable: boolean): ThreadConfig {
  const mode = isWritable ? "prompt" : "auto";
  const servers = Object.keys(recordOf(config, "mcp_servers")).map((name) => {
    const own = approvalSettings(recordOf(recordOf(config, "mcp_servers"), name), mode) ?? {};
    return [name, { ...own, default_tools_approval_mode: mode }] as const;
  });
  const others = ["apps", "plugins"].flatMap((name) => {
    const own = approvalSettings(recordOf(config, name), mode);
    return own === null ? [] : [[name, own] as const];
  });
  return {
    ...(servers.length === 0 ? {} : { mcp_servers: Object.fromEntries(servers) }),
    ...Object.fromEntries(others),
  };
}

/** The same settings with nothing in them but how calls are approved, and that by the user. Null: they say nothing. */
function approvalSettings(settings: Fields, mode: string): Record<string, Json> | null {
  const entries = Object.entries(settings).flatMap(([key, value]): [string, Json][] => {
    if (value === null || value === undefined) return [];
    if (MODES.has(key)) return [[key, mode]];
    if (key === "approvals_reviewer") return [[key, "user"]];
    const inner = isRecord(value) ? approvalSettings(value, mode) : null;
    return inner === null ? [] : [[key, inner]];
  });
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

// Codex's own rules for commands (`*.rules`). A command that they allow runs unasked and outside of Codex's sandbox, in
// read-only threads too, and no setting turns them off: they are looked for before a member is said to be guarded.

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
