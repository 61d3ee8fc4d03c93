import { expect, test } from "vitest";
import { failureLine, toFailure } from "./failure.ts";

test("a current directory that was removed is named instead of the system call", () => {
  const error = Object.assign(new Error("ENOENT: process.cwd failed"), { code: "ENOENT", syscall: "uv_cwd" });
  const failure = toFailure(error);
  expect([failure.exitCode, failureLine(failure)]).toEqual([
    2,
    "roundtable: the current directory no longer exists. Change to an existing one.\n",
  ]);
});
