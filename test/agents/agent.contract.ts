/**
 * What every agent kind must keep, whatever program or model is behind it.
 * Run it on each kind: `agentContract("scout", create)`.
 */
import { describe, expect, test } from "vitest";
import type { Agent, AgentEvent } from "../../src/agents/index.ts";
import { settle, startAgent } from "./agent-probe.ts";

export interface ContractSubject {
  /** Fresh, not started. */
  create(): Promise<Agent>;
  /** Fresh, not started, and unable to work: a program that is missing, a directory that is not there. */
  createUnable(): Promise<Agent>;
  /** Texts that make the agent behave so. */
  says: {
    /** Says something and ends by itself. */
    short: string;
    /** Says something and then goes on until it is stopped. */
    endless: string;
    /** Has a tool call open until it is stopped; null when the agent has no tools. */
    endlessTool: string | null;
    /** Asks the user and says something after the answer; null when it cannot ask. */
    request: string | null;
    /** Takes a steer while it runs; null when it cannot be steered. */
    steerable: string | null;
  };
}

export function agentContract(name: string, subject: ContractSubject): void {
  describe(`the agents' contract on ${name}`, () => {
    turnsEnd(subject);
    interruptsStop(subject);
    closeIsFinal(subject);
    answersAndSteers(subject);
  });
}

function ends(events: readonly AgentEvent[]): [string, string][] {
  return events.flatMap((event) => (event.type === "turn_done" ? [[event.turnId, event.outcome]] : []));
}

function turnsEnd(subject: ContractSubject): void {
  const { says } = subject;
  test("[A1] a turn ends once, and the next one can be sent", async () => {
    const probe = await startAgent(await subject.create());
    await probe.run(says.short, "one");
    await probe.run(says.short, "two");
    await settle();
    expect(ends(probe.events)).toEqual([
      ["one", "completed"],
      ["two", "completed"],
    ]);
    await probe.agent.close();
  });

  test("[A1] the next turn can be sent from inside the end of the one before", async () => {
    const agent = await subject.create();
    let isSent = false;
    const probe = await startAgent(agent, (event) => {
      if (event.type !== "turn_done" || isSent) return;
      isSent = true;
      agent.send({ kind: "turn", turnId: "two", text: says.short, attachments: [] });
    });
    probe.ask(says.short, "one");
    const first = await probe.next("turn_done");
    await probe.next("turn_done", probe.events.indexOf(first) + 1);
    expect(ends(probe.events)).toEqual([
      ["one", "completed"],
      ["two", "completed"],
    ]);
    await agent.close();
  });

  test("[A5] an agent that cannot work still starts, and its turns end errored with a message", async () => {
    const probe = await startAgent(await subject.createUnable());
    const end = await probe.run(says.short);
    expect({ turnId: end.turnId, outcome: end.outcome }).toEqual({ turnId: "turn-1", outcome: "errored" });
    expect(end.error?.message).toMatch(/\S+ \S+ \S+.*\.$/);
    await probe.agent.close();
  });

  test("[A7] emits nothing inside a call of the port", async () => {
    const probe = await startAgent(await subject.create());
    const before = probe.events.length;
    probe.ask(says.endless);
    expect(probe.events.length).toBe(before);
    await probe.next("text_delta");
    const running = probe.events.length;
    probe.agent.interrupt();
    expect(probe.events.length).toBe(running);
    await probe.next("turn_done");
    await probe.agent.close();
  });
}

function interruptsStop(subject: ContractSubject): void {
  const { says } = subject;
  test("[A2] an interrupt ends the turn as interrupted, and a second one changes nothing", async () => {
    const probe = await startAgent(await subject.create());
    probe.ask(says.endless);
    await probe.next("text_delta");
    probe.agent.interrupt();
    probe.agent.interrupt();
    await probe.next("turn_done");
    probe.agent.interrupt();
    await settle();
    expect(ends(probe.events)).toEqual([["turn-1", "interrupted"]]);
    expect(probe.events.at(-1)?.type).toBe("turn_done");
    await probe.agent.close();
  });

  test("[A2] an interrupt while nothing runs does nothing to the next turn", async () => {
    const probe = await startAgent(await subject.create());
    probe.agent.interrupt();
    await probe.run(says.short);
    expect(ends(probe.events)).toEqual([["turn-1", "completed"]]);
    await probe.agent.close();
  });

  test("[A2] an interrupt in the same moment as the send still ends the turn once", async () => {
    const probe = await startAgent(await subject.create());
    probe.ask(says.endless);
    probe.agent.interrupt();
    await probe.next("turn_done");
    await settle();
    expect(ends(probe.events)).toEqual([["turn-1", "interrupted"]]);
    await probe.agent.close();
  });

  test.skipIf(says.endlessTool === null)("[A2] an open tool call is settled before the turn ends", async () => {
    const probe = await startAgent(await subject.create());
    probe.ask(says.endlessTool ?? "");
    await probe.next("tool_call_start");
    probe.agent.interrupt();
    await probe.next("turn_done");
    const started = probe.all("tool_call_start").map((event) => event.nativeId);
    expect(
      probe
        .all("tool_result")
        .map((event) => event.nativeId)
        .sort(),
    ).toEqual(started.sort());
    expect(probe.all("tool_result").map((event) => event.error?.code)).toContain("tool_interrupted");
    await probe.agent.close();
  });
}

function closeIsFinal(subject: ContractSubject): void {
  const { says } = subject;
  test("[A3] close during a turn ends it, and nothing is emitted afterwards", async () => {
    const probe = await startAgent(await subject.create());
    probe.ask(says.endless);
    await probe.next("text_delta");
    await Promise.all([probe.agent.close(), probe.agent.close()]);
    const count = probe.events.length;
    expect(ends(probe.events)).toEqual([["turn-1", "interrupted"]]);
    probe.ask(says.short, "late");
    probe.agent.interrupt();
    probe.agent.answer("unknown", { result: null, error: null });
    await probe.agent.close();
    await settle();
    expect(probe.events.length).toBe(count);
  });

  test("[A3] an agent that was never started can be closed", async () => {
    await expect((await subject.create()).close()).resolves.toBeUndefined();
  });
}

function answersAndSteers(subject: ContractSubject): void {
  const { says } = subject;
  test("an answer to an unknown call is ignored", async () => {
    const probe = await startAgent(await subject.create());
    probe.agent.answer("nobody-asked", { result: true, error: null });
    probe.ask(says.endless);
    await probe.next("text_delta");
    probe.agent.answer("nobody-asked", { result: true, error: null });
    probe.agent.interrupt();
    await probe.next("turn_done");
    expect(ends(probe.events)).toEqual([["turn-1", "interrupted"]]);
    await probe.agent.close();
  });

  test.skipIf(says.request === null)("an answer lets the turn go on, and a second one is ignored", async () => {
    const probe = await startAgent(await subject.create());
    probe.ask(says.request ?? "");
    const { callId } = await probe.next("request");
    probe.agent.answer(callId, { result: true, error: null });
    probe.agent.answer(callId, { result: false, error: null });
    await probe.next("turn_done");
    await settle();
    expect(ends(probe.events)).toEqual([["turn-1", "completed"]]);
    await probe.agent.close();
  });

  test.skipIf(says.steerable === null)("an accepted steer is emitted as steered, in the same turn", async () => {
    const probe = await startAgent(await subject.create());
    probe.ask(says.steerable ?? "");
    await probe.next("text_delta");
    probe.agent.send({ kind: "steer", messageId: "message-2", text: "and also this" });
    expect(await probe.next("steered")).toEqual({ type: "steered", messageId: "message-2" });
    expect(ends(probe.events)).toEqual([]);
    probe.agent.interrupt();
    await probe.next("turn_done");
    expect(ends(probe.events)).toHaveLength(1);
    await probe.agent.close();
  });

  test("a steer while nothing runs is never emitted", async () => {
    const probe = await startAgent(await subject.create());
    probe.agent.send({ kind: "steer", messageId: "message-2", text: "too late" });
    await probe.run(says.short);
    expect(probe.all("steered")).toEqual([]);
    await probe.agent.close();
  });
}
