/** Scripts of members that ask each other, and what a test reads of it in the log. */
import type { AgentEvent, TurnInput } from "../../src/agents/index.ts";
import type { EventOf } from "../../src/protocol/index.ts";
import type { Behaviour, Step } from "./scripted-agent.ts";
import type { Seated } from "./seated-session.ts";

export interface AskOptions {
  readonly wait?: boolean;
  readonly callId?: string;
  readonly text?: string;
}

/** Calls the tool as agents do, shown in the log, and goes on when the call is answered. */
export function asks(to: string, { wait, callId = `q-${to}`, text = `What says ${to}?` }: AskOptions = {}): Step[] {
  const args = { to, text, ...(wait === undefined ? {} : { wait }) };
  return [
    { type: "tool_call_start", nativeId: callId, name: "mcp__roundtable__agents_message", args, kind: "agent" },
    { type: "host_call", callId, tool: "agents_message", args },
    { untilAnswer: callId },
    { type: "tool_result", nativeId: callId, ok: true, result: "answered" },
  ];
}

export const says = (text: string): AgentEvent => ({ type: "text_delta", text });

/** Asks what the user's message names, and answers others with its own name. */
export function member(name: string, onUser: (input: TurnInput) => readonly Step[] = () => []): Behaviour {
  return {
    script: (input) => (input.from === undefined ? [...onUser(input), says("done")] : [says(`${name} answers`)]),
  };
}

export interface ExchangeSeen {
  readonly from: string;
  readonly to: string;
  readonly ok: boolean | undefined;
  readonly text: string | undefined;
}

export function exchangesOf(table: Seated): ExchangeSeen[] {
  return table.events("agent_message").map(({ agentExchangeId, member: from, to }) => {
    const results = table.events("agent_callback_result").filter((one) => one.agentExchangeId === agentExchangeId);
    if (results.length > 1) throw new Error(`${agentExchangeId} was settled ${results.length} times`);
    return { from, to, ok: results[0]?.ok, text: results[0]?.text };
  });
}

export const startsOf = (table: Seated, name: string): EventOf<"turn_start">[] =>
  table.events("turn_start").filter((event) => event.member === name);

export const answersTo = (table: Seated, name: string): unknown[] =>
  table.agents.of(name).flatMap((agent) => agent.answers.map((one) => one.result));
