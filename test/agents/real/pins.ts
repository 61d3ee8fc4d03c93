/** The agent programs that are tried for real, at the versions that everything here was written against. */
export interface Pin {
  readonly name: AgentName;
  /** As people know it. */
  readonly title: string;
  readonly npmPackage: string;
  readonly version: string;
  /** Tried where the pinned version cannot be had: not every version is published for every machine. */
  readonly olderVersion?: string;
  /**
   * "install": with what it depends on. "unpack": the package alone, for one that brings nearly everything in one
   * bundle and names dependencies that the registry does not have.
   */
  readonly how: "install" | "unpack";
  /** Of an unpacked package: what its bundle does not have inside. */
  readonly beside?: readonly string[];
  /** Below the package's own folder when unpacked, else below node_modules/.bin. */
  readonly program: string;
}

export const AGENT_NAMES = ["claude", "codex", "pi", "gemini", "opencode"] as const;
export type AgentName = (typeof AGENT_NAMES)[number];

export const pins: readonly Pin[] = [
  {
    name: "claude",
    title: "Claude Code",
    npmPackage: "@anthropic-ai/claude-code",
    version: "2.1.325",
    how: "install",
    program: "claude",
  },
  { name: "codex", title: "Codex", npmPackage: "@openai/codex", version: "0.166.0", how: "install", program: "codex" },
  {
    name: "pi",
    title: "Pi",
    npmPackage: "@earendil-works/pi-coding-agent",
    version: "1.5.0",
    how: "unpack",
    beside: ["jiti@2.7.0"],
    program: "dist/bundle/cli.js",
  },
  {
    name: "gemini",
    title: "Gemini CLI",
    npmPackage: "@google/gemini-cli",
    version: "0.61.0",
    how: "install",
    program: "gemini",
  },
  {
    name: "opencode",
    title: "opencode",
    npmPackage: "opencode-ai",
    version: "1.18.33",
    olderVersion: "1.18.18",
    how: "install",
    program: "opencode",
  },
];
