import { expect, test } from "vitest";
import { doingLine, doneLine, failedLine, toolLineOf } from "./tool-lines.ts";

const cases: [name: string, args: Record<string, string>, doing: string, done: string, failed: string][] = [
  ["Read", { file_path: "main.rs" }, "Reading file: main.rs", "Read file: main.rs", "Read failed: main.rs"],
  ["write_file", { path: "a" }, "Writing file: a", "Wrote file: a", "Write failed: a"],
  ["MultiEdit", { file_path: "a" }, "Editing file: a", "Edited file: a", "Edit failed: a"],
  ["shell", { command: "ls  -l" }, "Running command: ls -l", "Ran command: ls -l", "Command failed: ls -l"],
  ["Grep", { pattern: "x" }, "Searching: x", "Searched: x", "Search failed: x"],
  ["Glob", { pattern: "*" }, "Listing files: *", "Listed files: *", "List files failed: *"],
  ["agents_message", { to: "b" }, "Delegating to subagent: b", "Delegated to subagent: b", "Delegation failed: b"],
  [
    "spawn_subagent",
    { task: "look", name: "looker" },
    "Delegating to subagent: looker",
    "Delegated to subagent: looker",
    "Delegation failed: looker",
  ],
  ["WebFetch", { url: "u" }, "Fetching URL: u", "Fetched URL: u", "Fetch failed: u"],
  ["web_search", { query: "q" }, "Searching web: q", "Searched web: q", "Web search failed: q"],
  [
    "mcp__db__query",
    { sql: "s" },
    "Calling tool: mcp__db__query",
    "Used tool: mcp__db__query",
    "Tool failed: mcp__db__query",
  ],
];

test("each tool has the three status lines that linggen's clients read back", () => {
  const lines = cases.map(([name, args]) => {
    const line = toolLineOf({ name, args });
    return [doingLine(line), doneLine(line), failedLine(line)];
  });
  expect(lines).toEqual(cases.map(([, , ...expected]) => expected));
});

test("an agent's own tool goes by its kind, and a long argument is cut to one line", () => {
  expect(doingLine(toolLineOf({ name: "peek", args: {}, title: "a.ts", toolKind: "read" }))).toBe("Reading file: a.ts");
  const long = doingLine(toolLineOf({ name: "bash", args: { command: `echo\n${"x".repeat(500)}` } }));
  expect(long).toHaveLength("Running command: ".length + 200);
  expect(long.endsWith("...")).toBe(true);
  expect(toolLineOf({ name: "constructor", args: JSON.parse('{"__proto__":"x"}') as never }).tool).toBe("constructor");
  expect(doingLine(toolLineOf({ name: "constructor", args: null }))).toBe("Calling tool: constructor");
});
