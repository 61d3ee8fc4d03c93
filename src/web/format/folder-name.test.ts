import { expect, test } from "vitest";
import { folderName } from "./folder-name.ts";

test.each([
  ["/home/ada/project", "project"],
  ["/home/ada/a:b/", "a:b"],
  ["/", "/"],
  ["", ""],
  ["build-box:/home/ada/project", "project on build-box"],
  ["ada/build-box:/home/ada/project", "project on ada/build-box"],
  ["box:/", "/ on box"],
])("%j is shown as %j", (cwd, shown) => {
  expect(folderName(cwd)).toBe(shown);
});
