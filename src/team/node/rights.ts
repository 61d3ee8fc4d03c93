/** Asks `may()` for a person, with what a node knows: the only way to a session of the store. */
import { shortId } from "../../kit/short-id.ts";
import {
  authorOf,
  RoundtableError,
  type SearchHit,
  type SeenAs,
  type SessionNews,
  type SessionSummary,
  type TeamPerson,
} from "../../protocol/index.ts";
import type { LivePeople } from "../people/live-people.ts";
import type { TeamRunner } from "../people/people-store.ts";
import { may, type Action, type SessionTarget, type TeamPrincipal } from "../people/may.ts";
import { asAnswer, type StoredHit } from "../store/team-store.ts";
import type { DirectoryEntry, DirectoryNews, SessionDirectory } from "./session-directory.ts";

export class Rights {
  readonly principal: TeamPrincipal;
  readonly people: LivePeople;
  readonly #directory: SessionDirectory;

  constructor(principal: TeamPrincipal, people: LivePeople, directory: SessionDirectory) {
    this.principal = principal;
    this.people = people;
    this.#directory = directory;
  }

  /** Rejects with "unknown_session" where the person must not learn that it exists. */
  async expect(action: Action, sessionId: string): Promise<DirectoryEntry> {
    const entry = await asAnswer(this.#directory.find(sessionId));
    if (entry === undefined) throw unknownSession(sessionId);
    let verdict = this.#ask(action, entry);
    if (verdict !== "yes") {
      // A role may have been given on another node just now.
      await asAnswer(this.people.refresh());
      verdict = this.#ask(action, entry);
    }
    if (verdict === "hidden") throw unknownSession(sessionId);
    if (verdict === "no") throw new RoundtableError("unsupported", this.#whyNot(action, entry));
    return entry;
  }

  #whyNot(action: Action, { sessionId, runnerId, answersOpen }: DirectoryEntry): string {
    if (this.principal.scopes.every((scope) => scope === "read")) return READ_ONLY;
    if (answersOpen || !ANSWERS.has(action)) return NOT_ALLOWED;
    const { name } = this.ownerOf(runnerId);
    const how = `roundtable team answers on ${shortId(sessionId)}`;
    return `Only ${name} can answer requests in this session. They can let drivers answer too: ${how}`;
  }

  /** Whether the person may start a session in this folder of a runner. */
  mayStart({ id, person: owner }: TeamRunner, cwd: string): boolean {
    if (owner === undefined) return false;
    const grants = this.people.grantsOf(this.principal.person);
    return may(this.principal, "create", { kind: "folder", runnerId: id, owner, cwd, grants }) === "yes";
  }

  /** Without asking the database again. */
  mayStillRead(sessionId: string): boolean {
    const entry = this.#directory.get(sessionId);
    return entry !== undefined && this.#ask("read", entry) === "yes";
  }

  /** As `expect` for reading, without asking the database again. */
  expectStill(sessionId: string): void {
    if (!this.mayStillRead(sessionId)) throw unknownSession(sessionId);
  }

  visible(): SessionSummary[] {
    const seen = [...this.#directory.entries].filter((entry) => this.#ask("read", entry) === "yes");
    return seen.map((entry) => this.summaryOf(entry)).sort((a, b) => b.updatedTs - a.updatedTs);
  }

  summaryOf(entry: DirectoryEntry): SessionSummary {
    const { summary, runnerId } = entry;
    const runner = this.people.records.runners.get(runnerId);
    const { id, name } = this.ownerOf(runnerId);
    const at = { runner: runner?.name ?? "", person: name, isConnected: this.people.isConnected(runnerId) };
    const { waiting, ...rest } = summary;
    const line = this.#isForMe(entry) ? { ...rest, waiting } : rest;
    return { ...line, at: { ...at, ...(id === undefined ? {} : { personId: id }) } };
  }

  /** Without an id when whose machine it was has been removed. */
  ownerOf(runnerId: string | undefined): TeamPerson {
    const { people, runners } = this.people.records;
    return people.get(runners.get(runnerId ?? "")?.person ?? "") ?? { name: REMOVED };
  }

  seenAs(sessionId: string): SeenAs {
    const people = [...this.people.records.people.values()];
    return { me: this.principal.person, owner: this.ownerOf(this.#directory.get(sessionId)?.runnerId), people };
  }

  /** Names who wrote a message, unless it was this person. What was written at the machine was by its owner. */
  asSeen({ sender, ...hit }: StoredHit): SearchHit {
    // Entries from before senders were stored have the name of whoever wrote them.
    if (hit.kind !== "user" || (sender === undefined && hit.member !== undefined)) return hit;
    const { member: _, ...rest } = hit;
    const member = authorOf(sender, this.seenAs(hit.sessionId));
    return member === undefined ? rest : { ...rest, member };
  }

  /** All visible sessions first, then what has changed, when the directory was read or rights were changed. */
  follow(listener: (news: SessionNews) => void): () => void {
    /** What was told of each; a team has many followers, so it is kept short. */
    const shown = new Map<string, string>();
    const publish = ({ changed, gone }: DirectoryNews, isWhole: boolean): void => {
      const visible = changed.filter((entry) => this.#ask("read", entry) === "yes");
      const ids = new Set(visible.map(({ sessionId }) => sessionId));
      const hidden = changed.filter(({ sessionId }) => !ids.has(sessionId)).map(({ sessionId }) => sessionId);
      const left = [...gone, ...hidden].filter((id) => shown.delete(id));
      const fresh = visible.filter((entry) => {
        const text = `${entry.version} ${this.#originOf(entry)}`;
        const isSame = shown.get(entry.sessionId) === text;
        shown.set(entry.sessionId, text);
        return !isSame;
      });
      if (!isWhole && fresh.length === 0 && left.length === 0) return;
      const summaries = fresh.map((entry) => this.summaryOf(entry)).sort((a, b) => b.updatedTs - a.updatedTs);
      listener({ isWhole, changed: summaries, gone: left });
    };
    let { revision } = this.people.records;
    const onPulse = (turned: readonly string[]): void => {
      // Every line may differ after a change of rights, else those of machines that came or went.
      const isSame = this.people.records.revision === revision;
      revision = this.people.records.revision;
      if (isSame && turned.length === 0) return;
      const changed = isSame ? this.#directory.ofRunners(turned) : [...this.#directory.entries];
      publish({ changed, gone: [] }, false);
    };
    const stops = [this.#directory.onRead((news) => publish(news, false)), this.people.onPulse(onPulse)];
    publish({ changed: [...this.#directory.entries], gone: [] }, true);
    return () => {
      for (const stop of stops) stop();
    };
  }

  /** What a line says beside the session itself. */
  #originOf(entry: DirectoryEntry): string {
    const { runnerId } = entry;
    const { name, person } = this.people.records.runners.get(runnerId) ?? {};
    const isConnected = this.people.isConnected(runnerId);
    return [isConnected, this.#isForMe(entry), name, person, this.people.nameOf(person)].join(" ");
  }

  /** True when a request is waiting that this person may answer, on this device or another. */
  #isForMe(entry: DirectoryEntry): boolean {
    if (entry.summary.waiting === undefined) return false;
    return may({ ...this.principal, scopes: ["use"] }, "command:answer", this.#targetOf(entry)) === "yes";
  }

  #ask(action: Action, entry: DirectoryEntry) {
    return may(this.principal, action, this.#targetOf(entry));
  }

  #targetOf({ sessionId, runnerId, answersOpen, summary }: DirectoryEntry): SessionTarget {
    const owner = this.people.records.runners.get(runnerId)?.person ?? "";
    const grants = this.people.grantsOf(this.principal.person);
    return { kind: "session", sessionId, runnerId, owner, cwd: summary.cwd, answersOpen, grants };
  }
}

function unknownSession(sessionId: string): RoundtableError {
  return new RoundtableError("unknown_session", `There is no session ${sessionId}.`);
}

/** In place of the name of a person. */
const REMOVED = "(removed)";
const NOT_ALLOWED = "Your role in this session does not allow that. Its owner can change your role.";
const ANSWERS: ReadonlySet<Action> = new Set(["command:answer", "command:plan_decision"]);
const READ_ONLY = "This device has read-only access.";
