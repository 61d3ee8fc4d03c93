import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { noteOwnerHere, openShares } from "./shares.ts";

test("owners that another version wrote open nothing, and what was unshared stays so", async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), "shares-"));
  const earlier = { format: 1, shared: ["s1"], unshared: ["s2"], owners: [{ person: "bob", sessionId: "s1" }] };
  writeFileSync(path.join(dataDir, "team-shares.json"), JSON.stringify(earlier));
  const session = { sessionId: "s1", cwd: "/work" };
  const shares = () => openShares(dataDir, ["/work"]);
  expect(shares().has(session)).toBe(true);
  expect(shares().has({ ...session, sessionId: "s2" })).toBe(false);
  expect(shares().isOwnerOf("bob", session)).toBe(false);
  await noteOwnerHere(dataDir, { personId: "P1", sessionId: "s1" }, true);
  expect([shares().isOwnerOf("P1", session), shares().isOwnerOf("P2", session)]).toEqual([true, false]);
  expect(shares().unshared).toEqual(["s2"]);
});
