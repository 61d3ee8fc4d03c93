import type { IncomingMessage } from "node:http";

/**
 * Reads a body without a Content-Length before any handler, so that none can read too much. False when it is longer than
 * allowed. The router takes it from `rawBody`. Rejects when the client left before all of it had arrived.
 */
export async function readChunked(request: IncomingMessage, bytesMax: number): Promise<boolean> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // The refusal needs the socket.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) return false;
    chunks.push(chunk);
  }
  Object.assign(request, { rawBody: Buffer.concat(chunks) });
  return true;
}
