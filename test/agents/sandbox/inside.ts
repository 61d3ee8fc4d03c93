/** Scratch homes and workspaces, and a way to run a script in the sandbox as an ordinary user. */
import { spawn, spawnSync } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { SandboxRequest } from "../../../src/agents/sandbox/sandbox.ts";

export interface Inside {
  readonly request: SandboxRequest;
  readonly script: string;
  readonly env: Record<string, string>;
  readonly dataDir?: string;
  /** The agent is stopped when it has printed this line. */
  readonly stopAfterLine?: string;
}

export type Outcome =
  | { kind: "none" | "refused" | "failed"; reason: string }
  | {
      kind: "ran";
      out: string;
      err: string;
      code: number | null;
      signal: string | null;
      how?: string;
      sandboxFault?: string;
    };

/** An ordinary user when the tests run as root: nobody. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

export const hasBwrap = spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-user", "true"]).status === 0;
if (!hasBwrap) console.log("bwrap is missing: the tests of the sandbox are skipped.");

export interface Scratch {
  readonly home: string;
  readonly workspace: string;
  /** Writes a file below the scratch directory, as the user's own. */
  readonly write: (name: string, content?: string) => string;
  readonly make: (name: string) => string;
  readonly run: (script: string, more?: RunOptions) => Promise<Outcome>;
}

export interface RunOptions extends Partial<Omit<SandboxRequest, "settings">> {
  readonly settings?: Partial<SandboxRequest["settings"]>;
  readonly env?: Record<string, string>;
  readonly stopAfterLine?: string;
  readonly asRoot?: boolean;
}

/** A directory with `home` and `work`. Not in the directory of the tests, which an ordinary user cannot see. */
export function scratch(): Scratch {
  const root = realpathSync(mkdtempSync("/tmp/rt-sandbox-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const own = (file: string): string => {
    if (isRoot) chownSync(file, NOBODY, NOBODY);
    return file;
  };
  own(root);
  const make = (name: string): string => {
    let at = root;
    for (const part of name.split("/")) {
      at = path.join(at, part);
      if (mkdirSync(at, { recursive: true }) !== undefined) own(at);
    }
    return at;
  };
  const write = (name: string, content = "x\n"): string => {
    make(path.dirname(name));
    const file = path.join(root, name);
    writeFileSync(file, content);
    return own(file);
  };
  const [home, workspace] = [make("home"), make("work")];
  return {
    home,
    workspace,
    write,
    make,
    run: (script, { settings, env = {}, stopAfterLine, asRoot = false, ...request } = {}) =>
      runInside(
        {
          request: {
            settings: { mode: "require", write: [], sockets: [], ...settings },
            agent: "fake",
            workspace,
            isWritable: false,
            ...request,
          },
          script,
          env: { PATH: process.env["PATH"] ?? "", HOME: home, ...env },
          dataDir: path.join(root, "data"),
          ...(stopAfterLine === undefined ? {} : { stopAfterLine }),
        },
        asRoot,
      ),
  };
}

async function runInside(inside: Inside, asRoot: boolean): Promise<Outcome> {
  const program = fileURLToPath(new URL("run-inside.ts", import.meta.url));
  const user = isRoot && !asRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const env = { PATH: process.env["PATH"] };
  const child = spawn(process.execPath, [program], { ...user, env, stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.end(JSON.stringify(inside));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (out === "") throw new Error(err);
  return JSON.parse(out) as Outcome;
}
