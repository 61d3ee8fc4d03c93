/** A session whose server was killed while a member waited for an answer, opened by the next one. */
import { cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { kindOf } from "./frame-schemas.ts";
import { openLinggenClient } from "./linggen-client.ts";
import { openWire, type OpenWire } from "./open-wire.ts";

const wires: OpenWire[] = [];
afterEach(() => Promise.all(wires.splice(0).map((wire) => wire.close())));

test("after a kill a connected client is not asked again what nobody can answer any more", async () => {
  const killed = await openWire();
  wires.push(killed);
  const before = await openLinggenClient(killed.compat.url, killed.cwd);
  const { session_id } = await before.chat("ask");
  await before.seesKind("ask_user");

  const directory = mkdtempSync(join(tmpdir(), "rt-linggen-"));
  cpSync(join(killed.dataDir, "logs"), join(directory, "data", "logs"), {
    recursive: true,
    filter: (file) => !file.includes(".lock"),
  });
  const wire = await openWire({ directory, sessions: [session_id] });
  wires.push(wire);
  const client = await openLinggenClient(wire.compat.url, killed.cwd);
  const runs = await client.get("/api/agent-runs", { session_id });
  expect(runs).toMatchObject([{ status: "cancelled" }]);
  await client.chat("hello", { session_id });
  await client.seesKind("turn_complete");
  expect(client.frames.map(kindOf)).not.toContain("ask_user");
  expect(client.frames.filter((frame) => frame.kind === "turn_complete")).toHaveLength(1);
  client.close();
  before.close();
});
