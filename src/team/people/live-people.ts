/**
 * What a node knows of its team, held in memory for `may()` and read again when its revision has changed. A change on
 * another node is announced; where that is lost, it is known here within two seconds. While the database is away, the
 * last state stays.
 */
import type { Clock } from "../../kit/clock.ts";
import { createFreshRead } from "../../kit/fresh-read.ts";
import { nameKey, senderId } from "../../protocol/index.ts";
import { asAnswer } from "../store/team-store.ts";
import type { Grant, TeamPrincipal } from "./may.ts";
import type { PeopleStore, Person, TeamPulse, TeamRecords } from "./people-store.ts";

const PULSE_MS = 2_000;
/** Between two reads because of announcements, however many there are. */
const PAUSE_MS = 100;

export class LivePeople {
  readonly store: PeopleStore;
  readonly #clock: Clock;
  readonly #listeners = new Set<(turned: readonly string[]) => void>();
  #records: TeamRecords = { revision: 0, people: new Map(), runners: new Map(), access: [] };
  #pulse: TeamPulse = { revision: 0, nowTs: 0, connected: new Set(), revoked: new Set() };
  #pulsedMs = 0;
  /** By person, of the records. */
  #grants = new Map<string, readonly Grant[]>();
  readonly #over = new AbortController();
  /** Resolves when changes made before the call are known here. */
  readonly refresh = createFreshRead(() => this.#read());

  private constructor(store: PeopleStore, clock: Clock) {
    this.store = store;
    this.#clock = clock;
  }

  static async open(store: PeopleStore, clock: Clock): Promise<LivePeople> {
    const live = new LivePeople(store, clock);
    await live.refresh();
    void live.#follow();
    return live;
  }

  get records(): TeamRecords {
    return this.#records;
  }

  /** By the clock of the database. */
  get nowTs(): number {
    return this.#pulse.nowTs + this.#clock.monotonic() - this.#pulsedMs;
  }

  nameOf(person: string | undefined): string | undefined {
    return person === undefined ? undefined : this.#records.people.get(person)?.name;
  }

  /** An exact match takes precedence over the same name in another case or form. */
  named(name: string): Person | undefined {
    const people = [...this.#records.people.values()];
    const key = nameKey(name);
    return people.find((one) => one.name === name) ?? people.find((one) => nameKey(one.name) === key);
  }

  isConnected(runnerId: string): boolean {
    return this.#pulse.connected.has(runnerId);
  }

  get revoked(): ReadonlySet<string> {
    return this.#pulse.revoked;
  }

  /** Rights of this person, those of everybody included. */
  grantsOf(person: string): readonly Grant[] {
    const known = this.#grants.get(person);
    if (known !== undefined) return known;
    const grants = this.#records.access
      .filter((one) => (one.person ?? person) === person)
      .map(({ role, on }) => ({ person, role, on }));
    this.#grants.set(person, grants);
    return grants;
  }

  /** Called after every pulse, with the runners that have come or gone. */
  onPulse(listener: (turned: readonly string[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** After a change made on this node: known here when it resolves, and soon on the others. */
  async changed(): Promise<void> {
    this.store.announce();
    await asAnswer(this.refresh());
  }

  /** What is not found is looked for again with what another node may have changed just now. */
  async known<Value>(find: () => Value | undefined): Promise<Value | undefined> {
    const value = find();
    if (value !== undefined) return value;
    await asAnswer(this.refresh());
    return find();
  }

  close(): void {
    this.#over.abort();
  }

  async #read(): Promise<void> {
    const pulse = await this.store.pulse();
    this.#pulsedMs = this.#clock.monotonic();
    if (pulse.revision !== this.#records.revision) {
      this.#records = await this.store.records();
      this.#grants = new Map();
    }
    const before = this.#pulse.connected;
    const turned = [...pulse.connected, ...before].filter((id) => pulse.connected.has(id) !== before.has(id));
    this.#pulse = pulse;
    for (const listener of this.#listeners) listener(turned);
  }

  async #follow(): Promise<void> {
    const { signal } = this.#over;
    const changes = this.store.changes(signal);
    for (;;) {
      await changes.next(PULSE_MS);
      if (signal.aborted) return changes.end();
      // A database that is away is asked again.
      await this.refresh().catch(() => {});
      await new Promise<void>((resolve) => void this.#clock.after(PAUSE_MS, resolve));
    }
  }
}

/** Noted in logs as who did it. */
export function senderFor({ person, device }: TeamPrincipal, { people }: TeamRecords): string {
  return senderId({ id: person, name: people.get(person)?.name ?? "someone" }, device);
}
