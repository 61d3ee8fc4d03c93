/**
 * What is read of a program's stderr: its tail for error reports, its lines for dialects that parse them, both without
 * secrets and safe to print.
 */
import { StringDecoder } from "node:string_decoder";
import { terminalSafe, terminalSafeLine } from "../../../kit/text/terminal-safe.ts";

export const STDERR_TAIL_BYTES = 8 * 1024;

export class StderrTail {
  #bytes: Buffer = Buffer.alloc(0);

  add(chunk: Buffer): void {
    const joined = chunk.length >= STDERR_TAIL_BYTES ? chunk : Buffer.concat([this.#bytes, chunk]);
    // Copied: a slice would retain the whole chunk.
    this.#bytes = Buffer.from(joined.subarray(-STDERR_TAIL_BYTES));
  }

  clear(): void {
    this.#bytes = Buffer.alloc(0);
  }

  /** At most 8 KiB, also after control characters were escaped; a character cut at the start is dropped. */
  text(): string {
    const start = this.#bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
    const safe = terminalSafe(this.#bytes.toString("utf8", Math.max(start, 0))).trim();
    const bytes = Buffer.from(safe);
    if (bytes.length <= STDERR_TAIL_BYTES) return safe;
    return bytes
      .subarray(-STDERR_TAIL_BYTES)
      .toString("utf8")
      .replace(/^\ufffd+/, "");
  }
}

/** Replaces the secrets that a program was started with in what it prints. */
/** Shorter values are placeholders; replacing them would garble ordinary text. */
const SECRET_CHARS_MIN = 8;
const SECRET_NAME = /key|token|secret|passw|credential/i;

export function createSecretScrub(env: Readonly<Record<string, string>>): (text: string) => string {
  const secrets = Object.entries(env)
    .flatMap(([name, value]) => (SECRET_NAME.test(name) && value.length >= SECRET_CHARS_MIN ? [value] : []))
    .sort((one, other) => other.length - one.length);
  return (text) =>
    secrets
      .reduce((rest, secret) => rest.replaceAll(secret, "•••"), text)
      .replaceAll(/\b(Bearer\s+)[\w.~+/=-]{8,}/gi, "$1•••")
      .replaceAll(/(:\/\/[^\s/:@]*):[^\s/@]+@/g, "$1:•••@");
}

const LINE_CHARS_MAX = 4_096;

export function createStderrLines(onLine: (line: string) => void): (chunk: Buffer) => void {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  return (chunk) => {
    const lines = (rest + decoder.write(chunk)).split("\n");
    rest = (lines.pop() ?? "").slice(0, LINE_CHARS_MAX);
    for (const line of lines) onLine(terminalSafeLine(line.slice(0, LINE_CHARS_MAX).trimEnd()));
  };
}
