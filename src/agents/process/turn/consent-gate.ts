/**
 * Asks the user once per session before an unguarded member works in a read-only session. Without consent the turn is
 * not sent to its program.
 */
import type { Guard } from "../../../protocol/index.ts";
import type { AgentEvent, AnswerResult, AgentSetup } from "../../port.ts";
import type { TurnOver } from "../dialect.ts";
import { errored } from "../turn-errors.ts";

export type GatedSetup = Pick<AgentSetup, "writable" | "hasAgreed">;

type ConsentRequest = Extract<AgentEvent, { type: "request" }>;

export class ConsentGate {
  readonly #member: string;
  readonly #setup: GatedSetup | undefined;
  #guard: Guard | undefined;
  #open: { readonly callId: string; readonly resolve: (isGiven: boolean) => void } | undefined;

  constructor(member: string, setup: GatedSetup | undefined) {
    this.#member = member;
    this.#setup = setup;
  }

  /** Called before a program starts: its guard is not known yet. */
  forget(): void {
    this.#guard = undefined;
  }

  note(guard: Guard): void {
    this.#guard = guard;
  }

  /** An unknown guard counts as none. */
  get isClosed(): boolean {
    const isGuarded = this.#guard !== undefined && this.#guard !== "unguarded";
    return this.#setup?.writable === false && !isGuarded && this.#setup.hasAgreed?.() === false;
  }

  /** Resolves with the user's answer to the request passed to `up`. */
  ask(turnId: string, up: (request: ConsentRequest) => void): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#open = { callId: `consent-${turnId}`, resolve };
    up({
      type: "request",
      callId: this.#open.callId,
      consent: "unguarded",
      request: {
        method: "confirm",
        title: `Let ${this.#member} work in this read-only session?`,
        message: `${this.#member} runs commands and changes files without asking, and nothing on this machine can stop it.`,
      },
    });
    return promise;
  }

  /** True when this was the answer to the consent request. */
  handleAnswer(callId: string, { result, error }: AnswerResult): boolean {
    if (this.#open?.callId !== callId) return false;
    this.#open.resolve(error === null && result === true);
    this.#open = undefined;
    return true;
  }

  refusal(): TurnOver {
    return errored({
      code: "unguarded",
      message: `${this.#member} did not start: nothing prevents it from changing files in this read-only session, and this was not approved.`,
      hint:
        `Agree when asked; in scripts pass --allow-unguarded ${this.#member}, or set ` +
        `agents.${this.#member}.unguarded to "allow" in your own configuration. ` +
        "Run roundtable doctor to see what a sandbox needs on this machine.",
    });
  }
}
