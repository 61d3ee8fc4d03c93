/** A home whose processes are known: nothing of it may run when a test has ended. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, type TestContext } from "vitest";
import { createHome, type Home } from "../cli/program.ts";
import { startServing, type Serving } from "../server/serve-program.ts";
import { openTerminal, type SeenTerminal } from "../tui/terminal.ts";
import { patient } from "../patience.ts";

const WAIT_MS = patient(15_000);
const STEP_MS = 25;

export interface Record {
  url: string;
  pid: number;
  version: string;
}

export interface LoneHome extends Home {
  terminal(args?: readonly string[], env?: { [name: string]: string }): SeenTerminal;
  serving(args?: readonly string[]): Promise<Serving>;
  record(): Record | undefined;
  token(): string;
  /** The servers that run in this home, by pid. */
  servers(): number[];
}

/** Of a test that runs beside others the context is given, which knows whose end is meant. */
export function createLoneHome(context: Pick<TestContext, "onTestFinished"> = { onTestFinished }): LoneHome {
  const home = createHome();
  const terminals: SeenTerminal[] = [];
  const servings: Serving[] = [];
  context.onTestFinished(() => endAll(home, terminals, servings));
  return {
    ...home,
    terminal(args = [], env = {}) {
      const seen = openTerminal(home, args, { ROUNDTABLE_BACKGROUND: "1", ...env });
      terminals.push(seen);
      return seen;
    },
    async serving(args = []) {
      const one = await startServing({ home }, args);
      servings.push(one);
      return one;
    },
    record() {
      try {
        return JSON.parse(readFileSync(join(home.dataDir, "server.json"), "utf8")) as Record;
      } catch {
        // None (yet).
        return undefined;
      }
    },
    token: () => readFileSync(join(home.dataDir, "token"), "utf8").trim(),
    servers: () => serversOf(home),
  };
}

/** Ends what the test left on purpose, in order, and then finds nothing. */
async function endAll(home: Home, terminals: readonly SeenTerminal[], servings: readonly Serving[]): Promise<void> {
  for (const one of terminals) one.close();
  for (const one of servings) {
    one.child.kill("SIGKILL");
    await one.ended;
  }
  for (const pid of serversOf(home)) process.kill(pid, "SIGTERM");
  await until(`no process of ${home.directory} runs`, () => processesOf(home).length === 0);
  const left = existsSync(home.dataDir) ? readdirSync(home.dataDir) : [];
  expect(left.filter((name) => name.includes(".starting"))).toEqual([]);
}

function serversOf(home: Home): number[] {
  const servers = processesOf(home).filter(({ line }) => line.includes("serve"));
  // What a server has just forked looks like the server itself until it becomes another program.
  return servers.flatMap(({ pid }) => (servers.some((other) => other.pid === parentOf(pid)) ? [] : [pid]));
}

/** Undefined when the process has ended. */
function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return undefined;
  }
}

/** Whatever was started with this home in its environment. */
function processesOf(home: Home): { pid: number; line: string[] }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        if (!readFileSync(`/proc/${name}/environ`, "utf8").split("\0").includes(`HOME=${home.directory}`)) return [];
        return [{ pid: Number(name), line: readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0") }];
      } catch {
        // It ended while we looked.
        return [];
      }
    });
}

export async function until(what: string, isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error(`it did not come about within ${WAIT_MS / 1000} s that ${what}`);
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
}

export function isAlive(pid: number): boolean {
  try {
    // A zombie has ended; it only waits for somebody to ask how.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
