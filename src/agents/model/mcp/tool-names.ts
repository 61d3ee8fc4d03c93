/** Names of foreign tools as a model may call them: by server, of letters every model takes, each one once. */
import { createHash } from "node:crypto";

/** What the strictest model servers take. */
const NAME_CHARS_MAX = 64;
const DIGEST_CHARS = 6;

export interface McpToolName {
  readonly server: string;
  readonly tool: string;
}

/** One for each, in their order; two that would be spelled the same differ in their last letters. */
export function modelToolNames(tools: readonly McpToolName[]): string[] {
  const used = new Set<string>();
  return tools.map(({ server, tool }) => {
    const plain = `mcp__${cleaned(server)}__${cleaned(tool)}`;
    const isPlain = plain.length <= NAME_CHARS_MAX && !used.has(plain);
    const name = isPlain ? plain : withDigest(plain, { server, tool }, used);
    used.add(name);
    return name;
  });
}

function withDigest(plain: string, facts: McpToolName, used: ReadonlySet<string>): string {
  for (let attempt = 0; ; attempt += 1) {
    const text = JSON.stringify([facts.server, facts.tool, attempt]);
    const digest = createHash("sha256").update(text).digest("hex").slice(0, DIGEST_CHARS);
    const name = `${plain.slice(0, NAME_CHARS_MAX - DIGEST_CHARS - 1)}_${digest}`;
    if (!used.has(name)) return name;
  }
}

function cleaned(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, "_");
}
