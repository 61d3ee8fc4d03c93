/** A real server with the wire on both ports, over a real host whose scripted members follow the message. */
import { createHash } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TurnInput } from "../../../src/agents/index.ts";
import { whyNotUsers } from "../../../src/agents/index.ts";
import { loadWires } from "../../../src/cli/edges.ts";
import { createHost, type Host } from "../../../src/host/index.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import type { MemberSpec, Settings } from "../../../src/protocol/index.ts";
import { startServer } from "../../../src/server/index.ts";
import { startCompatPort } from "../../../src/server/compat/compat-port.ts";
import { createScriptedAgents, type Step } from "../../../test/session/scripted-agent.ts";
import type { Door } from "./small-client.ts";

export const MEMBERS: MemberSpec[] = ["solo", "duo"].map((name) => ({ name, kind: "embedded", model: "small" }));

export const SETTINGS: Settings = {
  mode: "broadcast",
  auto_rounds: 0,
  timeout: 600,
  request_timeout: 600,
  order: ["solo", "duo"],
  limits: { turns: 1000, minutes: 1000, tokens: 1_000_000_000, usd: 1000 },
  writable: false,
  preamble: "Answer.",
};

const HANG: Step = { hang: true };
const call: Step = { type: "tool_call_start", nativeId: "n1", name: "bash", args: { command: "ls" } };

const SCRIPTS: Readonly<Record<string, readonly Step[]>> = {
  work: [
    { type: "thinking_delta", text: "Let me think." },
    { type: "text_delta", text: "I look. " },
    call,
    { type: "tool_output_delta", nativeId: "n1", text: "a.ts\n", stream: "stdout" },
    { type: "tool_result", nativeId: "n1", ok: true, result: "a.ts\n" },
    { type: "text_delta", text: "There is one file." },
  ],
  hold: [{ type: "text_delta", text: "I hold" }, HANG],
  tool: [{ type: "text_delta", text: "I call." }, call, HANG],
  fail: [
    { type: "text_delta", text: "I try" },
    { end: "errored", reason: "it broke" },
  ],
  ask: [
    { type: "request", callId: "q1", request: { method: "confirm", title: "Go on?", message: "Really?" } },
    { untilAnswer: "q1" },
    { type: "text_delta", text: "Thank you." },
  ],
  approve: [
    {
      type: "request",
      callId: "q2",
      request: {
        method: "approval",
        title: "Run?",
        tool: "bash",
        call: "ls",
        callHash: createHash("sha256").update("ls").digest("hex"),
        options: [{ label: "Yes", value: "allow" }],
      },
    },
    { untilAnswer: "q2" },
    { type: "text_delta", text: "Allowed." },
  ],
  consult: [
    { type: "tool_call_start", nativeId: "n9", name: "agents_message", args: { to: "duo", text: "plain words?" } },
    { type: "host_call", callId: "c1", tool: "agents_message", args: { to: "duo", text: "plain words?" } },
    { untilAnswer: "c1" },
    { type: "tool_result", nativeId: "n9", ok: true, result: "told" },
    { type: "text_delta", text: "Duo told me." },
  ],
};

function script(input: TurnInput): readonly Step[] {
  const wanted = Object.keys(SCRIPTS).find((word) => new RegExp(`\\b${word}\\b`).test(input.text));
  return (wanted === undefined ? undefined : SCRIPTS[wanted]) ?? [{ type: "text_delta", text: "Plain answer." }];
}

export interface OpenWire {
  readonly host: Host;
  readonly dataDir: string;
  /** The ordinary port, with the token. */
  readonly door: Door;
  /** The separate port, without. */
  readonly openDoor: Door;
  close(): Promise<void>;
}

export async function openWire(
  directory = mkdtempSync(join(tmpdir(), "rt-004-")),
  peerDoubt: Parameters<typeof startCompatPort>[0]["checkPeer"] = whyNotUsers,
): Promise<OpenWire> {
  const dataDir = join(directory, "data");
  const table = createScriptedAgents(systemClock, { solo: { script }, duo: { script } });
  const host = await createHost({ dataDir, agentFactory: table.factory, version: "0.0.0-test" });
  const defaults = { cwd: directory, settings: SETTINGS, members: MEMBERS };
  const server = await startServer({ host, pageFiles: [], defaults, port: 0, wires: await loadWires() });
  const wires = { wires: await loadWires(["004"]), port: 0, sessions: [], origins: [] };
  const compat = await startCompatPort({
    host,
    dataDir,
    defaults,
    version: "0.0.0-test",
    checkPeer: peerDoubt,
    ...wires,
  });
  return {
    host,
    dataDir,
    door: { url: server.url, headers: { authorization: `Bearer ${server.token}` } },
    openDoor: { url: compat.url, headers: {} },
    async close() {
      server.stop();
      compat.stop();
      await host.close();
      await Promise.all([server.cut(), compat.cut()]);
    },
  };
}
