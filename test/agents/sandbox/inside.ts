/** Scratch homes and workspaces, and a way to run a script in the sandbox as an ordinary user. */
import { spawn, spawnSync } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { SandboxRequest } from "../../../src/agents/sandbox/sandbox.ts";

export interface Inside {
  readonly request: SandboxRequest;
  readonly program: string;
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
      code: number | undefined;
      signal: string | undefined;
      how?: string;
      sandboxFault?: string;
    };

/** An ordinary user when the tests run as root: nobody. */
const NOBODY = 65_534;
export const isRoot = process.getuid?.() === 0;
/** Descriptor of a directory of the machine in the program that starts the sandbox. */
export const LEFT_OPEN = 40;
/** For programs that prepare something as that user. */
export const asUser = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

export const hasBwrap = spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-user", "true"], asUser).status === 0;
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
  /** Instead of the shell. */
  readonly program?: string;
}

/** A directory with `home` and `work`. Not in the directory of the tests, which an ordinary user cannot see. */
export function scratch({ asRoot = false } = {}): Scratch {
  const root = realpathSync(mkdtempSync("/tmp/rt-sandbox-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const own = (file: string): string => {
    if (isRoot && !asRoot) chownSync(file, NOBODY, NOBODY);
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
    run: (script, { settings, env = {}, stopAfterLine, program = "/bin/sh", ...request } = {}) =>
      runInside(
        {
          request: {
            settings: { mode: "require", write: [], sockets: [], ...settings },
            agent: "fake",
            workspace,
            isWritable: false,
            ...request,
          },
          program,
          script,
          env: { PATH: process.env["PATH"] ?? "", HOME: home, ...env },
          dataDir: path.join(root, "data"),
          ...(stopAfterLine === undefined ? {} : { stopAfterLine }),
        },
        asRoot,
      ),
  };
}

interface Runner {
  run(inside: Inside): Promise<Outcome>;
}

const runners = new Map<boolean, Runner>();

function runInside(inside: Inside, asRoot: boolean): Promise<Outcome> {
  const runner = runners.get(asRoot) ?? startRunner(asRoot);
  runners.set(asRoot, runner);
  return runner.run(inside);
}

/** Ends with the test file, since its input does. */
function startRunner(asRoot: boolean): Runner {
  const program = fileURLToPath(new URL("run-inside.ts", import.meta.url));
  const user = asRoot ? {} : asUser;
  const env = { PATH: process.env["PATH"] };
  // With a directory of the machine open, as a careless parent may leave one.
  const args = ["-c", `exec ${LEFT_OPEN}</ && exec "$@"`, "bash", process.execPath, program];
  const child = spawn("/bin/bash", args, { ...user, env, stdio: ["pipe", "pipe", "inherit"] });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(inside) {
      const answer = last.then(async () => {
        child.stdin.write(`${JSON.stringify(inside)}\n`);
        const { value, done } = await answers.next();
        if (done === true) throw new Error("The runner has ended.");
        return JSON.parse(value) as Outcome;
      });
      last = answer.catch(() => undefined);
      return answer;
    },
  };
}
