/**
 * `state.json` and `sessions/<agent>.json`: which thread is the current one, who is at work. Other programs change them
 * too, so they are changed under their lock only; without the means to take it they are left alone, and that is said.
 */
import path from "node:path";
import { kingdom } from "../../wires/index.ts";
import type { Beside } from "./beside.ts";
import { changeSharedFile, type Change } from "./shared-file.ts";

export class Standings {
  readonly #beside: Beside;
  readonly #config: string | undefined;
  readonly #program: string | undefined;
  /** By file name of the member: what was written last. */
  readonly #told = new Map<string, "working" | "idle">();
  #canLock = true;

  constructor(beside: Beside, config: string | undefined, program?: string) {
    this.#beside = beside;
    this.#config = config;
    this.#program = program;
  }

  async makeCurrent(): Promise<void> {
    const { place } = this.#beside;
    await this.#change(path.join(place.branchDir, "state.json"), (state) =>
      kingdom.withCurrentThread(state, place.thread, place.branch),
    );
  }

  /** Says of each member whether it is at work here, where that has changed. */
  async tell(): Promise<void> {
    const { book } = this.#beside;
    const atWork = new Set(book.openTurns.filter((turn) => !turn.isImported).map(({ member }) => member));
    for (const [member, name] of book.names) await this.#tellOne(name, atWork.has(member) ? "working" : "idle");
  }

  async tellIdle(): Promise<void> {
    for (const name of this.#told.keys()) await this.#tellOne(name, "idle");
  }

  async #tellOne(name: string, status: "working" | "idle"): Promise<void> {
    const { place, clock } = this.#beside;
    // Nobody has to be told that a member which never worked here is idle.
    if ((this.#told.get(name) ?? "idle") === status) return;
    this.#told.set(name, status);
    await this.#change(path.join(place.branchDir, "sessions", `${name}.json`), (session) =>
      kingdom.withStanding(session, {
        name,
        status,
        thread: place.thread,
        pid: status === "working" ? process.pid : undefined,
        backend: kingdom.backendOf(this.#config, name),
        ts: clock.now(),
      }),
    );
  }

  async #change(file: string, change: Change): Promise<void> {
    if (!this.#canLock) return;
    const { warn } = this.#beside;
    try {
      const outcome = await changeSharedFile(file, change, this.#program);
      if (outcome === "damaged") warn(`${file} is not a JSON object and was left as it is.`);
      if (outcome !== "no-lock") return;
      this.#canLock = false;
      warn(
        "state.json and sessions/*.json of the thread tree are left alone: they are shared under a lock, and this machine has no flock program to take it.",
      );
    } catch (error) {
      warn(`${file} could not be brought up to date: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
