/** A small client of wire 003: runs the real program and talks to it. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mainFile, type Home } from "../../../test/cli/program.ts";
import { LineHearer } from "./line-hearer.ts";

export class RpcClient extends LineHearer {
  readonly child: ChildProcessWithoutNullStreams;
  exit: Promise<number | null>;

  constructor(home: Home, args: readonly string[] = []) {
    super();
    this.child = spawn(process.execPath, [mainFile, "rpc", ...args], {
      cwd: home.project,
      env: home.env,
      stdio: "pipe",
    });
    this.child.stdin.on("error", () => {});
    this.child.stdout.setEncoding("utf8").on("data", (text: string) => this.hear(text));
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
    this.exit = new Promise((resolve) => {
      this.child.on("close", (code) => {
        this.end();
        resolve(code);
      });
    });
  }

  /** As a client writes it: undefined fields are omitted. */
  send(command: object): void {
    this.write(`${JSON.stringify(command)}\n`);
  }

  write(text: string): void {
    this.child.stdin.write(text);
  }

  /** All output after a prompt, until everybody is idle. */
  async prompt(text: string, sessionId?: string): Promise<void> {
    this.send({ type: "prompt", text, session_id: sessionId });
    await this.event("agent_end");
  }

  async quit(): Promise<number | null> {
    this.send({ type: "quit" });
    return await this.exit;
  }
}
