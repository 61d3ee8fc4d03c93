/**
 * Stands between Roundtable and an agent program: `agent-tap.ts FILE MARK PROGRAM ARGS…` passes everything on and adds a line
 * to FILE for each prompt that holds MARK: the milliseconds from then until the agent's first text came out of it.
 */
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { nativeProgram } from "../../src/agents/codex/native-program.ts";

/** A piece of text of Claude Code and Pi, or of Codex. */
const TEXT = /"text_delta"|item\/agentMessage\/delta/;

const [file = "", mark = "", program = "", ...args] = process.argv.slice(2);
const child = spawn(nativeProgram(program), args, { stdio: ["pipe", "pipe", "inherit"] });
let askedMs: number | undefined;

process.stdin.on("data", (chunk: Buffer) => {
  child.stdin.write(chunk);
  if (chunk.includes(mark)) askedMs = performance.now();
});
process.stdin.once("end", () => child.stdin.end());
child.stdout.on("data", (chunk: Buffer) => {
  const nowMs = performance.now();
  process.stdout.write(chunk);
  if (askedMs === undefined || !TEXT.test(chunk.toString("latin1"))) return;
  appendFileSync(file, `${nowMs - askedMs}\n`);
  askedMs = undefined;
});
child.once("close", (code) => process.exit(code ?? 1));
