/** A small client of wire 003: runs the real program, checks every line it prints, and keeps what a screen would. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mainFile, type Home } from "../../cli/program.ts";
import { newSession, readEvent, type ReadSession } from "./line-reader.ts";
import { WireLine } from "./line-schemas.ts";

const PATIENCE_MS = 45_000;

export type LineOf<Type extends WireLine["type"]> = Extract<WireLine, { type: Type }>;

export class RpcClient {
  readonly child: ChildProcessWithoutNullStreams;
  readonly lines: WireLine[] = [];
  readonly sessions = new Map<string, ReadSession>();
  /** Lines that are not as the format says. */
  readonly wrong: string[] = [];
  stderr = "";
  exit: Promise<number | null>;
  #rest = "";
  #wake: (() => void)[] = [];
  #from = 0;
  #hasEnded = false;

  constructor(home: Home, args: readonly string[] = []) {
    this.child = spawn(process.execPath, [mainFile, "rpc", ...args], {
      cwd: home.project,
      env: home.env,
      stdio: "pipe",
    });
    this.child.stdin.on("error", () => {});
    this.child.stdout.setEncoding("utf8").on("data", (text: string) => this.#read(text));
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
    this.exit = new Promise((resolve) => {
      this.child.on("close", (code) => {
        this.#hasEnded = true;
        this.#stir();
        resolve(code);
      });
    });
  }

  /** As a client writes it: fields that are undefined are left out. */
  send(command: object): void {
    this.write(`${JSON.stringify(command)}\n`);
  }

  write(text: string): void {
    this.child.stdin.write(text);
  }

  /** The next line of the type that fits, after the one the last call found. */
  async next<Type extends WireLine["type"]>(
    type: Type,
    fits: (line: LineOf<Type>) => boolean = () => true,
  ): Promise<LineOf<Type>> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      for (let at = this.#from; at < this.lines.length; at += 1) {
        const line = this.lines[at];
        if (line?.type !== type || !fits(line as LineOf<Type>)) continue;
        this.#from = at + 1;
        return line as LineOf<Type>;
      }
      const seen = this.lines.slice(-3).map((line) => JSON.stringify(line).slice(0, 300));
      const failure = new Error(`waited in vain for ${type}; last: ${seen.join("\n")}\n${this.stderr}`);
      if (this.#hasEnded) throw failure;
      await this.#news(deadline - performance.now(), failure);
    }
  }

  async event(type: LineOf<"event">["event"]["type"]): Promise<LineOf<"event">["event"]> {
    return (await this.next("event", (line) => line.event.type === type)).event;
  }

  /** Everything that was said to a prompt, until nobody speaks any more. */
  async prompt(text: string, sessionId?: string): Promise<void> {
    this.send({ type: "prompt", text, session_id: sessionId });
    await this.event("agent_end");
  }

  session(): ReadSession {
    const [only] = this.sessions.values();
    if (only === undefined) throw new Error("there is no session yet");
    return only;
  }

  async quit(): Promise<number | null> {
    this.send({ type: "quit" });
    return await this.exit;
  }

  #news(patienceMs: number, failure: Error): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(failure), Math.max(1, patienceMs));
      this.#wake.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #stir(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#take(line);
    this.#stir();
  }

  #take(raw: string): void {
    let line: WireLine;
    try {
      line = WireLine.parse(JSON.parse(raw));
    } catch (error) {
      this.wrong.push(`${raw.slice(0, 500)}: ${String(error)}`);
      return;
    }
    this.lines.push(line);
    if (line.type === "session_started") this.sessions.set(line.session_id, newSession());
    if (line.type !== "event" || line.session_id === undefined) return;
    const session = this.sessions.get(line.session_id) ?? newSession();
    this.sessions.set(line.session_id, session);
    readEvent(session, line);
  }
}
