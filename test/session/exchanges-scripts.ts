/** Scripts of members that ask each other, and what a test reads of it in the log. */
import type { AgentEvent, TurnInput } from "../../src/agents/index.ts";
import type { EventOf } from "../../src/protocol/index.ts";
import type { Behaviour, Step } from "./scripted-agent.ts";
import type { SessionRun } from "./session-run.ts";

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

export function exchangesOf(run: SessionRun): ExchangeSeen[] {
  return run.events("agent_message").map(({ agentExchangeId, member: from, to }) => {
    const results = run.events("agent_callback_result").filter((one) => one.agentExchangeId === agentExchangeId);
    if (results.length > 1) throw new Error(`${agentExchangeId} was settled ${results.length} times`);
    return { from, to, ok: results[0]?.ok, text: results[0]?.text };
  });
}

export const startsOf = (run: SessionRun, name: string): EventOf<"turn_start">[] =>
  run.events("turn_start").filter((event) => event.member === name);

export const answersTo = (run: SessionRun, name: string): unknown[] =>
  run.agents.of(name).flatMap((agent) => agent.answers.map((one) => one.result));
