/** The model server in a process of its own. */
import { spawn } from "node:child_process";
import path from "node:path";

export interface ModelServer {
  readonly url: string;
  readonly pid: number;
  close(): Promise<void>;
}

const PROGRAM = path.join(import.meta.dirname, "..", "model-server", "main.mjs");

export async function startModelServer({ delayMs = 4 }: { delayMs?: number } = {}): Promise<ModelServer> {
  const child = spawn(process.execPath, [PROGRAM, "--delay", String(delayMs)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      if (printed.includes("\n")) resolve(printed.trim());
    });
    void ended.then(() => reject(new Error("The model server ended before it printed its address.")));
  });
  return {
    url,
    pid: child.pid ?? 0,
    close() {
      child.stdin.end();
      return ended;
    },
  };
}
