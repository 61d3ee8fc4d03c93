/**
 * One question to a server on this machine, over plain HTTP. `fetch` would do the same, but loading it takes longer than
 * everything else that a program does before it can ask.
 */

/** An answer of ours is a few kilobytes; what is longer is not one. */
const BODY_BYTES_MAX = 1024 * 1024;

export interface LoopbackAnswer {
  readonly status: number;
  readonly body: string;
}

/** Rejects when nobody answers; with a TimeoutError when nobody does in time. Redirections are answers like any other. */
export function askLoopback(
  url: string,
  { headers = {}, timeoutMs }: { readonly headers?: Readonly<Record<string, string>>; readonly timeoutMs: number },
): Promise<LoopbackAnswer> {
  // Imported as a module, node:http would load fetch too.
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
