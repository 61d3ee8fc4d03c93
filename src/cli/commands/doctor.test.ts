import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { doctorLines } from "./doctor.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test("called by a screen, doctor prints nothing itself and reports on the program, the agents and the data directory", async () => {
  const directory = mkdtempSync(join(tmpdir(), "rt-doctor-"));
  vi.stubEnv("HOME", directory);
  vi.stubEnv("XDG_CONFIG_HOME", join(directory, "config"));
  vi.stubEnv("PATH", "");
  const printed = [vi.spyOn(process.stderr, "write"), vi.spyOn(process.stdout, "write")];
  const lines = (await doctorLines({ dataDir: join(directory, "data"), directory })).join("\n");
  expect(printed.map((spy) => spy.mock.calls.length)).toEqual([0, 0]);
  for (const part of [/roundtable/i, /agent|member/i, /is intact/]) expect(lines).toMatch(part);
});
