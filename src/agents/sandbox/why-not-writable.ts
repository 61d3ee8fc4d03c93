/** Workspaces in which nothing could be kept read-only: those around what must stay closed. */
import path from "node:path";
import { realPath } from "./access-map.ts";
import { knownStateDirectories, type UserEnvironment } from "./agent-directories.ts";

/** Null when a session may be writable there, otherwise why not. `own`: our data and configuration directories. */
export function whyNotWritable(
  workspace: string,
  userEnv: UserEnvironment & { own: readonly string[] },
): string | null {
  const root = realPath(workspace) ?? path.resolve(workspace);
  const holds = (file: string): boolean => contains(root, realPath(file) ?? path.resolve(file));
  if (holds(userEnv.home)) return `${workspace} is or contains your home directory, so the session stays read-only.`;
  if (userEnv.own.some(holds)) {
    return `${workspace} is or contains Roundtable's own data, so the session stays read-only.`;
  }
  const states = knownStateDirectories(userEnv).filter(({ directory }) => realPath(directory) !== undefined);
  const state = states.find(({ directory }) => holds(directory));
  if (state === undefined) return null;
  return `${workspace} is or contains ${state.directory}, where an agent keeps its state, so the session stays read-only.`;
}

function contains(directory: string, file: string): boolean {
  return file === directory || file.startsWith(directory.endsWith("/") ? directory : `${directory}/`);
}
