import { expect, test } from "vitest";
import { agentNameOf } from "./agent-directories.ts";

test("an agent is known by its name, also behind a program that runs it", () => {
  const lines = [
    "gemini --acp",
    "/usr/local/bin/claude",
    "npx -y @zed-industries/codex-acp@0.1.2",
    "npx @agentclientprotocol/claude-agent-acp",
    "node /opt/pi-acp/pi-acp.js --x",
    "npm exec -- qwen",
    "uvx kimi-cli@latest acp",
    "env A=b goose acp",
    "npx",
  ];
  expect(lines.map((line) => agentNameOf(line.split(" ")))).toEqual([
    "gemini",
    "claude",
    "codex-acp",
    "claude-agent-acp",
    "pi-acp",
    "qwen",
    "kimi-cli",
    "goose",
    "npx",
  ]);
});
