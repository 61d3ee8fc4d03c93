/** Codes of operating-system errors. */
import { constants } from "node:os";

/** Empty string when there is none. */
export function errorCodeOf(error: unknown): string {
  const { code, errno } = (error ?? {}) as { code?: unknown; errno?: unknown };
  // Node has no name for EDQUOT: its code is "Unknown system error -122".
  if (typeof errno === "number" && -errno === constants.errno.EDQUOT) return "EDQUOT";
  return typeof code === "string" ? code : "";
}

/** Undefined for errors other than lack of space. */
export function noSpaceReason(error: unknown): string | undefined {
  const code = errorCodeOf(error);
  if (code === "EDQUOT") return "the disk quota is exceeded";
  return code === "ENOSPC" ? "the disk is full" : undefined;
}
