import { expect, test } from "vitest";
import { findVersionNumber, isOlder } from "./ask-version.ts";

test.each([
  ["2.1.325 (Claude Code)", "2.1.325"],
  ["codex-cli 0.166.0", "0.166.0"],
  ["v1.18.33", "1.18.33"],
  ["opencode 1.19", "1.19"],
  ["2025.11.25-d5b3271", "2025.11.25-d5b3271"],
  ["0.62.0-preview.1 (gemini)", "0.62.0-preview.1"],
  ["listening on 127.0.0.1", undefined],
  ["version unknown", undefined],
  ["99999999999999999999.1", undefined],
  ["", undefined],
])("of %j the version is %j", (line, version) => {
  expect(findVersionNumber(line)).toBe(version);
});

test.each([
  ["0.87.0", "0.87.1", true],
  ["0.87.1", "0.87.1", false],
  ["0.100.0", "0.87.1", false],
  ["1.5", "0.87.1", false],
  ["1.18", "1.18.33", true],
  ["2.1.325-beta.1", "2.1.325", false],
])("versions are compared number by number: %s before %s is %s", (version, than, expected) => {
  expect(isOlder(version, than)).toBe(expected);
});
