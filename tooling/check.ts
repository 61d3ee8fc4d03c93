/** Runs every `check:…` script of package.json, as many at a time as a small machine has cores, and says how each ended. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const AT_A_TIME = 2;
/** The compiler and the linter are Go programs: with more memory before each collection they need a quarter less time. */
const env = {
  GOGC: "400",
  ...process.env,
  PATH: [join(root, "node_modules", ".bin"), process.env["PATH"]].join(delimiter),
};

interface Part {
  readonly name: string;
  readonly line: string;
}

/** Resolves with whether it held. What it printed is shown at its end, so that parts do not mix. */
function runPart({ name, line }: Part): Promise<boolean> {
  const begunMs = performance.now();
  const child = spawn(line, { cwd: root, env, shell: true, stdio: ["ignore", "pipe", "pipe"] });
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes: Buffer) => printed.push(bytes));
  const { promise, resolve: end, reject } = Promise.withResolvers<boolean>();
  child.on("error", reject);
  child.on("close", (code, signal) => {
    const seconds = ((performance.now() - begunMs) / 1000).toFixed(1);
    const ended = code === 0 ? "holds" : `FAILED (${signal ?? `exit ${code}`}): ${line}`;
    process.stdout.write(`${name} ${ended} · ${seconds} s\n`);
    if (code !== 0) process.stdout.write(`${Buffer.concat(printed).toString()}\n`);
    end(code === 0);
  });
  return promise;
}

const { scripts } = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};
const parts = Object.entries(scripts).flatMap(([name, line]) => (name.startsWith("check:") ? [{ name, line }] : []));
const left = parts.values();
const failed: string[] = [];

async function work(): Promise<void> {
  for (const part of left) if (!(await runPart(part))) failed.push(part.name);
}

await Promise.all(Array.from({ length: AT_A_TIME }, work));
if (failed.length > 0) {
  process.stdout.write(`${failed.join(", ")} failed; each runs alone as npm run NAME.\n`);
  process.exitCode = 1;
}
