/** The user's own commands, as real processes. */
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { createUserShell } from "../../src/cli/chat/user-programs.ts";
import { isAlive } from "../launch/lone-home.ts";

interface Ran {
  readonly output: () => string;
  readonly stop: () => void;
  readonly ended: ReturnType<ReturnType<typeof createUserShell>>;
}

function run(command: string, { cwd, SHELL = "/bin/sh" }: { cwd?: string; SHELL?: string } = {}): Ran {
  const stopping = new AbortController();
  let output = "";
  const shell = createUserShell({ ...process.env, SHELL, MINE: "my own" }, async () => tmpdir());
  const ended = shell(command, { cwd, signal: stopping.signal, onOutput: (text) => (output += text) });
  return { output: () => output, stop: () => stopping.abort(), ended };
}

async function sees(ran: Ran, words: RegExp): Promise<string> {
  for (;;) {
    const [found] = words.exec(ran.output()) ?? [];
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function isGone(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
}

test.skipIf(process.platform === "win32")(
  "a command runs with the user's environment and reports its output and exit",
  async () => {
    const ran = run('echo "$MINE"; pwd; echo wrong >&2; exit 7', { cwd: "/" });
    expect(await ran.ended).toEqual({ code: 7, signal: null, isStopped: false });
    expect(ran.output().split("\n").toSorted()).toEqual(["", "/", "my own", "wrong"]);
  },
);

test.skipIf(process.platform === "win32")(
  "background processes of a command end with it and delay nothing",
  async () => {
    const ran = run("sleep 600 & echo $!");
    expect(await ran.ended).toMatchObject({ code: 0 });
    await isGone(Number(ran.output()));
  },
);

test.skipIf(process.platform === "win32")(
  "stopped, it ends with everything it has started, also what does not want to",
  async () => {
    const ran = run("trap '' TERM; sleep 600 & echo $!; wait; sleep 600");
    const pid = Number(await sees(ran, /\d+(?=\n)/));
    ran.stop();
    expect(await ran.ended).toMatchObject({ isStopped: true });
    await isGone(pid);
  },
);

test("where it cannot be started it reports the missing part", async () => {
  await expect(run("echo x", { cwd: "/no/such/place" }).ended).rejects.toThrow(
    "there is no directory /no/such/place on this machine",
  );
  if (process.platform !== "win32") await expect(run("echo x", { SHELL: "/no/shell" }).ended).rejects.toThrow("ENOENT");
});
