/** A request as far as it is known before its body is read. */
import type { IncomingMessage } from "node:http";

export interface RequestHead {
  readonly method: string;
  /** As it came, with its query. */
  readonly target: string;
  /** Such as "1.1". */
  readonly version: string;
  readonly isUpgrade: boolean;
  readonly lineCount: number;
  /** Lower-case name, every value in the order of the lines. Node's own table hides a second Host line. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
}

export function readHead(request: IncomingMessage, { isUpgrade }: { isUpgrade: boolean }): RequestHead {
  const headers = new Map<string, string[]>();
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    const name = (request.rawHeaders[at] ?? "").toLowerCase();
    const value = request.rawHeaders[at + 1] ?? "";
    const values = headers.get(name);
    if (values === undefined) headers.set(name, [value]);
    else values.push(value);
  }
  return {
    method: request.method ?? "",
    target: request.url ?? "",
    version: request.httpVersion,
    isUpgrade,
    lineCount: request.rawHeaders.length / 2,
    headers,
  };
}
