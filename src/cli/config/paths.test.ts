import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { dataDirectory, userConfigFile } from "./paths.ts";

test("an empty or relative HOME is replaced by the system's home directory, never the working directory", () => {
  const data = join(".local", "share", "roundtable");
  const known = userInfo().homedir;
  expect(dataDirectory({ HOME: "" }, undefined, "/work")).toBe(join(known, data));
  expect(dataDirectory({ HOME: "here" }, undefined, "/work")).toBe(join(known, data));
  expect(userConfigFile({ HOME: "" })).toBe(join(known, ".config", "roundtable", "config.jsonc"));
  expect(dataDirectory({}, undefined, "/work")).toBe(join(homedir(), data));
  expect(dataDirectory({ HOME: "/home/ada" }, undefined, "/work")).toBe(join("/home/ada", data));
});
