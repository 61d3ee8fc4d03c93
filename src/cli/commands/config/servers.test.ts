import { expect, test } from "vitest";
import { serverLines } from "./servers.ts";

test("each tool server is one line: name, transport and result", () => {
  const tried = [
    { name: "files", reachedBy: "files-server --root .", outcome: { ok: true, tools: 3 } },
    { name: "web", reachedBy: "https://example.org/mcp", outcome: { ok: false, why: "nothing\nlistens there" } },
  ] as const;
  expect(serverLines(tried, ["old"]).split("\n")).toEqual([
    expect.stringMatching(/^files {2}files-server --root \. {4}3 tools$/),
    expect.stringMatching(/^web {4}https:\/\/example\.org\/mcp {2}fails: nothing.listens there$/),
    expect.stringMatching(/^old +disabled$/),
    "",
  ]);
  expect(serverLines([], [])).toBe('no tool servers are configured ("mcpServers")\n');
});
