/** A client of wire 003 over any transport: checks every line, and stores what a screen would. */
import { newSession, readEvent, type ReadSession } from "./line-reader.ts";
import { WireLine } from "./line-schemas.ts";
import { patient } from "../../../test/patience.ts";

const PATIENCE_MS = patient(45_000);

export type LineOf<Type extends WireLine["type"]> = Extract<WireLine, { type: Type }>;

export class LineHearer {
  readonly lines: WireLine[] = [];
  readonly sessions = new Map<string, ReadSession>();
  /** Lines that violate the format. */
  readonly wrong: string[] = [];
  /** Output on stderr. */
  stderr = "";
  #rest = "";
  #wake: (() => void)[] = [];
  #from = 0;
  #hasEnded = false;

  hear(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#take(line);
    this.#stir();
  }

  /** The end of the lines. */
  end(): void {
    this.#hasEnded = true;
    this.#stir();
  }

  /** The next matching line of the type, after the previous match. */
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

  session(): ReadSession {
    const [only] = this.sessions.values();
    if (only === undefined) throw new Error("there is no session yet");
    return only;
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
