/** Runs a command line in this process, on a data directory of its own: what was printed, and how it would have ended. */
import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { runCommandLine } from "../../src/cli/args.ts";
import { failureLine, toFailure } from "../../src/kit/failure.ts";

export interface RanHere {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface HomeHere {
  readonly dataDir: string;
  run(args: readonly string[]): Promise<RanHere>;
}

/** There is no terminal, and nothing is configured. */
export function createHomeHere(): HomeHere {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "rt-here-")));
  const dataDir = join(directory, "data");
  const env = { HOME: directory, XDG_CONFIG_HOME: join(directory, "config"), ROUNDTABLE_HOME: dataDir };
  return { dataDir, run: (args) => run(args, env) };
}

async function run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<RanHere> {
  const printed = { stdout: "", stderr: "" };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      printed[name] += String(text);
      return true;
    }),
  );
  const input = Object.getOwnPropertyDescriptor(process.stdin, "isTTY");
  Object.defineProperty(process.stdin, "isTTY", { value: false, configurable: true });
  try {
    return { code: await runCommandLine(args, "0.0.0-test"), ...printed };
  } catch (error) {
    const failure = toFailure(error);
    return { code: failure.exitCode, stdout: printed.stdout, stderr: printed.stderr + failureLine(failure) };
  } finally {
    for (const spy of spies) spy.mockRestore();
    if (input === undefined) delete (process.stdin as { isTTY?: boolean }).isTTY;
    else Object.defineProperty(process.stdin, "isTTY", input);
    vi.unstubAllEnvs();
  }
}
