/** Title of a session created by a first message: its first six words. */
const TOKENS_MAX = 6;
const CHARS_MAX = 50;

export function titleOf(message: string): string {
  const tokens = message.split(/\s+/).filter((word) => word !== "");
  if (tokens.length === 0) return "New Chat";
  const first = tokens.slice(0, TOKENS_MAX).join(" ");
  const letters = Array.from(first);
  if (letters.length > CHARS_MAX)
    return `${letters
      .slice(0, CHARS_MAX - 3)
      .join("")
      .trimEnd()}...`;
  return tokens.length > TOKENS_MAX ? `${first}...` : first;
}

/** The terminal client's default agent. */
const FIRST_AGENT = "ling";

/** Undefined for an unknown agent. */
export function resolveAgent(agentId: string, agents: readonly string[]): string | undefined {
  if (agents.includes(agentId)) return agentId;
  return agentId === FIRST_AGENT ? agents[0] : undefined;
}

/** `@agent rest`: the addressed agent, if it exists and there is text. */
export function targetOf(message: string, agents: readonly string[]): { agent: string; text: string } | undefined {
  const match = /^@([\w-]+) +(\S[^]*)$/.exec(message);
  const [, agent = "", text = ""] = match ?? [];
  return agents.includes(agent) ? { agent, text } : undefined;
}
