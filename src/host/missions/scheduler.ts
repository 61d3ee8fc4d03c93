/**
 * Missions: a member that was idle for its interval gets its standing prompt, as a message with an origin in the newest
 * session of the mission's directory. Members that work, are muted, ask something or are held by a limit are not
 * prompted, and each mission has a limit of prompts. After a restart every interval starts over.
 */
import type { Clock } from "../../kit/clock.ts";
import { RoundtableError, type SessionSummary } from "../../protocol/index.ts";
import { loadedMessagesBackward, type Transcript } from "../../transcript/index.ts";
import { IdleMember, MISSIONS_MAX, Mission, openMissionFile, OVERRIDES_MAX, type MissionFile } from "./file.ts";

/** Origin of messages from a mission to an idle member. */
export const IDLE_ORIGIN = "idle-prompt";

/** Bounds of the check interval, which is a quarter of the shortest mission interval. */
const CHECK_MS_MIN = 500;
const CHECK_MS_MAX = 10_000;
const INTERVAL_SECS = 300;
/** Prompts of one mission before a person has to set it again. */
const PROMPTS_MAX = 100;

export interface IdlePrompts {
  /** Oldest first; the last one may be active. */
  missions(directory: string): readonly Mission[];
  /** Ends the previous mission. */
  setMission(directory: string, mission: { text: string; members: readonly IdleMember[] }): Promise<void>;
  clearMission(directory: string): Promise<void>;
  override(directory: string, member: string): IdleMember | undefined;
  setOverride(directory: string, member: IdleMember): Promise<void>;
  /** The same for a wire that reaches only some sessions; its missions prompt only those. */
  scoped(scope: string, isInScope: (sessionId: string) => boolean): IdlePrompts;
}

export interface IdlePromptDeps {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly listSessions: () => Promise<readonly SessionSummary[]>;
  readonly transcriptOf: (sessionId: string) => Promise<Transcript>;
  readonly send: (sessionId: string, message: { text: string; to: string[]; origin: string }) => Promise<void>;
  readonly warn: (sentence: string) => void;
}

export interface IdleScheduler {
  readonly prompts: IdlePrompts;
  /** Whether a mission waits for an idle member. */
  readonly isWaiting: boolean;
  close(): void;
}

export async function startIdlePrompts(deps: IdlePromptDeps): Promise<IdleScheduler> {
  const scheduler = new Scheduler(deps, await openMissionFile(deps.dataDir));
  scheduler.plan();
  return {
    prompts: scheduler.promptsFor(undefined),
    get isWaiting() {
      return scheduler.isWaiting;
    },
    close: () => scheduler.close(),
  };
}

interface StandingPrompt {
  readonly mission: Mission;
  readonly name: string;
  readonly prompt: string;
  readonly intervalMs: number;
}

class Scheduler {
  readonly #deps: IdlePromptDeps;
  readonly #file: MissionFile;
  /** Monotonic: with a wall clock that is set back, every mission would sleep that long. */
  readonly #startedMs: number;
  readonly #scopes = new Map<string, (sessionId: string) => boolean>();
  /** Times of missions and of the last prompt by member, and the number of prompts by mission. */
  readonly #setMs = new Map<string, number>();
  readonly #promptedMs = new Map<string, number>();
  readonly #counts = new Map<string, number>();
  #cancel = () => {};
  #isChecking = false;
  #isClosed = false;

  constructor(deps: IdlePromptDeps, file: MissionFile) {
    this.#deps = deps;
    this.#file = file;
    this.#startedMs = deps.clock.monotonic();
  }

  get isWaiting(): boolean {
    return this.#standingPrompts().length > 0;
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }

  plan(): void {
    this.#cancel();
    const intervals = this.#standingPrompts().map((one) => one.intervalMs);
    if (this.#isClosed || intervals.length === 0) return;
    const ms = Math.min(CHECK_MS_MAX, Math.max(CHECK_MS_MIN, Math.min(...intervals) / 4));
    this.#cancel = this.#deps.clock.after(ms, () => void this.#checkAll());
  }

  promptsFor(scope: string | undefined): IdlePrompts {
    const isHere = (one: { directory: string; scope?: string | undefined }, directory: string) =>
      one.directory === directory && one.scope === scope;
    const isEnded = (one: Mission) => !one.isActive;
    const ended = (directory: string) =>
      this.#file.contents.missions.map((one) => (isHere(one, directory) ? { ...one, isActive: false } : one));
    return {
      missions: (directory) => this.#file.contents.missions.filter((one) => isHere(one, directory)),
      setMission: async (directory, { text, members }) => {
        const createdTs = this.#deps.clock.now();
        const of = scope === undefined ? {} : { scope };
        const mission = parsed(Mission, { directory, ...of, text, createdTs, isActive: true, members: [...members] });
        const missions = ended(directory);
        const room = missions.length < MISSIONS_MAX ? missions : missions.toSpliced(missions.findIndex(isEnded), 1);
        if (room.length >= MISSIONS_MAX) throw new RoundtableError("too_large", `${MISSIONS_MAX} missions are active.`);
        this.#setMs.set(keyOf(mission), this.#deps.clock.monotonic());
        await this.#change({ missions: [...room, mission] });
      },
      clearMission: (directory) => this.#change({ missions: ended(directory) }),
      override: (directory, member) =>
        this.#file.contents.overrides.find((one) => isHere(one, directory) && one.name === member),
      setOverride: async (directory, member) => {
        const of = scope === undefined ? {} : { scope };
        const one = { ...parsed(IdleMember, member), directory, ...of };
        const others = this.#file.contents.overrides.filter((o) => !(isHere(o, directory) && o.name === one.name));
        await this.#change({ overrides: [...others, one].slice(-OVERRIDES_MAX) });
      },
      scoped: (name, isInScope) => {
        this.#scopes.set(name, isInScope);
        this.plan();
        return this.promptsFor(name);
      },
    };
  }

  async #change(part: Partial<MissionFile["contents"]>): Promise<void> {
    const writing = this.#file.change({ ...this.#file.contents, ...part });
    this.plan();
    await writing;
  }

  /** Standing prompts of active missions. Missions of a closed wire sleep. */
  #standingPrompts(): StandingPrompt[] {
    const { missions, overrides } = this.#file.contents;
    return missions
      .filter((mission) => mission.isActive && (mission.scope === undefined || this.#scopes.has(mission.scope)))
      .flatMap((mission) => {
        const own = overrides.filter((one) => one.directory === mission.directory && one.scope === mission.scope);
        const names = new Set([...mission.members, ...own].map((one) => one.name));
        return [...names].flatMap((name) => standingPromptOf(mission, name, own));
      });
  }

  async #checkAll(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      const sessions = await this.#deps.listSessions();
      for (const standingPrompt of this.#standingPrompts()) await this.#checkMember(standingPrompt, sessions);
    } catch (error) {
      this.#deps.warn(`Cannot check for idle members: ${error instanceof Error ? error.message : String(error)}.`);
    } finally {
      this.#isChecking = false;
      this.plan();
    }
  }

  async #checkMember(standingPrompt: StandingPrompt, sessions: readonly SessionSummary[]): Promise<void> {
    const { mission, name, prompt, intervalMs } = standingPrompt;
    const { clock, transcriptOf, send } = this.#deps;
    const session = this.#sessionOf(standingPrompt, sessions);
    if (session === undefined || this.#isClosed) return;
    const missionKey = keyOf(mission);
    const key = `${missionKey}|${name}`;
    const sinceMs = Math.max(this.#startedMs, this.#setMs.get(missionKey) ?? 0, this.#promptedMs.get(key) ?? 0);
    const count = this.#counts.get(missionKey) ?? 0;
    if (clock.monotonic() - sinceMs < intervalMs || count >= PROMPTS_MAX) return;
    const transcript = await transcriptOf(session.sessionId);
    if (!isFree(transcript, name) || hasWorkedWithin(transcript, name, clock.now(), intervalMs)) return;
    this.#promptedMs.set(key, clock.monotonic());
    this.#counts.set(missionKey, count + 1);
    await send(session.sessionId, { text: promptText(mission.text, prompt), to: [name], origin: IDLE_ORIGIN });
    if (count + 1 === PROMPTS_MAX) {
      this.#deps.warn(
        `The mission in ${mission.directory} has sent ${PROMPTS_MAX} prompts, the maximum, and stops. To continue, set it again.`,
      );
    }
  }

  #sessionOf({ mission, name }: StandingPrompt, sessions: readonly SessionSummary[]): SessionSummary | undefined {
    const isInScope = mission.scope === undefined ? () => true : this.#scopes.get(mission.scope);
    return sessions
      .filter((one) => one.cwd === mission.directory && !one.archived && one.problem === undefined)
      .filter((one) => one.members.includes(name) && isInScope?.(one.sessionId) === true)
      .toSorted((a, b) => b.updatedTs - a.updatedTs)[0];
  }
}

function standingPromptOf(mission: Mission, name: string, overrides: readonly IdleMember[]): StandingPrompt[] {
  const own = mission.members.find((one) => one.name === name);
  const override = overrides.find((one) => one.name === name);
  const prompt = own?.prompt ?? override?.prompt ?? "";
  const seconds = own?.intervalSecs ?? override?.intervalSecs ?? INTERVAL_SECS;
  return prompt.trim() === "" ? [] : [{ mission, name, prompt, intervalMs: seconds * 1_000 }];
}

function isFree({ head }: Transcript, name: string): boolean {
  const member = head.members[name];
  const isAsking = head.requests.some((request) => request.member === name);
  const isHeld = head.council.state === "paused" || head.queue.length > 0 || isAsking;
  return member?.seated === true && !member.muted && member.state === "idle" && !isHeld;
}

/** By the newest turn in memory. A turn in the future only means that the wall clock was set back. */
function hasWorkedWithin(transcript: Transcript, name: string, now: number, ms: number): boolean {
  for (const message of loadedMessagesBackward(transcript)) {
    if (message.kind !== "turn" || message.member !== name) continue;
    const agoMs = now - (message.end?.ts ?? message.ts);
    return agoMs >= 0 && agoMs < ms;
  }
  return false;
}

function keyOf({ scope, directory, createdTs }: Mission): string {
  return `${scope ?? ""}|${directory}|${createdTs}`;
}

function promptText(mission: string, prompt: string): string {
  return mission.trim() === "" ? prompt : `Mission: ${mission}\n\n${prompt}`;
}

function parsed<T>(schema: { safeParse(value: unknown): { success: boolean; data?: T } }, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success && result.data !== undefined) return result.data;
  throw new RoundtableError("bad_command", "A mission takes texts of at most 32768 characters and positive intervals.");
}
