/**
 * Codex's settings, restricted for one thread: none may let it act unasked, and the user's files are not written. Rules
 * files cannot be restricted this way; see `externalRules`.
 */
import { existsSync, lstatSync, readdirSync } from "node:fs";
import path from "node:path";
import type { Json } from "../../../../protocol/index.ts";
import { recordOf, textOf, type Fields } from "../../../json-rpc/fields.ts";
import { isRecord } from "../../../json-rpc/messages.ts";
import { readRegularFile } from "../../../../kit/files/read-regular-file.ts";
import { checkoutDirectories } from "../../../../kit/files/checkout-directories.ts";

export type ThreadConfig = Readonly<Record<string, Json>>;

/** Directories of the project, from the session's own up to the root of the checkout. */
export interface Project {
  readonly directories: readonly string[];
  /** One of them has a `.codex` directory. */
  readonly hasSettings: boolean;
  /** One of these has rules. */
  readonly hasRules: boolean;
}

const FIXED: ThreadConfig = {
  // They run programs, and one kind of them answers approvals for the user.
  "features.hooks": false,
  notify: [],
  sandbox_workspace_write: { writable_roots: [], network_access: false },
};

/** `config` is Codex's effective configuration for the session's directory. */
export function narrowConfig(config: Fields, project: Project, isWritable: boolean): ThreadConfig {
  const level = trustLevel(config, project);
  return {
    ...FIXED,
    ...(level === undefined
      ? {}
      : { projects: Object.fromEntries(project.directories.map((directory) => [directory, { trust_level: level }])) }),
    ...toolApprovals(config, isWritable),
  };
}

/**
 * Undefined leaves trust to the user's own setting. Without one, Codex would write "trusted" into its configuration as
 * soon as it may write here. Settings of an untrusted project, and those with rules, are not used.
 */
function trustLevel(
  config: Fields,
  { directories, hasSettings, hasRules }: Project,
): "trusted" | "untrusted" | undefined {
  const known = recordOf(config, "projects");
  const levels = new Set(directories.map((directory) => textOf(recordOf(known, directory), "trust_level")));
  if (levels.has("untrusted")) return "untrusted";
  if (!hasSettings) return "trusted";
  return hasRules || !levels.has("trusted") ? "untrusted" : undefined;
}

/** Whether we made Codex ignore the project's settings, and with them the project's notes for agents. */
export function isProjectConfigIgnored(config: Fields, project: Project): boolean {
  const own = trustLevel(config, { ...project, hasSettings: false });
  return own !== "untrusted" && trustLevel(config, project) === "untrusted";
}

const MODES = new Set(["default_tools_approval_mode", "approval_mode"]);

/**
 * Tools of MCP servers: need approval in writable sessions; in others only those that declare themselves read-only run,
 * since the others would be denied.
 */
function toolApprovals(config: Fields, isWritable: boolean): ThreadConfig {
  const mode = isWritable ? "prompt" : "auto";
  const servers = Object.keys(recordOf(config, "mcp_servers")).map((name) => {
    const own = approvalSettings(recordOf(recordOf(config, "mcp_servers"), name), mode) ?? {};
    return [name, { ...own, default_tools_approval_mode: mode }] as const;
  });
  const others = ["apps", "plugins"].flatMap((name) => {
    const own = approvalSettings(recordOf(config, name), mode);
    return own === undefined ? [] : [[name, own] as const];
  });
  return {
    ...(servers.length === 0 ? {} : { mcp_servers: Object.fromEntries(servers) }),
    ...Object.fromEntries(others),
  };
}

/** The same settings reduced to how calls are approved, namely by the user. Undefined: they say nothing. */
function approvalSettings(settings: Fields, mode: string): Record<string, Json> | undefined {
  const entries = Object.entries(settings).flatMap(([key, value]): [string, Json][] => {
    if (value === null || value === undefined) return [];
    if (MODES.has(key)) return [[key, mode]];
    if (key === "approvals_reviewer") return [[key, "user"]];
    const inner = isRecord(value) ? approvalSettings(value, mode) : undefined;
    return inner === undefined ? [] : [[key, inner]];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/**
 * Codex's own rules for commands (`*.rules`). A command that they allow runs unasked and outside Codex's sandbox, in
 * read-only threads too, and no setting turns them off: they are searched before a member counts as guarded.
 */
/** Installed by an administrator. */
const SYSTEM_RULES = "/etc/codex/rules";

/** First folder outside the project that has rules and that no sandbox hides. */
export function externalRules(home: string, isSandboxed: boolean): string | undefined {
  const own = path.join(home, "rules");
  const folders = [...(isSandboxed && !isLink(own) ? [] : [own]), SYSTEM_RULES];
  return folders.find(hasRules);
}

/** A link leads elsewhere, and the sandbox closes only what is in Codex's own directory. */
function isLink(folder: string): boolean {
  return lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** Codex's own directory belongs to no project, even if the session is in the home directory. */
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

/** An unreadable file may say anything. */
function hasRules(folder: string): boolean {
  try {
    const files = readdirSync(folder).filter((name) => name.endsWith(".rules"));
    return files.some((name) => saysSomething(readRegularFile(path.join(folder, name)).toString("utf8")));
  } catch (thrown) {
    return !(thrown instanceof Error && "code" in thrown && (thrown.code === "ENOENT" || thrown.code === "ENOTDIR"));
  }
}

function saysSomething(text: string): boolean {
  return text.split("\n").some((line) => !/^\s*(?:#.*)?$/.test(line));
}
