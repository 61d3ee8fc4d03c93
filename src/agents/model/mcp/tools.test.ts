import { expect, test } from "vitest";
import { modelToolNames } from "./tools.ts";

test("names of MCP tools are prefixed by server, use characters that every model accepts, have at most 64, and are unique", () => {
  const names = modelToolNames([
    { server: "git", tool: "log" },
    { server: "git", tool: "log" },
    { server: "git", tool: "l o/g" },
    { server: "git", tool: "l_o_g" },
    { server: "git__a", tool: "b" },
    { server: "git", tool: "a__b" },
    { server: "web", tool: "x".repeat(300) },
    { server: "web", tool: `${"x".repeat(300)}y` },
    { server: "web", tool: "\u001b[31m é\u{1f600}" },
    { server: "web", tool: "" },
  ]);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => !/^mcp__[A-Za-z0-9_-]{1,59}$/.test(name))).toEqual([]);
  expect([names[0], names[2], names[4]]).toEqual(["mcp__git__log", "mcp__git__l_o_g", "mcp__git__a__b"]);
});

test("a tool keeps its name while later ones come and go", () => {
  const first = { server: "a", tool: "t".repeat(100) };
  expect(modelToolNames([first, { server: "b", tool: "u" }])[0]).toBe(modelToolNames([first])[0]);
});
