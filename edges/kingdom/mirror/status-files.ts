/**
 * `state.json` and `sessions/<agent>.json`: the current thread, and who is working. Other programs change them
 * too, so they are changed under their lock only; without `flock` they are left alone, with a warning.
 * Failed updates are retried later; a `working` mark of a crashed process is cleared.
 */
import path from "node:path";
import * as kingdom from "../format/kingdom.ts";
import { isAlive } from "./incoming/busy-elsewhere.ts";
import type { MirrorContext } from "./mirror-context.ts";
import { changeSharedFile, type Change } from "./files/shared-file.ts";
import { readTreeFile } from "./files/tree-file.ts";

/** Delay before a failed update is retried. */
const AGAIN_MS = 15_000;

type StatusFilesDeps = Pick<MirrorContext, "location" | "index" | "clock" | "warn"> & {
  readonly session: { readonly sessionId: string };
};

export class StatusFiles {
  readonly #context: StatusFilesDeps;
  readonly #config: string | undefined;
  readonly #program: string | undefined;
  /** Status in the member's file, by file name. */
  readonly #written = new Map<string, "working" | "idle" | "outdated">();
  /** Failed files, with the time of the next attempt. */
  readonly #failed = new Map<string, number>();
  #canLock = true;
  #mustBeCurrent = false;
  #hasScanned = false;

  constructor(context: StatusFilesDeps, config: string | undefined, program?: string) {
    this.#context = context;
    this.#config = config;
    this.#program = program;
  }

  async makeCurrent(): Promise<void> {
    this.#mustBeCurrent = true;
    await this.#writeCurrentThread();
  }

  /** Updates each member's status where it has changed. */
  async update(): Promise<void> {
    const { index } = this.#context;
    if (!this.#hasScanned) await this.#findStaleStatuses();
    await this.#writeCurrentThread();
    const atWork = new Set(index.openTurns.filter((turn) => !turn.isImported).map(({ member }) => member));
    for (const [member, name] of index.names) await this.#writeStatus(name, atWork.has(member) ? "working" : "idle");
  }

  /** Without delay, including failed updates: this is the last attempt. */
  async markAllIdle(): Promise<void> {
    if (!this.#hasScanned) await this.#findStaleStatuses();
    this.#failed.clear();
    await this.#writeCurrentThread();
    for (const name of this.#written.keys()) await this.#writeStatus(name, "idle");
  }

  async #writeCurrentThread(): Promise<void> {
    const { location } = this.#context;
    if (!this.#mustBeCurrent) return;
    const file = path.join(location.branchDir, "state.json");
    const isDone = await this.#change(file, (state) =>
      kingdom.withCurrentThread(state, location.thread, location.branch),
    );
    if (isDone) this.#mustBeCurrent = false;
  }

  /** Members marked as working in this thread by a dead process. */
  async #findStaleStatuses(): Promise<void> {
    const { index, location } = this.#context;
    for (const name of index.names.values()) {
      const text = await readTreeFile(this.#fileOf(name)).catch(() => undefined);
      const { status, thread, pid } = kingdom.decodeJsonFile(text ?? "") ?? {};
      if (status !== "working" || thread !== location.thread) continue;
      if (typeof pid !== "number" || pid === process.pid || !isAlive(pid)) this.#written.set(name, "outdated");
    }
    this.#hasScanned = true;
  }

  #fileOf(name: string): string {
    return path.join(this.#context.location.branchDir, "sessions", `${name}.json`);
  }

  async #writeStatus(name: string, status: "working" | "idle"): Promise<void> {
    const { location, clock } = this.#context;
    // A member that never worked here needs no idle mark.
    if ((this.#written.get(name) ?? "idle") === status) return;
    const isDone = await this.#change(this.#fileOf(name), (session) =>
      kingdom.withAgentStatus(session, {
        name,
        status,
        thread: location.thread,
        pid: status === "working" ? process.pid : undefined,
        backend: kingdom.backendOf(this.#config, name),
        ts: clock.now(),
      }),
    );
    // May be partially done.
    this.#written.set(name, isDone ? status : "outdated");
  }

  /** False when it must be retried. */
  async #change(file: string, change: Change): Promise<boolean> {
    if (!this.#canLock) return true;
    const { warn, clock, session } = this.#context;
    const againMs = this.#failed.get(file);
    if (againMs !== undefined && clock.monotonic() < againMs) return false;
    try {
      const outcome = await changeSharedFile({ file, change, owner: session.sessionId, program: this.#program });
      this.#failed.delete(file);
      if (outcome === "damaged") warn(`${file} is not a JSON object and was left as it is.`);
      if (outcome !== "no-lock") return true;
      this.#canLock = false;
      warn(
        "state.json and sessions/*.json of the thread tree are left alone: they are shared under a lock, which needs the flock program, and this machine has none.",
      );
      return true;
    } catch (error) {
      this.#failed.set(file, clock.monotonic() + AGAIN_MS);
      if (againMs === undefined)
        warn(`${file} could not be updated: ${error instanceof Error ? error.message : String(error)}`);
      return false;
    }
  }
}
