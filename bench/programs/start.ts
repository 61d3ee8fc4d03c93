/** Start time of whole programs: bare Node, `--version`, and `-p` to its first text. Median of seven starts. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { report } from "./product.ts";

const STARTS = 7;
const program = path.join(path.dirname(process.env["ROUNDTABLE_BENCH_ROOMS"] ?? ""), "../bin/roundtable.js");
const home = mkdtempSync(path.join(tmpdir(), "roundtable-bench-"));
const { NODE_OPTIONS: _, ...environment } = process.env;
const env = { ...environment, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home };

const what: Record<string, { args: string[]; until: "exit" | "text" }> = {
  bare: { args: ["-e", "0"], until: "exit" },
  version: { args: [program, "--version"], until: "exit" },
  "first-text": {
    args: [program, "-p", "where is the fold of a text delta?", "--output-format", "stream-json"],
    until: "text",
  },
};

function once({ args, until }: { args: string[]; until: "exit" | "text" }): Promise<number> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    let textMs: number | undefined;
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
    child.stdout.on("data", (chunk: Buffer) => {
      if (chunk.includes('"text_delta"')) textMs ??= performance.now() - started;
    });
    child.on("error", reject);
    child.on("exit", () => {
      const ms = until === "exit" ? performance.now() - started : textMs;
      if (ms === undefined) reject(new Error("the program ended without any text"));
      else resolve(ms);
    });
  });
}

const measured = what[process.argv[2] ?? ""];
if (!measured) throw new Error(`start takes one of ${Object.keys(what).join(", ")}`);
await once(measured);
const samples: number[] = [];
for (let start = 0; start < STARTS; start++) samples.push(await once(measured));
report({ ms: samples.toSorted((a, b) => a - b)[Math.floor(STARTS / 2)] ?? Number.NaN });
rmSync(home, { recursive: true, force: true });
