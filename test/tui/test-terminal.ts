/** Terminals and servers of one test, ended with it; tests run beside each other, so each clears away its own. */
import { expect } from "vitest";
import { createHome, threeScouts, type Home } from "../cli/program.ts";
import { startServing, type Serving } from "../server/serve-program.ts";
import { RESTORED } from "./emulator.ts";
import { openTerminal, type SeenTerminal, type TerminalOptions } from "./terminal.ts";
import { patient } from "../patience.ts";

export type Finally = (close: () => void | Promise<void>) => void;

export interface TerminalSetup extends TerminalOptions {
  readonly home?: Home;
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
}

export function openTestTerminal(
  after: Finally,
  { home = createHome(), args = [], env = {}, ...options }: TerminalSetup = {},
) {
  const seen = openTerminal(home, args, env, options);
  after(async () => {
    seen.close();
    await seen.ended;
  });
  return seen;
}

/**
 * The right end of the status line once there is a host: what members may do, and maybe what was spent. The hints follow
 * it without a break where it fills its row.
 */
export const connected = / {2}read-only(?: · (?:sandboxed|no sandbox))?(?: [│·] \$\d\S*(?: of \$\S+)?)?(?:$| ?Enter)/m;

/** At an empty table, ready to write. */
export async function openReadyTerminal(after: Finally, setup: TerminalSetup = {}): Promise<SeenTerminal> {
  const seen = openTestTerminal(after, setup);
  await seen.sees(connected);
  return seen;
}

export async function serve(after: Finally, home?: Home): Promise<Serving> {
  const one = await startServing(home === undefined ? {} : { home });
  after(() => one.stop());
  return one;
}

export function homeWithThree(council: object = {}): Home {
  const home = createHome();
  home.configure({ ...threeScouts, council: { members: ["ada", "bob", "cyd"], ...council } });
  return home;
}

/** The shell printed the terminal's settings before and after: equal means put back. */
export function expectRestored(seen: SeenTerminal, text = seen.text()): void {
  const [before, after, ...more] = text.match(/^[0-9a-f]+:[0-9a-f:]{40,}$/gm) ?? [];
  expect([before !== undefined, after, more]).toEqual([true, before, []]);
  expect(seen.modes).toEqual(RESTORED);
}

const UNTIL_MS = patient(40_000);

export async function until(what: string, isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + UNTIL_MS;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error(`it did not come about within ${UNTIL_MS / 1000} s that ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
