/**
 * One request to a server on this machine over plain HTTP. Loading `fetch` would take longer than everything else a
 * command does before its first request.
 */

/** Our own responses are a few kilobytes. */
const BODY_BYTES_MAX = 1024 * 1024;

export interface LoopbackAnswer {
  readonly status: number;
  readonly body: string;
}

/** Rejects on connection errors, with a TimeoutError after `timeoutMs`. Redirects are not followed. */
export function askLoopback(
  url: string,
  { headers = {}, timeoutMs }: { readonly headers?: Readonly<Record<string, string>>; readonly timeoutMs: number },
): Promise<LoopbackAnswer> {
  // Importing node:http as a module would load fetch too.
  const { get } = process.getBuiltinModule("node:http");
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const fail = (error: Error) => reject(signal.aborted ? (signal.reason as Error) : error);
    const request = get(url, { headers: { ...headers }, agent: false, signal }, (answer) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      answer.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > BODY_BYTES_MAX) request.destroy(new Error(`the answer is longer than ${BODY_BYTES_MAX} bytes`));
        else chunks.push(chunk);
      });
      answer.on("error", fail);
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") }));
    });
    request.on("error", fail);
  });
}
