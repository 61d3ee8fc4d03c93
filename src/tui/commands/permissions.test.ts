import { createHash } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import { createRecordingScreen, openSessionScreen, type SessionScreen } from "../../../test/tui/command-screen.ts";
import { permissionRows, formatRevoked } from "../../transcript/index.ts";
import type { PermissionsPage } from "./command.ts";
import { completeArguments, runCommandLine } from "./run-command.ts";

let screen: SessionScreen | undefined;
afterEach(async () => {
  await screen?.close();
  screen = undefined;
});

const COVERS = ["ls", "npm test", "make"].map((text) => ({ tool: "shell", kind: "command" as const, text }));

/** A table in a directory where three commands are always allowed, and what is still kept there. */
async function openTable() {
  const kept = [...COVERS];
  const always = {
    file: "/home/me/approvals.json",
    has: () => false,
    list: () => [...kept],
    add: async () => {},
    remove: async ({ text }: { text: string }) =>
      void kept.splice(
        kept.findIndex((one) => one.text === text),
        1,
      ),
  };
  const table = (screen = await openSessionScreen({ approvals: { rulesFor: () => [], always } }));
  const run = async (line: string) => {
    await runCommandLine(table, line);
    return table.messages.at(-1);
  };
  return { table, kept, run };
}

test("/permissions opens the list of this session", async () => {
  const { table } = await openTable();
  await runCommandLine(table, "/permissions");
  const [, page] = table.calls.find(([what]) => what === "showPermissions") ?? [];
  const rows = permissionRows((page as PermissionsPage).list(), () => "");
  expect(rows.map(({ number, label }) => [number, label])).toEqual([
    [undefined, "Read-only: members only read and advise"],
    [1, "allow shell: ls"],
    [2, "allow shell: npm test"],
    [3, "allow shell: make"],
  ]);
  const id = createHash("sha256").update(`always\0["shell","command","ls"]`).digest("hex").slice(0, 32);
  expect(await (page as PermissionsPage).revoke(id)).toBe("Revoked. You will be asked again: shell: ls");
  expect((page as PermissionsPage).list().permissions).toHaveLength(2);
});

test("forget means the number that was shown last, whatever has gone since", async () => {
  const { table, kept, run } = await openTable();
  expect(await run("/permissions forget 1")).toBe("Show /permissions first to see the numbers.");
  await run("/permissions");
  kept.shift();
  expect(await run("/permissions forget 2")).toBe("Revoked. You will be asked again: shell: npm test");
  expect(kept.map(({ text }) => text)).toEqual(["make"]);
  expect(await run("/approvals forget 1")).toMatch(/^Nothing is allowed under "\w{32}" any more\./);
  expect(await run("/permissions forget 4")).toBe("Which one, from 1 to 3? Usage: /permissions [forget N]");
  expect(await run("/permissions drop")).toBe(
    "/permissions takes no arguments, or forget and a number. Usage: /permissions [forget N]",
  );
  await run("/permissions");
  await run("/permissions forget 1");
  await run("/permissions");
  expect(await run("/permissions forget 1")).toBe("There is nothing to revoke.");
  table.state.sessionId = "another";
  expect(await run("/permissions forget 1")).toMatch(/^Show \/permissions first/);
  table.state.sessionId = undefined;
  expect(await run("/permissions")).toBe("There is no session yet.");
});

test("forget and its numbers are completed", async () => {
  const { table } = await openTable();
  const values = async (prefix: string) =>
    (await completeArguments(table, "permissions", prefix)).map(({ value, description }) => [value, description]);
  expect(await values("fo")).toEqual([["forget ", "revoke a permission by its number"]]);
  expect(await values("forget ")).toEqual([
    ["forget 1", "allow shell: ls"],
    ["forget 2", "allow shell: npm test"],
    ["forget 3", "allow shell: make"],
  ]);
  expect(await values("forget 2")).toEqual([["forget 2", "allow shell: npm test"]]);
  expect(await values("x")).toEqual([]);
  expect(await completeArguments(createRecordingScreen(), "permissions", "forget ")).toEqual([]);
});

test.each([
  [{ now: "ask" }, "Revoked. You will be asked again: shell: ls"],
  [{ now: "allow", by: "allow shell" }, "Revoked, but it still runs without asking (allow shell): shell: ls"],
  [{ now: "deny", by: "deny shell" }, "Revoked, and now denied (deny shell): shell: ls"],
] as const)("what decides now is said: %j", (more, message) => {
  expect(formatRevoked({ reach: "session", rule: "shell: ls", ...more })).toBe(message);
});
