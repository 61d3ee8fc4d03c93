/**
 * Project files: `.mcp.json`, shared with other programs, overridden by `.roundtable/config.jsonc`. Both can name
 * programs to start, so each is used only with the exact content the user trusted.
 */
import type { Setting } from "./environment.ts";
import { flatten } from "./flat-settings.ts";
import { formatLeftOutServers, parseMcpJson, unusableFileMessage, type SharedServers } from "./mcp-json.ts";
import { projectConfigFile, projectServersFile, userConfigFile, type Environment } from "./paths.ts";
import { parseConfig, readText } from "./read-config-file.ts";
import { isTrusted } from "./trust.ts";

/** Collects warnings; one of them names all untrusted files together. */
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

/** Reads once: the text checked against the trust record is the text that is used. */
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

/**
 * An unreadable or irregular file is untrusted, not an error: a repository must not be able to block every start in it.
 */
function readProjectText(file: string, warnings: string[]): string | undefined {
  try {
    return readText(file);
  } catch (error) {
    warnings.push(unusableFileMessage(error));
    return undefined;
  }
}

/** Parsed before the trust check, so that an invalid file or one without servers does not ask for trust. */
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

/** Shared with other programs, so an invalid file is only a warning. */
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

/** A project may restrict its members but not grant permissions, since anyone with write access to it could. */
function withoutAllowing(settings: Setting[], warnings: string[]): Setting[] {
  const allowing = settings.filter(({ path }) => path === "approvals.allow" || path === "council.writable");
  for (const { path, origin } of allowing) {
    warnings.push(`${origin}: "${path}" is ignored in a project file. Set it in your own configuration.`);
  }
  return settings.filter((setting) => !allowing.includes(setting));
}
