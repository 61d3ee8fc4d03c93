import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { scratchTree } from "../../../test/agents/scratch-tree.ts";
import { SETTINGS } from "../../../test/host/scripted-agent.ts";
import { createConfiguration } from "./page-settings.ts";
import { sessionDefaults } from "./defaults.ts";

afterEach(() => vi.unstubAllEnvs());

test("a folder that does not exist is refused without the flag of the command line", async () => {
  const configuration = createConfiguration({}, { cwd: "/", settings: SETTINGS, members: [] });
  await expect(configuration.read("/no/such")).rejects.toMatchObject({
    code: "bad_command",
    message: "The directory /no/such does not exist.",
    hint: "Give an existing directory.",
  });
});

test("new sessions have the members of the file as it is now, without a restart of the server", async () => {
  const scratch = await scratchTree({ "roundtable/config.jsonc": '{"council":{"members":["scout"]}}' });
  const file = join(scratch, "roundtable", "config.jsonc");
  vi.stubEnv("XDG_CONFIG_HOME", scratch);
  vi.stubEnv("ROUNDTABLE_HOME", join(scratch, "data"));
  const flags = { directory: scratch };
  const initial = await sessionDefaults(flags);
  const configuration = createConfiguration(flags, initial);
  const members = async () => (await configuration.defaults(scratch)).members.map(({ name }) => name);
  expect(await members()).toEqual(["scout"]);
  writeFileSync(file, '{"council":{"members":["critic","scout"]}}');
  expect(await members()).toEqual(["critic", "scout"]);
  writeFileSync(file, "{");
  await expect(members()).rejects.toMatchObject({
    code: "bad_command",
    message: `${file}:1:2: not valid JSON: close brace expected.`,
  });
  writeFileSync(file, '{"council":{"members":["scout"]}}');
  expect(await members()).toEqual(["scout"]);
});
