import { expect, test } from "vitest";
import { opencodeProgram } from "./opencode-program.ts";

function permissions(isWritable: boolean): unknown {
  const env = opencodeProgram.setEnv?.({ isWritable, tableServer: "table" });
  return JSON.parse(env?.["OPENCODE_PERMISSION"] ?? "null");
}

test("[A607] opencode asks before it writes, and then starts no subagents, whose questions it would not pass on", () => {
  expect(permissions(true)).toEqual({
    edit: "ask",
    bash: "ask",
    external_directory: "ask",
    task: "deny",
    "table_*": "allow",
  });
  expect(permissions(false)).toEqual({ edit: "deny", bash: "deny", external_directory: "deny", "table_*": "allow" });
});
