/** The agent of ours that opencode works as, put into the configuration that it is given by the environment. Pure. */

type Action = "allow" | "ask" | "deny";
export type Permissions = Readonly<Record<string, Action | Readonly<Record<string, Action>>>>;

export interface AgentSession {
  readonly isWritable: boolean;
  readonly isSandboxed: boolean;
  /** The name of the table's own tool server. */
  readonly hostToolServer: string;
}

/** Of two rules that fit, opencode goes by the later one. */
export function permissionsFor({ isWritable, isSandboxed, hostToolServer }: AgentSession): Permissions {
  const isClosed = !isWritable && !isSandboxed;
  const secrets = isClosed ? "deny" : "ask";
  return {
    "*": isClosed ? "deny" : "ask",
    read: { "*": "allow", "*.env": secrets, "*.env.*": secrets, "*.env.example": "allow" },
    ...allow(["glob", "grep", "list", "todoread", "todowrite", "skill", "invalid"]),
    ...(isClosed ? { webfetch: "ask", websearch: "ask" } : {}),
    ...(isWritable ? {} : { edit: "deny" }),
    // What its subagents ask for is not passed on over ACP: one that had to ask would wait until the turn is stopped.
    task: "deny",
    // Nobody would see these questions, and a plan that is accepted goes on as another agent.
    question: "deny",
    plan_enter: "deny",
    plan_exit: "deny",
    [`${hostToolServer}_*`]: "allow",
  };
}

function allow(tools: readonly string[]): Permissions {
  return Object.fromEntries(tools.map((tool) => [tool, "allow"]));
}

/** The configuration as JSON; null when what is given is none. */
export function ownAgent(
  given: string | undefined,
  session: AgentSession & { readonly agent: string; readonly notes: readonly string[] },
): string | null {
  const { agent, notes } = session;
  const config = parse(given ?? "{}");
  if (config === null) return null;
  const description = "At the table";
  const own = { mode: "primary", description, permission: permissionsFor(session) };
  const instructions = [...listOf(config["instructions"]), ...notes];
  return JSON.stringify({
    ...config,
    agent: { ...recordOf(config["agent"]), [agent]: own },
    default_agent: agent,
    // Else a denied call ends its turn, and why it was denied is not heard before the next one.
    experimental: { ...recordOf(config["experimental"]), continue_loop_on_deny: true },
    ...(instructions.length === 0 ? {} : { instructions }),
  });
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    // With comments, or broken: it stays as it is, and the agent is not offered.
    return null;
  }
}

function recordOf(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
