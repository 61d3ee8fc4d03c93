/** Buffer that retains the beginning and the end of a text of any length and reports how much was dropped between. */

export interface TruncatingBuffer {
  add(chunk: string): void;
  text(): string;
  readonly totalBytes: number;
  readonly isCut: boolean;
}

/** Share of the limit given to the beginning. */
const HEAD_SHARE = 0.6;

export function createTruncatingBuffer(bytesMax: number): TruncatingBuffer {
  const headMax = Math.floor(bytesMax * HEAD_SHARE);
  const tailMax = bytesMax - headMax;
  let head = "";
  let headBytes = 0;
  let tail = "";
  let totalBytes = 0;
  return {
    get totalBytes() {
      return totalBytes;
    },
    get isCut() {
      return totalBytes > headBytes + Buffer.byteLength(tail);
    },
    add(chunk) {
      const bytes = Buffer.byteLength(chunk);
      totalBytes += bytes;
      let rest = chunk;
      if (tail === "" && headBytes < headMax) {
        const start = startOf(chunk, headMax - headBytes);
        head += start;
        headBytes += Buffer.byteLength(start);
        rest = chunk.slice(start.length);
      }
      tail += rest;
      // Trim only at twice the size: trimming on every append would cost as much as the append.
      if (tail.length > tailMax * 2) tail = endOf(tail, tailMax);
    },
    text() {
      const end = endOf(tail, tailMax);
      const missing = totalBytes - headBytes - Buffer.byteLength(end);
      return missing === 0 ? head + end : `${head}\n… (${missing} bytes left out) …\n${end}`;
    },
  };
}

export function truncateText(text: string, bytesMax: number): { text: string; totalBytes: number; isCut: boolean } {
  const totalBytes = Buffer.byteLength(text);
  if (totalBytes <= bytesMax) return { text, totalBytes, isCut: false };
  const buffer = createTruncatingBuffer(bytesMax);
  buffer.add(text);
  return { text: buffer.text(), totalBytes, isCut: true };
}

/** Longest prefix of at most `bytesMax` bytes that ends between two characters. */
function startOf(text: string, bytesMax: number): string {
  if (Buffer.byteLength(text) <= bytesMax) return text;
  let bytes = 0;
  let at = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > bytesMax) break;
    at += character.length;
  }
  return text.slice(0, at);
}

function endOf(text: string, bytesMax: number): string {
  if (Buffer.byteLength(text) <= bytesMax) return text;
  const bytes = Buffer.from(text);
  let from = bytes.length - bytesMax;
  // Skip UTF-8 continuation bytes.
  while (from < bytes.length && ((bytes[from] ?? 0) & 0xc0) === 0x80) from++;
  return bytes.subarray(from).toString("utf8");
}
