/** Guard of the built-in agent: it runs nothing but the commands of its shell tool. */
import type { AgentEvent, AgentSetup } from "../port.ts";
import { sandboxRequest } from "../sandbox/sandbox.ts";
import { prepareSandbox } from "../sandbox/wrap-command.ts";

/** In the table of agent directories; its commands store nothing. */
export const SHELL_AGENT = "roundtable";

/** `env` locates the sandbox. Every command is wrapped in it, and fails where that is impossible. */
export async function guardEvent(
  setup: AgentSetup,
  env: Readonly<Record<string, string | undefined>>,
): Promise<AgentEvent> {
  if (!setup.writable) return { type: "member_guard", guard: "own_mode", detail: "it has only read-only tools" };
  const request = sandboxRequest(setup, SHELL_AGENT);
  const known = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  const command = {
    program: "/bin/sh",
    cwd: setup.cwd,
    env: Object.fromEntries(known),
    dataDir: setup.records?.dataDir,
  };
  const prepared = request === undefined ? undefined : await prepareSandbox(request, command);
  if (prepared?.kind === "sandboxed") return { type: "member_guard", guard: "sandbox" };
  return { type: "member_guard", guard: "asks_first", detail: "it asks before each command and change" };
}
