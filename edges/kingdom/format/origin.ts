/** Origin of messages and turns read from thread files: `kd:<thread>/<file>`. */
import { parseMessageFileName } from "./names.ts";

const ORIGIN = /^kd:([a-z0-9-]+)\/(.+)$/;

export function threadOrigin(thread: string, file: string): string {
  return `kd:${thread}/${file}`;
}

export interface FileOrigin {
  readonly thread: string;
  readonly file: string;
  /** Absent for a stream: the message is not written yet, so it has no number. */
  readonly number: number | undefined;
}

export function parseOrigin(origin: string | undefined): FileOrigin | undefined {
  const [, thread, file] = ORIGIN.exec(origin ?? "") ?? [];
  if (thread === undefined || file === undefined) return undefined;
  return { thread, file, number: parseMessageFileName(file)?.number };
}
