/**
 * What every agent kind must keep, whatever program or model is behind it.
 * Run it on each kind: `agentContract("scout", create)`.
 */
import { describe, expect, test } from "vitest";
import type { Agent, AgentEvent } from "../../src/agents/index.ts";
import { settleDown, sitDown } from "./table-of-one.ts";

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
  test("[A1] a turn that ends by itself ends once, and the next one can be sent", async () => {
    const table = await sitDown(await subject.create());
    await table.run(says.short, "one");
    await table.run(says.short, "two");
    await settleDown();
    expect(ends(table.events)).toEqual([
      ["one", "completed"],
      ["two", "completed"],
    ]);
    await table.agent.close();
  });

  test("[A1] the next turn can be sent from inside the end of the one before", async () => {
    const agent = await subject.create();
    let isSent = false;
    const table = await sitDown(agent, (event) => {
      if (event.type !== "turn_done" || isSent) return;
      isSent = true;
      agent.send({ kind: "turn", turnId: "two", text: says.short, attachments: [] });
    });
    table.ask(says.short, "one");
    const first = await table.next("turn_done");
    await table.next("turn_done", table.events.indexOf(first) + 1);
    expect(ends(table.events)).toEqual([
      ["one", "completed"],
      ["two", "completed"],
    ]);
    await agent.close();
  });

  test("[A5] an agent that cannot work starts all the same, and its turns end errored with a sentence", async () => {
    const table = await sitDown(await subject.createUnable());
    const end = await table.run(says.short);
    expect({ turnId: end.turnId, outcome: end.outcome }).toEqual({ turnId: "turn-1", outcome: "errored" });
    expect(end.error?.message).toMatch(/\S+ \S+ \S+.*\.$/);
    await table.agent.close();
  });

  test("[A7] nothing comes up inside a call of the port", async () => {
    const table = await sitDown(await subject.create());
    const before = table.events.length;
    table.ask(says.endless);
    expect(table.events.length).toBe(before);
    await table.next("text_delta");
    const running = table.events.length;
    table.agent.interrupt();
    expect(table.events.length).toBe(running);
    await table.next("turn_done");
    await table.agent.close();
  });
}

function interruptsStop(subject: ContractSubject): void {
  const { says } = subject;
  test("[A2] an interrupt ends the turn as interrupted, and a second one changes nothing", async () => {
    const table = await sitDown(await subject.create());
    table.ask(says.endless);
    await table.next("text_delta");
    table.agent.interrupt();
    table.agent.interrupt();
    await table.next("turn_done");
    table.agent.interrupt();
    await settleDown();
    expect(ends(table.events)).toEqual([["turn-1", "interrupted"]]);
    expect(table.events.at(-1)?.type).toBe("turn_done");
    await table.agent.close();
  });

  test("[A2] an interrupt while nothing runs does nothing to the next turn", async () => {
    const table = await sitDown(await subject.create());
    table.agent.interrupt();
    await table.run(says.short);
    expect(ends(table.events)).toEqual([["turn-1", "completed"]]);
    await table.agent.close();
  });

  test("[A2] an interrupt in the same moment as the send still ends the turn once", async () => {
    const table = await sitDown(await subject.create());
    table.ask(says.endless);
    table.agent.interrupt();
    await table.next("turn_done");
    await settleDown();
    expect(ends(table.events)).toEqual([["turn-1", "interrupted"]]);
    await table.agent.close();
  });

  test.skipIf(says.endlessTool === null)("[A2] an open tool call is settled before the turn ends", async () => {
    const table = await sitDown(await subject.create());
    table.ask(says.endlessTool ?? "");
    await table.next("tool_call_start");
    table.agent.interrupt();
    await table.next("turn_done");
    const started = table.all("tool_call_start").map((event) => event.nativeId);
    expect(
      table
        .all("tool_result")
        .map((event) => event.nativeId)
        .sort(),
    ).toEqual(started.sort());
    expect(table.all("tool_result").map((event) => event.error?.code)).toContain("tool_interrupted");
    await table.agent.close();
  });
}

function closeIsFinal(subject: ContractSubject): void {
  const { says } = subject;
  test("[A3] close in a turn ends it, and nothing comes up afterwards", async () => {
    const table = await sitDown(await subject.create());
    table.ask(says.endless);
    await table.next("text_delta");
    await Promise.all([table.agent.close(), table.agent.close()]);
    const count = table.events.length;
    expect(ends(table.events)).toEqual([["turn-1", "interrupted"]]);
    table.ask(says.short, "late");
    table.agent.interrupt();
    table.agent.answer("unknown", { result: null, error: null });
    await table.agent.close();
    await settleDown();
    expect(table.events.length).toBe(count);
  });

  test("[A3] an agent that was never started can be closed", async () => {
    await expect((await subject.create()).close()).resolves.toBeUndefined();
  });
}

function answersAndSteers(subject: ContractSubject): void {
  const { says } = subject;
  test("an answer to an unknown call is ignored", async () => {
    const table = await sitDown(await subject.create());
    table.agent.answer("nobody-asked", { result: true, error: null });
    table.ask(says.endless);
    await table.next("text_delta");
    table.agent.answer("nobody-asked", { result: true, error: null });
    table.agent.interrupt();
    await table.next("turn_done");
    expect(ends(table.events)).toEqual([["turn-1", "interrupted"]]);
    await table.agent.close();
  });

  test.skipIf(says.request === null)("an answer lets the turn go on, and a second one is ignored", async () => {
    const table = await sitDown(await subject.create());
    table.ask(says.request ?? "");
    const { callId } = await table.next("request");
    table.agent.answer(callId, { result: true, error: null });
    table.agent.answer(callId, { result: false, error: null });
    await table.next("turn_done");
    await settleDown();
    expect(ends(table.events)).toEqual([["turn-1", "completed"]]);
    await table.agent.close();
  });

  test.skipIf(says.steerable === null)("a steer that is taken comes up as steered, in the same turn", async () => {
    const table = await sitDown(await subject.create());
    table.ask(says.steerable ?? "");
    await table.next("text_delta");
    table.agent.send({ kind: "steer", messageId: "message-2", text: "and also this" });
    expect(await table.next("steered")).toEqual({ type: "steered", messageId: "message-2" });
    expect(ends(table.events)).toEqual([]);
    table.agent.interrupt();
    await table.next("turn_done");
    expect(ends(table.events)).toHaveLength(1);
    await table.agent.close();
  });

  test("a steer while nothing runs comes up never", async () => {
    const table = await sitDown(await subject.create());
    table.agent.send({ kind: "steer", messageId: "message-2", text: "too late" });
    await table.run(says.short);
    expect(table.all("steered")).toEqual([]);
    await table.agent.close();
  });
}
