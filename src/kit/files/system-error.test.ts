import { constants } from "node:os";
import { expect, test } from "vitest";
import { errorCodeOf, noSpaceReason } from "./system-error.ts";

test.skipIf(process.platform === "win32")("an exceeded quota has a name, though Node knows none", () => {
  const errno = -constants.errno.EDQUOT;
  const error = Object.assign(new Error("Unknown system error"), { errno, code: `Unknown system error ${errno}` });
  expect([errorCodeOf(error), noSpaceReason(error)]).toEqual(["EDQUOT", "the disk quota is exceeded"]);
  const full = Object.assign(new Error("no space"), { code: "ENOSPC" });
  expect([noSpaceReason(full), noSpaceReason(new Error("x")), errorCodeOf(null)]).toEqual([
    "the disk is full",
    undefined,
    "",
  ]);
});
