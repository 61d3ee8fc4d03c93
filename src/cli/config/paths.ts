/** Paths of configuration and data. Relative XDG variables are ignored, as the specification requires. */
import { existsSync, realpathSync, statSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { checkoutDirectories } from "../../kit/files/checkout-directories.ts";
import { usageFailure } from "../../kit/failure.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

const PROJECT_FILE = join(".roundtable", "config.jsonc");
/** Shared with other programs that use tool servers. */
export const SERVERS_FILE = ".mcp.json";

export function configDirectory(env: Environment): string {
  return join(xdg(env["XDG_CONFIG_HOME"], env, ".config"), "roundtable");
}

export function userConfigFile(env: Environment): string {
  return join(configDirectory(env), "config.jsonc");
}

/** Permanent grants of the user; beside the user's configuration, never in a project. */
export function alwaysAllowedFile(env: Environment): string {
  return join(configDirectory(env), "approvals.json");
}

/** Flag, then ROUNDTABLE_HOME, then the XDG directory. */
export function dataDirectory(env: Environment, flag: string | undefined, cwd: string): string {
  const chosen = flag ?? nonEmpty(env["ROUNDTABLE_HOME"]);
  if (chosen !== undefined) return resolve(cwd, chosen);
  return join(xdg(env["XDG_DATA_HOME"], env, join(".local", "share")), "roundtable");
}

/** The nearest project file: in `cwd` or, inside a git checkout, in a directory above it up to the checkout's root. */
export function projectConfigFile(cwd: string): string | undefined {
  return nearestFile(cwd, PROJECT_FILE);
}

/** The nearest `.mcp.json`, in the same directories. */
export function projectServersFile(cwd: string): string | undefined {
  return nearestFile(cwd, SERVERS_FILE);
}

function nearestFile(cwd: string, name: string): string | undefined {
  return checkoutDirectories(cwd)
    .map((directory) => join(directory, name))
    .find((file) => existsSync(file));
}

function xdg(value: string | undefined, env: Environment, fallback: string): string {
  const given = nonEmpty(value);
  if (given !== undefined && isAbsolute(given)) return given;
  return join(homeOf(env), fallback);
}

/** An empty or relative HOME would put sessions and configuration into the current directory. */
function homeOf(env: Environment): string {
  const given = env["HOME"];
  if (given !== undefined && isAbsolute(given)) return given;
  try {
    const known = given === undefined ? homedir() : userInfo().homedir;
    if (isAbsolute(known)) return known;
  } catch {
    // A user without a passwd entry has no home directory there.
  }
  const detail =
    given === undefined ? "HOME is not set" : `HOME is ${JSON.stringify(given)}, which is not an absolute path`;
  throw usageFailure(
    `cannot find the home directory: ${detail}, and the system has none for this user`,
    "Set HOME, or both XDG_CONFIG_HOME and ROUNDTABLE_HOME",
  );
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === undefined || value === "" ? undefined : value;
}

/**
 * Working directory of a command: -C, else the current directory. Symlinks are resolved, so that a project has one
 * path.
 */
export function workingDirectory(flag: string | undefined, origin = "-C "): string {
  if (flag === undefined) return process.cwd();
  const directory = resolve(flag);
  let isDirectory = false;
  try {
    isDirectory = statSync(directory).isDirectory();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    const problem = code === "ENOENT" ? "does not exist" : `cannot be used (${code})`;
    throw usageFailure(`${origin}${flag}: the directory ${directory} ${problem}`, "Give an existing directory");
  }
  if (!isDirectory)
    throw usageFailure(`${origin}${flag}: ${directory} is not a directory`, "Give an existing directory");
  return realpathSync(directory);
}
