/** Reassembles blobs from the chunks of an exported file; stored if their hash matches. */
import { createHash } from "node:crypto";
import type { BlobStore } from "../../../src/log/index.ts";
import type * as sessionLines from "./format/session-lines.ts";

const BLOB_BYTES_MAX = 64 * 1024 * 1024;

export class BlobAssembler {
  leftOut = 0;
  readonly #blobs: BlobStore;
  #sha256 = "";
  #chunks: Buffer[] = [];
  #length = 0;
  #broken = 0;

  constructor(blobs: BlobStore) {
    this.#blobs = blobs;
  }

  async add({ sha256, bytes, at, chunk }: Extract<sessionLines.ReadLine, { kind: "blob" }>): Promise<void> {
    if (at === 0) {
      this.#sha256 = sha256;
      this.#chunks = [];
      this.#length = 0;
    }
    if (sha256 !== this.#sha256 || at !== this.#length || at + chunk.length > Math.min(bytes, BLOB_BYTES_MAX)) {
      this.#broken += 1;
      return;
    }
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length < bytes) return;
    const whole = Buffer.concat(this.#chunks);
    this.#chunks = [];
    if (createHash("sha256").update(whole).digest("hex") === sha256) await this.#blobs.put(whole);
    else this.#broken += 1;
  }

  warnings(): string[] {
    return [
      ...(this.#broken === 0 ? [] : [`${this.#broken} lines of attachments or outputs are damaged.`]),
      ...(this.leftOut === 0 ? [] : [`${this.leftOut} attachments or outputs are not in the file.`]),
    ];
  }
}
