/**
 * Media type by content: one of the four image types that agents accept, text, or bytes. Declared types are never
 * trusted, and nothing is ever HTML or script: SVG is text.
 */
import { isUtf8 } from "node:buffer";

const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;

export function sniffType(bytes: Uint8Array): string {
  return imageType(bytes) ?? (isText(bytes) ? "text/plain" : "application/octet-stream");
}

function imageType(bytes: Uint8Array): (typeof IMAGE_TYPES)[number] | undefined {
  if (startsWith(bytes, 0, "\u0089PNG\r\n\u001a\n")) return "image/png";
  if (startsWith(bytes, 0, "\u00ff\u00d8\u00ff")) return "image/jpeg";
  if (startsWith(bytes, 0, "GIF87a") || startsWith(bytes, 0, "GIF89a")) return "image/gif";
  if (startsWith(bytes, 0, "RIFF") && startsWith(bytes, 8, "WEBP")) return "image/webp";
  return undefined;
}

/** One byte per character of `what`. */
function startsWith(bytes: Uint8Array, from: number, what: string): boolean {
  return Buffer.from(bytes.subarray(from, from + what.length)).toString("latin1") === what;
}

function isText(bytes: Uint8Array): boolean {
  return bytes.length > 0 && !bytes.includes(0) && isUtf8(bytes);
}
