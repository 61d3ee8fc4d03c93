/** `roundtable serve` in a process of its own, as in the background. */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { SERVER_FLAGS } from "../../src/cli/connect/background-server.ts";
import { readServerRecord } from "../../src/server/server-record.ts";

const START_MS = 20_000;

export interface Serving {
  readonly pid: number;
  readonly url: string;
  readonly token: string;
  /** The local socket of its host. */
  readonly socket: string;
  readonly stop: () => Promise<void>;
}

export async function startServing(place: { dataDir: string; home: string; cwd: string }): Promise<Serving> {
  const { dataDir, home, cwd } = place;
  const config = path.join(home, ".config", "roundtable");
  mkdirSync(config, { recursive: true });
  // Skips the discovery of agents.
  writeFileSync(path.join(config, "config.jsonc"), JSON.stringify({ council: { members: ["scout"] } }));
  const program = process.env["ROUNDTABLE_BENCH_PROGRAM"] ?? "";
  const child = spawn(process.execPath, [...SERVER_FLAGS, program, "serve", "--data-dir", dataDir], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", LANG: "C.UTF-8", HOME: home, TMPDIR: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  const url = await new Promise<string>((resolve, reject) => {
    let printed = "";
    const late = setTimeout(() => reject(new Error(`roundtable serve printed no link: ${printed}`)), START_MS);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const link = /http:\/\/127\.0\.0\.1:\d+(?=\/#code=)/.exec((printed += text))?.[0];
      if (link === undefined) return;
      clearTimeout(late);
      resolve(link);
    });
  });
  return {
    pid: child.pid ?? 0,
    url,
    token: readFileSync(path.join(dataDir, "token"), "utf8").trim(),
    socket: readServerRecord(dataDir)?.socket ?? "",
    async stop() {
      const ended = new Promise((resolve) => child.once("close", resolve));
      child.kill("SIGTERM");
      await ended;
      process.off("exit", kill);
    },
  };
}
