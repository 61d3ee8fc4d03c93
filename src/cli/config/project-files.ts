/**
 * The files of a project: `.mcp.json`, which it shares with other programs, and over it `.roundtable/config.jsonc`. Both
 * can name programs to start, so each counts only as it was when the user trusted it.
 */
import type { Setting } from "./environment.ts";
import { flatten } from "./flat-settings.ts";
import { formatLeftOutServers, parseMcpJson, unusableFileMessage, type SharedServers } from "./mcp-json.ts";
import { projectConfigFile, projectServersFile, userConfigFile, type Environment } from "./paths.ts";
import { parseConfig, readText } from "./read-config-file.ts";
import { isTrusted } from "./trust.ts";

/** What the user should know goes to `warnings`; what is not trusted is one of them, for both files together. */
export function readProjectSettings(cwd: string, env: Environment, warnings: string[]): Setting[] {
  const untrusted: string[] = [];
  const settings = [
    ...readServersLayer(projectServersFile(cwd), { env, warnings, untrusted }),
    ...readOwnLayer(projectConfigFile(cwd), { env, warnings, untrusted }),
  ];
  if (untrusted.length > 0) warnings.push(untrustedMessage(untrusted));
  return settings;
}

interface Reading {
  readonly env: Environment;
  readonly warnings: string[];
  readonly untrusted: string[];
}

/** The text that is checked against the trust record is the text that is used: nothing can change in between. */
function readOwnLayer(file: string | undefined, { env, warnings, untrusted }: Reading): Setting[] {
  if (file === undefined || file === userConfigFile(env)) return [];
  const text = readProjectText(file, warnings);
  if (text === undefined) return [];
  if (isTrusted(file, text, env)) {
    const read = parseConfig(text, file);
    const settings = flatten(read.value, (path) => `${file}:${read.locationOf(path)}`);
    return withoutAllowing(settings, warnings);
  }
  untrusted.push(file);
  return [];
}

/** Nobody has trusted what is no plain file or cannot be read, and a repository must not be able to stop every start in it. */
function readProjectText(file: string, warnings: string[]): string | undefined {
  try {
    return readText(file);
  } catch (error) {
    warnings.push(unusableFileMessage(error));
    return undefined;
  }
}

/** Read before it is trusted, so that one without a server, or one that cannot be used, asks for no trust. */
function readServersLayer(file: string | undefined, { env, warnings, untrusted }: Reading): readonly Setting[] {
  const read = file === undefined ? undefined : readServersFile(file);
  if (file === undefined || read === undefined) return [];
  if ("problem" in read) {
    warnings.push(read.problem);
    return [];
  }
  const { text, servers } = read;
  if (servers.settings.length + servers.problems.length === 0) return [];
  if (!isTrusted(file, text, env)) {
    untrusted.push(file);
    return [];
  }
  if (servers.problems.length > 0) warnings.push(formatLeftOutServers(servers.problems));
  return servers.settings;
}

export type ServersFile = { readonly text: string; readonly servers: SharedServers } | { readonly problem: string };

/** It is other programs' file: whatever is wrong with it stops nothing here. */
export function readServersFile(file: string): ServersFile {
  try {
    const text = readText(file);
    return { text, servers: parseMcpJson(text, file) };
  } catch (error) {
    return { problem: unusableFileMessage(error) };
  }
}

function untrustedMessage(files: readonly string[]): string {
  const [are, them] = files.length === 1 ? ["is not trusted and was", "it"] : ["are not trusted and were", "them"];
  return `the project's ${files.join(" and ")} ${are} ignored. Read ${them}, then run: roundtable config trust`;
}

/** A project may hold its members back; it cannot give them leave, since whoever writes to it could. */
function withoutAllowing(settings: Setting[], warnings: string[]): Setting[] {
  const allowing = settings.filter(({ path }) => path === "approvals.allow" || path === "council.writable");
  for (const { path, origin } of allowing) {
    warnings.push(`${origin}: "${path}" of a project is not used. Put it into your own configuration.`);
  }
  return settings.filter((setting) => !allowing.includes(setting));
}
