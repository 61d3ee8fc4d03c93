import { expect, test } from "vitest";
import { geminiPolicy } from "./gemini.ts";

const session = { isWritable: false, isSandboxed: false, hostToolServer: "table", hasOwnPolicies: false };

test("outside our sandbox a read-only Gemini session has only reading tools", () => {
  const policy = geminiPolicy(session);
  expect(policy).toContain('toolName = "*"\ndecision = "deny"\npriority = 500');
  expect(policy).toContain('"read_file"');
  expect(policy).not.toMatch(/run_shell_command|write_file|replace/);
  expect(policy).toContain('mcpName = "table"');
});

test("reading needs approval where the user has policies that ours would override", () => {
  const reading = /"list_directory"\]\ndecision = "(\w+)"/;
  expect(reading.exec(geminiPolicy(session))?.[1]).toBe("allow");
  expect(reading.exec(geminiPolicy({ ...session, hasOwnPolicies: true }))?.[1]).toBe("ask_user");
});

test("Gemini asks about every command, edit and external tool; inside our sandbox a read-only session denies edits", () => {
  const rules = (policy: string) =>
    policy.split("[[rule]]\n").map((rule) => [/toolName = (.*)/.exec(rule)?.[1], /decision = "(\w+)"/.exec(rule)?.[1]]);
  const writable = rules(geminiPolicy({ ...session, isWritable: true }));
  expect(writable).toContainEqual(['"run_shell_command"', "ask_user"]);
  expect(writable).toContainEqual(['["write_file","replace"]', "ask_user"]);
  expect(writable).toContainEqual(['"mcp_*"', "ask_user"]);
  expect(rules(geminiPolicy({ ...session, isSandboxed: true }))).toContainEqual(['["write_file","replace"]', "deny"]);
});
