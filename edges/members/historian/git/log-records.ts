/** Parses the output of `git log -z` in our format; chunks may split anywhere, also inside a character. */
import { StringDecoder } from "node:string_decoder";

export interface Commit {
  hash: string;
  short: string;
  parents: number;
  author: string;
  /** The author's day, `2024-03-01`. */
  date: string;
  /** Seconds, to order commits of one day. */
  time: number;
  subject: string;
  body: string;
}

export const FORMAT = "--format=tformat:%H%x00%h%x00%P%x00%aN%x00%as%x00%at%x00%s%x00%b";
const FIELDS = 8;

/** Longer subjects and bodies are truncated to limit memory. */
const FIELD_CHARS_MAX = 8_192;

export interface LogRecords {
  readonly commits: Commit[];
  /** Always true: git counts the commits itself. */
  push: (bytes: Buffer) => boolean;
}

export function createLogRecords(onCommit: (commit: Commit) => void = () => undefined): LogRecords {
  const decoder = new StringDecoder("utf8");
  const commits: Commit[] = [];
  let rest = "";
  let fields: string[] = [];
  const push = (bytes: Buffer): boolean => {
    const parts = (rest + decoder.write(bytes)).split("\0");
    rest = (parts.pop() ?? "").slice(0, FIELD_CHARS_MAX);
    for (const part of parts) {
      fields.push(part.slice(0, FIELD_CHARS_MAX));
      if (fields.length < FIELDS) continue;
      const commit = toCommit(fields);
      fields = [];
      commits.push(commit);
      onCommit(commit);
    }
    return true;
  };
  return { commits, push };
}

function toCommit([
  hash = "",
  short = "",
  parents = "",
  author = "",
  date = "",
  time = "",
  subject = "",
  body = "",
]: string[]): Commit {
  return {
    hash,
    short,
    parents: parents === "" ? 0 : parents.split(" ").length,
    author: author === "" ? "someone without a name" : author,
    date,
    time: Number(time) || 0,
    subject: subject === "" ? "(no subject)" : subject,
    body: body.trim(),
  };
}
