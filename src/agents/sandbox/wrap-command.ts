/**
 * Wraps a command in the sandbox, for every program that a model may direct.
 * Guarantee: the result runs inside or not at all; there is no way by which it starts without the sandbox.
 */
import { closeSync, mkdtempSync, openSync, realpathSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { bwrapArguments, STATUS_FD } from "./bwrap.ts";
import { isRoot, probeSandbox } from "./probe.ts";
import { openCallFilter } from "./closed-calls.ts";
import { createProfile, type Profile } from "./profile.ts";
import type { SandboxRequest } from "./sandbox.ts";
import { SANDBOX_EXEC, seatbeltArguments } from "./seatbelt.ts";
import { lastInherited } from "./inherited-descriptors.ts";
import { realPath } from "./access-map.ts";
import { knownStateDirectories, type UserEnvironment } from "./agent-directories.ts";

/** Each up to the highest inherited one is replaced in the program that is started. */
const DESCRIPTORS_MAX = 1_024;

export interface Wrapped {
  readonly via: "bwrap" | "sandbox-exec";
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Record<string, string>;
  /** Further file descriptors of the process, from 3 on. For bwrap's status the first one must be a pipe. */
  readonly extraStdio: readonly number[];
  /** Call when all its processes have exited. */
  readonly release: () => void;
}

export type Prepared =
  | {
      readonly kind: "sandboxed";
      readonly via: Wrapped["via"];
      /** `scripts`: arguments that may be programs; none where a model has written them. */
      wrap(args: readonly string[], scripts?: readonly string[]): Wrapped;
    }
  /** Off, or not available and not required. */
  | { readonly kind: "none"; readonly reason: string }
  | { readonly kind: "refused"; readonly reason: string; readonly hint?: string };

export interface Command {
  /** Absolute path. */
  readonly program: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Our data directory. */
  readonly dataDir?: string | undefined;
}

/** Availability is decided before the arguments, which may depend on it. */
export async function prepareSandbox(request: SandboxRequest, command: Command): Promise<Prepared> {
  const { settings, workspace, isWritable } = request;
  if (settings.mode === "off") return { kind: "none", reason: "The sandbox is turned off." };
  const probed = await probeSandbox({ PATH: command.env["PATH"], cwd: workspace });
  if (!probed.available) {
    const hint = probed.install === undefined ? {} : { hint: `Install it: ${probed.install}` };
    return { kind: settings.mode === "require" ? "refused" : "none", reason: probed.reason, ...hint };
  }
  const userEnv = { home: homeOf(command.env), env: command.env };
  const own = ownDirectories(userEnv.home, command);
  const [dataDir = userEnv.home] = own;
  const refusal = isWritable ? whyNotWritable(workspace, { ...userEnv, own }) : undefined;
  if (refusal !== undefined) return { kind: "refused", reason: refusal };
  const { program, cwd } = command;
  const profileFor = (temporary: string, scripts: readonly string[]) =>
    createProfile({ request, ...userEnv, program, scripts, own, dataDir, temporary });
  if (probed.via === "sandbox-exec") {
    return {
      kind: "sandboxed",
      via: probed.via,
      wrap: (args, scripts = args) =>
        wrapOnMac((temporary) => profileFor(temporary, scripts), request, [program, ...args]),
    };
  }
  const { bwrap } = probed;
  const last = lastInherited();
  if (last > DESCRIPTORS_MAX) {
    const reason = `Roundtable was started with an open descriptor ${last}, which would stay usable inside the sandbox.`;
    return { kind: "refused", reason };
  }
  return {
    kind: "sandboxed",
    via: probed.via,
    wrap: (args, scripts = args) => {
      const { mounts, env, release } = profileFor("/tmp", scripts);
      const wall = bwrapArguments({ abilities: bwrap, mounts, cwd, isRoot: isRoot() });
      const filter = openCallFilter();
      const filterFd = STATUS_FD + 1 + wall.emptyFiles;
      const extraStdio = Array<number>(Math.max(2 + wall.emptyFiles, last - 2)).fill(nothing());
      if (filter !== undefined) extraStdio[filterFd - STATUS_FD] = filter;
      const filtered = filter === undefined ? [] : ["--seccomp", String(filterFd)];
      return {
        via: "bwrap",
        program: bwrap.program,
        args: [...wall.args, ...filtered, "--json-status-fd", String(STATUS_FD), "--", program, ...args],
        env,
        extraStdio,
        release: once(() => {
          if (filter !== undefined) closeSync(filter);
          release();
        }),
      };
    },
  };
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}

/** For a single command; `unavailable` says why it would run without a sandbox, or must not run. */
export async function wrapCommand(
  request: SandboxRequest,
  command: Command,
  args: readonly string[],
): Promise<Wrapped | { readonly unavailable: string; readonly isRefused: boolean }> {
  const prepared = await prepareSandbox(request, command);
  if (prepared.kind === "sandboxed") return prepared.wrap(args, []);
  return { unavailable: prepared.reason, isRefused: prepared.kind === "refused" };
}

let devNull: number | undefined;

/** Never closed; close-on-exec in programs that are not given it. */
function nothing(): number {
  devNull ??= openSync("/dev/null", "r+");
  return devNull;
}

function wrapOnMac(profileFor: (temporary: string) => Profile, request: SandboxRequest, line: string[]): Wrapped {
  const temporary = realpathSync(mkdtempSync(path.join(tmpdir(), "roundtable-")));
  const { mounts, env, release } = profileFor(temporary);
  const sockets = request.settings.sockets.filter((one) => path.isAbsolute(one));
  return {
    via: "sandbox-exec",
    program: SANDBOX_EXEC,
    args: [...seatbeltArguments({ mounts, sockets: [...sockets, ...(request.shown ?? [])] }), "--", ...line],
    env,
    extraStdio: [],
    release: () => {
      release();
      rmSync(temporary, { recursive: true, force: true });
    },
  };
}

function homeOf(env: Readonly<Record<string, string>>): string {
  const { HOME } = env;
  return HOME !== undefined && path.isAbsolute(HOME) ? HOME : homedir();
}

/** The data directory first. */
function ownDirectories(home: string, { env, dataDir }: Command): string[] {
  const under = (variable: string, folder: string): string => {
    const given = env[variable];
    return path.join(given !== undefined && path.isAbsolute(given) ? given : path.join(home, folder), "roundtable");
  };
  const usual = [under("XDG_DATA_HOME", ".local/share"), under("XDG_CONFIG_HOME", ".config")];
  return dataDir === undefined ? usual : [dataDir, ...usual];
}

/** Workspaces in which nothing could be kept read-only: those that contain what must stay closed. */
/** Undefined when a session may be writable there, otherwise why not. `own`: our data and configuration directories. */
export function whyNotWritable(
  workspace: string,
  userEnv: UserEnvironment & { own: readonly string[] },
): string | undefined {
  const root = realPath(workspace) ?? path.resolve(workspace);
  const holds = (file: string): boolean => contains(root, realPath(file) ?? path.resolve(file));
  if (holds(userEnv.home)) return `${workspace} is or contains your home directory, so the session stays read-only.`;
  if (userEnv.own.some(holds)) {
    return `${workspace} is or contains Roundtable's own data, so the session stays read-only.`;
  }
  const states = knownStateDirectories(userEnv).filter(({ directory }) => realPath(directory) !== undefined);
  const state = states.find(({ directory }) => holds(directory));
  if (state === undefined) return undefined;
  return `${workspace} is or contains ${state.directory}, where an agent keeps its state, so the session stays read-only.`;
}

function contains(directory: string, file: string): boolean {
  return file === directory || file.startsWith(directory.endsWith("/") ? directory : `${directory}/`);
}
