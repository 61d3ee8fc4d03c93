/** Errors of the operating system by their name. */
import { constants } from "node:os";

/** Empty when it has none. */
export function errorCodeOf(error: unknown): string {
  const { code, errno } = (error ?? {}) as { code?: unknown; errno?: unknown };
  // Node has no name for this one: its code is "Unknown system error -122".
  if (typeof errno === "number" && -errno === constants.errno.EDQUOT) return "EDQUOT";
  return typeof code === "string" ? code : "";
}

/** Undefined when the error is another than a lack of space. */
export function noSpaceReason(error: unknown): string | undefined {
  const code = errorCodeOf(error);
  if (code === "EDQUOT") return "the disk quota is exceeded";
  return code === "ENOSPC" ? "the disk is full" : undefined;
}
