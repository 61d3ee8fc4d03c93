/**
 * Counts rounds from the raw log and nothing else, and says where a discussion broke its rules: who spoke out of order,
 * twice in a round, while muted, after the end, over a limit, or never. Knows events, not how a session decides.
 */
import type { EventOf, LimitName, LimitScope, SessionEvent, Settings } from "../../src/protocol/index.ts";

export interface JudgeOptions {
  /** Whole answers that add nothing, as the members in this log say them. */
  readonly empties: ReadonlySet<string>;
  /** Nothing runs and nothing will: whatever was under way must be over or paused. */
  readonly isAtRest: boolean;
}

export interface Verdict {
  /** Rounds begun after the opening one, by message. */
  readonly rounds: ReadonlyMap<string, number>;
  readonly settled: readonly string[];
  readonly paused: readonly string[];
}

type Result = "spoke" | "nothing" | "failed" | "interrupted";
type State = "none" | "running" | "settled" | "paused";

interface MemberTally {
  isJoined: boolean;
  isMuted: boolean;
  joined: number;
}

interface OpenTurn {
  readonly start: EventOf<"turn_start">;
  /** By segment. */
  readonly texts: Map<string, string>;
  /** The message to all that it answers in the opening round or belongs to in a later one. */
  answers: string | undefined;
}

interface Account {
  turns: number;
  tokens: number;
  usd: number;
  ms: number;
  open: number;
  since: number;
}

const newAccount = (): Account => ({ turns: 0, tokens: 0, usd: 0, ms: 0, open: 0, since: 0 });

export function judgeCouncil(events: readonly SessionEvent[], options: JudgeOptions): Verdict {
  const judge = new Judge(options);
  events.forEach((event, index) => judge.apply(event, events[index + 1]));
  judge.rest();
  return { rounds: judge.rounds, settled: judge.settled, paused: judge.paused };
}

class Judge {
  readonly rounds = new Map<string, number>();
  readonly settled: string[] = [];
  readonly paused: string[] = [];
  readonly #options: JudgeOptions;
  #settings: Settings | undefined;
  readonly #members = new Map<string, MemberTally>();
  readonly #open = new Map<string, OpenTurn>();
  /** Members for whom nothing may start by itself, because a turn of theirs was stopped. They may be passed over. */
  readonly #maybeHeld = new Set<string>();
  #state: State = "none";
  #why = "";
  #root = "";
  #to: readonly string[] = [];
  #of = 1;
  #round = 1;
  #results = new Map<string, Result>();
  #called: string[] = [];
  #isReopened = false;
  #dropped = new Set<string>();
  #accounts: Record<LimitScope, Account> = { message: newAccount(), session: newAccount() };
  #raised = new Map<string, number>();
  #epoch = 0;

  constructor(options: JudgeOptions) {
    this.#options = options;
  }

  // oxlint-disable-next-line max-lines-per-function -- every event that counts has its line in this one switch
  apply(event: SessionEvent, next: SessionEvent | undefined): void {
    // After a restart nothing starts by itself for anybody.
    if (event.epoch > this.#epoch) for (const name of this.#members.keys()) this.#maybeHeld.add(name);
    this.#epoch = event.epoch;
    switch (event.type) {
      case "session_created":
        this.#settings = event.settings;
        return;
      case "settings_changed":
        this.#settings = { ...this.#settings, ...event.settings } as Settings;
        if (event.settings.limits !== undefined) this.#raised.clear();
        return;
      case "member_joined":
        // At a table where everybody waits to be addressed, a newcomer does too.
        if ([...this.#members.keys()].every((name) => !this.#member(name).isJoined || this.#maybeHeld.has(name))) {
          this.#maybeHeld.add(event.member);
        }
        this.#members.set(event.member, {
          isJoined: true,
          isMuted: false,
          joined: this.#members.get(event.member)?.joined ?? event.seq,
        });
        return;
      case "member_left":
        this.#member(event.member).isJoined = false;
        this.#member(event.member).isMuted = false;
        return;
      case "member_muted":
        this.#member(event.member).isMuted = true;
        return;
      case "member_unmuted":
        this.#member(event.member).isMuted = false;
        return;
      case "user_message":
        this.#message(event);
        return;
      case "message_delivery":
        if (event.messageId === this.#root && event.state === "dropped") this.#dropped.add(event.member);
        return;
      case "steering":
        this.#steer(event);
        return;
      case "turn_start":
        this.#start(event);
        return;
      case "text_done":
        this.#open.get(event.turnId)?.texts.set(event.segmentId, event.text);
        return;
      case "text_retracted":
        this.#open.get(event.turnId)?.texts.delete(event.segmentId);
        return;
      case "turn_end":
        this.#end(event);
        return;
      case "output_cancelled":
        // One after another: who waits would start because somebody stopped.
        if (this.#settings?.mode === "sequential" || event.scope === "all") {
          for (const name of this.#members.keys()) this.#maybeHeld.add(name);
        }
        return;
      case "session_clear":
        this.#state = "none";
        this.#root = "";
        this.#accounts.message = newAccount();
        return;
      case "council_settled":
        this.#settle(event, next);
        return;
      case "council_paused":
        this.#pause(event);
        return;
      case "council_resumed":
        this.#resume(event);
        return;
      default:
    }
  }

  rest(): void {
    if (!this.#options.isAtRest || this.#of === 1 || this.#state !== "running") return;
    throw new Error(
      `the discussion of ${this.#root} stands still in round ${this.#round} of ${this.#of}: ${this.#left().join(", ")} left`,
    );
  }

  #member(name: string): MemberTally {
    const member = this.#members.get(name);
    if (member === undefined) throw new Error(`${name} never sat down`);
    return member;
  }

  #fail(event: SessionEvent, why: string): never {
    throw new Error(
      `event ${event.seq} ${event.type}: ${why} (round ${this.#round} of ${this.#of}, ${this.#state})\n${JSON.stringify(event)}`,
    );
  }

  #message(event: EventOf<"user_message">): void {
    if (!event.toAll || event.copiedFrom !== undefined) return;
    const isAlive = this.#of > 1 && (this.#state === "running" || this.#state === "paused");
    if (isAlive) this.#fail(event, "comes before the discussion it ends was settled");
    const rounds = event.rounds ?? this.#settings?.auto_rounds ?? 0;
    this.#root = event.messageId;
    this.#to = event.to;
    this.#of = event.to.length > 1 ? 1 + rounds : 1;
    this.#state = "running";
    this.#newRound(1);
    this.#dropped = new Set();
    this.#accounts.message = newAccount();
    for (const key of this.#raised.keys()) if (key.startsWith("message")) this.#raised.delete(key);
  }

  #newRound(number: number): void {
    this.#round = number;
    this.#results = new Map();
    this.#called = [];
    this.#isReopened = false;
  }

  #steer(event: EventOf<"steering">): void {
    const turn = this.#open.get(event.turnId);
    if (turn !== undefined && event.messageId === this.#root && this.#round === 1) turn.answers = this.#root;
  }

  #start(event: EventOf<"turn_start">): void {
    const isOfRoot = event.rootMessageId === this.#root;
    if (event.cause === "round") this.#checkRoundTurn(event);
    else if (isOfRoot && event.round !== undefined && event.depth === 0) this.#revive();
    for (const account of this.#accountsOf(event)) {
      if (event.cause !== "subagent") account.turns += 1;
      if (account.open === 0) account.since = event.ts;
      account.open += 1;
    }
    // Who only answers another member is not called back to the table by that.
    if (event.cause !== "exchange") this.#maybeHeld.delete(event.member);
    const isInRound = isOfRoot && event.round === this.#round && event.depth === 0;
    if (isInRound) {
      this.#results.delete(event.member);
      this.#called = this.#called.filter((name) => name !== event.member);
    }
    this.#open.set(event.turnId, { start: event, texts: new Map(), answers: isInRound ? this.#root : undefined });
  }

  #accountsOf({ rootMessageId }: { rootMessageId?: string | undefined }): Account[] {
    const { message, session } = this.#accounts;
    return rootMessageId === this.#root ? [message, session] : [session];
  }

  #revive(): void {
    if (this.#state === "settled" && this.#why !== "interrupted" && this.#why !== "superseded") this.#state = "running";
  }

  #checkRoundTurn(event: EventOf<"turn_start">): void {
    const { member, round = 0 } = event;
    if (this.#state !== "running") this.#fail(event, "starts by itself although the discussion does not run");
    if (event.rootMessageId !== this.#root) this.#fail(event, "belongs to another discussion");
    if (event.messageIds.length > 0) this.#fail(event, "is given a message");
    const other = [...this.#open.values()].find(
      ({ start }) => start.rootMessageId === this.#root && start.cause !== "subagent",
    );
    if (other !== undefined) this.#fail(event, `starts while ${other.start.member} speaks`);
    if ([...this.#open.values()].some(({ start }) => start.member === member))
      this.#fail(event, "starts while the member speaks");
    if (round === this.#round + 1) this.#checkNextRound(event);
    else if (round !== this.#round || round === 1) this.#fail(event, `is not of the round that is under way`);
    if (this.#results.has(member)) this.#fail(event, `speaks twice in the round`);
    const first = this.#expected().find((name) => name === member || !this.#maybeHeld.has(name));
    if (first !== member) this.#fail(event, `comes before ${first ?? "anybody"}`);
    for (const scope of ["message", "session"] as const) {
      for (const limit of ["turns", "minutes", "tokens", "usd"] as const) {
        if (this.#used(scope, limit) >= this.#max(scope, limit))
          this.#fail(event, `is over the limit of ${limit} for the ${scope}`);
      }
    }
  }

  #checkNextRound(event: EventOf<"turn_start">): void {
    if (this.#round >= this.#of) this.#fail(event, "is beyond the last round");
    const left = this.#left().filter((name) => !this.#maybeHeld.has(name));
    if (left.length > 0) this.#fail(event, `begins a round before ${left.join(", ")} spoke in the one before`);
    const answers = [...this.#results.values()].filter((result) => result === "spoke" || result === "nothing");
    if (!this.#isReopened && answers.every((result) => result === "nothing")) {
      this.#fail(event, "begins a round although nobody had anything to add");
    }
    this.#newRound(this.#round + 1);
    this.rounds.set(this.#root, (this.rounds.get(this.#root) ?? 0) + 1);
  }

  /** Who listens, in the order of the table. */
  #speakers(): string[] {
    const order = this.#settings?.order ?? [];
    const rank = (name: string) =>
      order.includes(name) ? order.indexOf(name) : order.length + this.#member(name).joined;
    return [...this.#members.keys()]
      .filter((name) => this.#member(name).isJoined && !this.#member(name).isMuted)
      .sort((a, b) => rank(a) - rank(b));
  }

  /** Who has to speak in this round still, those who were named ahead. */
  #expected(): string[] {
    const names = this.#speakers().filter((name) => !this.#results.has(name));
    const called = this.#called.filter((name) => names.includes(name));
    return [...called, ...names.filter((name) => !called.includes(name))];
  }

  #left(): string[] {
    if (this.#round > 1) return this.#expected();
    return this.#expected().filter((name) => this.#to.includes(name) && !this.#dropped.has(name));
  }

  #end(event: EventOf<"turn_end">): void {
    const turn = this.#open.get(event.turnId);
    if (turn === undefined) this.#fail(event, "ends a turn that is not open");
    this.#open.delete(event.turnId);
    for (const account of this.#accountsOf(turn.start)) this.#charge(account, event);
    if (event.outcome === "interrupted") this.#maybeHeld.add(event.member);
    const isInside = turn.start.depth > 0 && turn.start.cause !== "exchange";
    if (isInside || turn.answers === undefined || turn.answers !== this.#root) return;
    // Steered into, or begun, in a round that has passed or a discussion that was replaced.
    const isOfRound = turn.start.rootMessageId === this.#root ? turn.start.round === this.#round : this.#round === 1;
    if (!isOfRound) return;
    const text = [...turn.texts.values()].join("\n\n").trim();
    const result = this.#resultOf(event, text);
    this.#results.set(event.member, result);
    if (result !== "spoke") return;
    const named = [...text.matchAll(/@([a-z]+)/g)].map(([, name]) => name ?? "");
    const called = [...new Set(named)].filter(
      (name) => name !== event.member && this.#members.get(name)?.isJoined === true,
    );
    this.#called = [...called, ...this.#called.filter((name) => !called.includes(name))];
  }

  #resultOf({ outcome, reason }: EventOf<"turn_end">, text: string): Result {
    if (outcome === "interrupted") return reason === "restart" || reason === "member_left" ? "failed" : "interrupted";
    if (outcome !== "completed") return "failed";
    return text === "" || this.#options.empties.has(text) ? "nothing" : "spoke";
  }

  #charge(account: Account, { ts, usage, reason }: EventOf<"turn_end">): void {
    account.tokens += (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
    account.usd += usage?.costUsd ?? 0;
    account.open -= 1;
    if (reason === "restart") account.since = ts;
    else if (account.open === 0) account.ms += Math.max(0, ts - account.since);
  }

  #used(scope: LimitScope, limit: LimitName): number {
    const { turns, tokens, usd, ms } = this.#accounts[scope];
    return { turns, tokens, usd, minutes: ms / 60_000 }[limit];
  }

  #max(scope: LimitScope, limit: LimitName): number {
    const limits = this.#settings?.limits;
    if (limits === undefined) return Infinity;
    const base = scope === "message" ? limits[limit] : (limits.session?.[limit] ?? limits[limit] * 10);
    return Math.max(base, this.#raised.get(`${scope} ${limit}`) ?? 0);
  }

  #settle(event: EventOf<"council_settled">, next: SessionEvent | undefined): void {
    this.settled.push(event.why);
    if (event.rootMessageId !== this.#root || event.round !== this.#round) this.#fail(event, "names another round");
    const isAlive = this.#state === "running" || (this.#state === "paused" && event.why === "superseded");
    if (!isAlive || this.#of === 1) this.#fail(event, "ends what is not under way");
    const why = this.#whyNot(event, next);
    if (why !== undefined) this.#fail(event, why);
    this.#state = "settled";
    this.#why = event.why;
  }

  #whyNot({ why, epoch }: EventOf<"council_settled">, next: SessionEvent | undefined): string | undefined {
    const results = [...this.#results.values()];
    const answers = results.filter((result) => result === "spoke" || result === "nothing");
    if (why === "superseded") {
      // A crash may have come between the two; then the message was never acknowledged.
      const isCut = next === undefined || next.epoch > epoch;
      return isCut || (next.type === "user_message" && next.toAll) ? undefined : "no message to all follows";
    }
    if (why === "interrupted") return undefined;
    const left = this.#left().filter((name) => !this.#maybeHeld.has(name));
    if (left.length > 0) return `${left.join(", ")} had not spoken`;
    if (why === "agreed")
      return answers.length > 0 && answers.every((one) => one === "nothing") ? undefined : "not all agreed";
    if (why === "all_failed") return answers.length === 0 ? undefined : "somebody answered";
    if (why === "cap") return this.#round === this.#of ? undefined : "rounds are left";
    const speakers = this.#speakers().filter((name) => !this.#maybeHeld.has(name));
    return speakers.length < 2 || results.length === 0 ? undefined : "enough members are left";
  }

  #pause(event: EventOf<"council_paused">): void {
    this.paused.push(event.limit ?? event.why);
    if (event.why === "restart") {
      this.#state = this.#root === "" ? "none" : "paused";
      return;
    }
    if (this.#state !== "running") this.#fail(event, "pauses what does not run");
    const { scope = "message", limit = "" } = event;
    if (!(this.#used(scope, limit as LimitName) >= this.#max(scope, limit as LimitName)))
      this.#fail(event, "the limit is not reached");
    this.#state = "paused";
  }

  #resume(event: EventOf<"council_resumed">): void {
    this.#maybeHeld.clear();
    for (const { scope, limit, to } of event.raised ?? []) {
      const max = this.#max(scope, limit);
      if (this.#used(scope, limit) < max) this.#fail(event, `raises ${limit}, which was not reached`);
      if (this.#used(scope, limit) >= to) this.#fail(event, `raises ${limit} too little`);
      this.#raised.set(`${scope} ${limit}`, to);
    }
    if (event.rootMessageId !== this.#root) return;
    if (this.#state === "settled") this.#isReopened = true;
    this.#of = Math.max(this.#round, event.rounds ?? this.#of);
    this.#state = this.#of > 1 ? "running" : "none";
    for (const [name, result] of this.#results) if (result === "interrupted") this.#results.set(name, "failed");
  }
}
