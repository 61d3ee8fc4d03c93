import { expect, test } from "vitest";
import { SETTINGS } from "../../../test/host/scripted-agent.ts";
import { createConfiguration } from "./page-settings.ts";

test("a folder that does not exist is refused without the flag of the command line", async () => {
  const configuration = createConfiguration({}, { cwd: "/", settings: SETTINGS, members: [] });
  await expect(configuration.read("/no/such")).rejects.toMatchObject({
    code: "bad_command",
    message: "The directory /no/such does not exist.",
    hint: "Give an existing directory.",
  });
});
