/**
 * Puts a command into the sandbox: for whoever starts a program that a model may direct.
 * Promise: what comes back runs inside or not at all; there is no way by which it starts without the wall.
 */
import { homedir } from "node:os";
import path from "node:path";
import { bwrapArguments, STATUS_FD } from "./bwrap.ts";
import { isRoot, probeSandbox } from "./probe.ts";
import { createProfile } from "./profile.ts";
import type { SandboxRequest } from "./sandbox.ts";
import { whyNotWritable } from "./why-not-writable.ts";

export interface Wrapped {
  readonly via: "bwrap" | "sandbox-exec";
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Record<string, string>;
  /** bwrap only: descriptor 3 is a pipe for its status, and so many after it are open on /dev/null. */
  readonly emptyFiles: number;
  /** Once nothing of it runs any more. */
  readonly release: () => void;
}

export type Prepared =
  | { readonly kind: "sandboxed"; readonly via: Wrapped["via"]; wrap(args: readonly string[]): Wrapped }
  /** Off, or not available and not required. */
  | { readonly kind: "none"; readonly reason: string }
  | { readonly kind: "refused"; readonly reason: string; readonly hint?: string };

export interface Command {
  /** Absolute. */
  readonly program: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Our data directory. */
  readonly dataDir?: string | undefined;
}

export async function prepareSandbox(request: SandboxRequest, command: Command): Promise<Prepared> {
  const { settings, workspace, isWritable } = request;
  if (settings.mode === "off") return { kind: "none", reason: "the sandbox is turned off" };
  const probed = await probeSandbox({ PATH: command.env["PATH"], cwd: workspace });
  if (!probed.available) {
    const hint = probed.install === undefined ? {} : { hint: `Install it: ${probed.install}` };
    return { kind: settings.mode === "require" ? "refused" : "none", reason: probed.reason, ...hint };
  }
  const home = homeOf(command.env);
  const own = ownDirectories(home, command);
  const refusal = isWritable ? whyNotWritable(workspace, { home, env: command.env, own }) : null;
  if (refusal !== null) return { kind: "refused", reason: refusal };
  if (probed.via !== "bwrap") return { kind: "none", reason: "not yet" };
  const { bwrap } = probed;
  return {
    kind: "sandboxed",
    via: probed.via,
    wrap: (args) => {
      const profile = createProfile({ request, home, env: command.env, program: command.program, own });
      const wall = bwrapArguments({ abilities: bwrap, mounts: profile.mounts, cwd: command.cwd, isRoot: isRoot() });
      return {
        via: "bwrap",
        program: bwrap.program,
        args: [...wall.args, "--json-status-fd", String(STATUS_FD), "--", command.program, ...args],
        env: profile.env,
        emptyFiles: wall.emptyFiles,
        release: profile.release,
      };
    },
  };
}

function homeOf(env: Readonly<Record<string, string>>): string {
  const { HOME } = env;
  return HOME !== undefined && path.isAbsolute(HOME) ? HOME : homedir();
}

function ownDirectories(home: string, { env, dataDir }: Command): string[] {
  const under = (variable: string, folder: string): string => {
    const given = env[variable];
    return path.join(given !== undefined && path.isAbsolute(given) ? given : path.join(home, folder), "roundtable");
  };
  const usual = [under("XDG_CONFIG_HOME", ".config"), under("XDG_DATA_HOME", ".local/share")];
  return dataDir === undefined ? usual : [dataDir, ...usual];
}
