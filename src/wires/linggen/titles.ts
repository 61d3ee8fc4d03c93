/** The title of a session that a first message opens: its first six words. */
const WORDS = 6;
const CHARS_MAX = 50;

export function titleOf(message: string): string {
  const words = message.split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) return "New Chat";
  const first = words.slice(0, WORDS).join(" ");
  const letters = Array.from(first);
  if (letters.length > CHARS_MAX)
    return `${letters
      .slice(0, CHARS_MAX - 3)
      .join("")
      .trimEnd()}...`;
  return words.length > WORDS ? `${first}...` : first;
}

/** `@agent rest`: who is meant instead, when there is such an agent and something to say. */
export function targetOf(message: string, agents: readonly string[]): { agent: string; text: string } | undefined {
  const found = /^@([\w-]+) +(\S[^]*)$/.exec(message);
  const [, agent = "", text = ""] = found ?? [];
  return agents.includes(agent) ? { agent, text } : undefined;
}
