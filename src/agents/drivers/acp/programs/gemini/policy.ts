/**
 * The policy that Gemini CLI is started with. It stands above the user's settings and policies, so that a command of
 * its own "safe" list, `tools.allowed` or a trusted tool server runs nothing unasked.
 */
import { readdirSync } from "node:fs";
import path from "node:path";

/** Its tools that only read here. What is not in this list is closed in a session that is read-only. */
const READERS = ["read_file", "read_many_files", "glob", "grep_search", "list_directory"];
const NOTES = ["update_topic", "write_todos", "complete_task", "get_internal_docs"];
const WEB = ["google_web_search", "web_fetch"];
const EDITORS = ["write_file", "replace"];
const MODES = ["enter_plan_mode", "exit_plan_mode"];

export interface PolicySession {
  readonly isWritable: boolean;
  readonly isSandboxed: boolean;
  /** The name of the table's own tool server. */
  readonly hostToolServer: string;
  /** The user has policies: reading that they may forbid is asked about. */
  readonly hasOwnPolicies: boolean;
}

export function geminiPolicy({ isWritable, isSandboxed, hostToolServer, hasOwnPolicies }: PolicySession): string {
  const hostToolRule = rule({ mcpName: hostToolServer, toolName: "*", decision: "ask_user", priority: 700 });
  if (!isWritable && !isSandboxed) {
    return [
      rule({ toolName: "*", decision: "deny", priority: 500, denyMessage: "This session is read-only." }),
      rule({ toolName: READERS, decision: hasOwnPolicies ? "ask_user" : "allow", priority: 600 }),
      rule({ toolName: NOTES, decision: "allow", priority: 600 }),
      rule({ toolName: WEB, decision: "ask_user", priority: 600 }),
      hostToolRule,
    ].join("\n");
  }
  return [
    // With a pattern its list of "safe" commands is left aside.
    rule({ toolName: "run_shell_command", argsPattern: ".", decision: "ask_user", priority: 500 }),
    rule({ toolName: EDITORS, decision: isWritable ? "ask_user" : "deny", priority: 500 }),
    rule({ toolName: "mcp_*", decision: "ask_user", priority: 500 }),
    // A plan that is accepted would end the asking.
    rule({ toolName: MODES, decision: "deny", priority: 500 }),
    hostToolRule,
  ].join("\n");
}

function rule(fields: Readonly<Record<string, string | number | readonly string[]>>): string {
  const lines = Object.entries(fields).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  return `[[rule]]\n${lines.join("\n")}\n`;
}

/** It leaves our policy aside where an administrator has some. */
export function hasSystemPolicies(): boolean {
  return hasPolicies(path.join(SYSTEM[process.platform] ?? "/etc/gemini-cli", "policies"));
}

const SYSTEM: Readonly<Record<string, string>> = {
  darwin: "/Library/Application Support/GeminiCli",
  win32: "C:\\ProgramData\\gemini-cli",
};

export function hasUserPolicies(home: string): boolean {
  return hasPolicies(path.join(home, ".gemini", "policies"));
}

function hasPolicies(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => name.endsWith(".toml"));
  } catch {
    // Not there: then nobody has any.
    return false;
  }
}
