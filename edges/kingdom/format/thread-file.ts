/** `thread.json`: name, members and creation time of a thread. Kingdom's programs ignore a thread without it. */
import { decodeDate, encodeDate } from "./dates.ts";
import { decodeJsonFile, encodeJsonFile } from "./json-file.ts";
import { KING } from "./names.ts";

export interface ThreadFile {
  readonly id: string;
  /** Without the king, who is always the first member. */
  readonly members: readonly string[];
  readonly pattern: string;
  readonly createdTs: number | undefined;
}

export function encodeThread({ id, members, pattern, createdTs }: ThreadFile & { createdTs: number }): string {
  return encodeJsonFile({
    created_at: encodeDate(createdTs),
    id,
    members: [KING, ...members.filter((name) => name !== KING)],
    pattern,
  });
}

/** Undefined without valid JSON or an id; kingdom's programs skip such a thread too. */
export function decodeThread(text: string): ThreadFile | undefined {
  const data = decodeJsonFile(text);
  if (typeof data?.["id"] !== "string") return undefined;
  const members = Array.isArray(data["members"]) ? data["members"].filter((one) => typeof one === "string") : [];
  const pattern = typeof data["pattern"] === "string" ? data["pattern"] : "direct";
  return {
    id: data["id"],
    members: members.filter((name) => name !== KING),
    pattern,
    createdTs: decodeDate(data["created_at"]),
  };
}
