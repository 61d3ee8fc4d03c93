/** Attachment rules: images of four types and text, detected by content, within the server's size limit. */
import { ATTACHMENT_BYTES_MAX } from "../../protocol/index.ts";

/** Bytes examined to detect the type. */
const SNIFFED_BYTES = 64 * 1024;

/** Never SVG, which can contain scripts. */
export const IMAGE_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

const MAGIC: readonly (readonly [type: string, ...starts: string[]])[] = [
  ["image/png", "\u0089PNG\r\n\u001a\n"],
  ["image/jpeg", "\u00ff\u00d8\u00ff"],
  ["image/gif", "GIF87a", "GIF89a"],
];

/** Rejects with a message for the user; the browser's guess by file name is not trusted. */
export async function checkAttachment(file: File): Promise<string> {
  const limit = `${ATTACHMENT_BYTES_MAX / 1024 / 1024} MB`;
  if (file.size > ATTACHMENT_BYTES_MAX) throw new Error(`${file.name} is too large to attach. The limit is ${limit}.`);
  const bytes = await file
    .slice(0, SNIFFED_BYTES)
    .arrayBuffer()
    .catch(() => {
      // A directory looks like a file until it is read.
      throw new Error(`${file.name} cannot be read. Directories cannot be attached.`);
    });
  if (bytes.byteLength === 0) throw new Error(`${file.name} is empty.`);
  const type = typeOf(new Uint8Array(bytes), { isWhole: bytes.byteLength === file.size });
  if (type !== undefined) return type;
  throw new Error(
    `${file.name} is neither an image (PNG, JPEG, GIF, WebP) nor a text file, so members cannot read it.`,
  );
}

function typeOf(bytes: Uint8Array, { isWhole }: { isWhole: boolean }): string | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, 16));
  const imageType = MAGIC.find(([, ...starts]) => starts.some((one) => start.startsWith(one)))?.[0];
  if (imageType !== undefined) return imageType;
  if (start.startsWith("RIFF") && start.slice(8, 12) === "WEBP") return "image/webp";
  return isText(bytes, isWhole) ? "text/plain" : undefined;
}

function isText(bytes: Uint8Array, isWhole: boolean): boolean {
  if (bytes.includes(0)) return false;
  try {
    // The sample may end inside a character.
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: !isWhole });
    return true;
  } catch {
    return false;
  }
}
