/** A file that a client uploads in parts, one at a time per connection: a part at offset 0 starts a new file. */
import { createHash } from "node:crypto";
import { ATTACHMENT_BYTES_MAX, RoundtableError, type BlobPart } from "../../protocol/index.ts";

type Part = BlobPart & { readonly sessionId: string };

export class Upload {
  #of: { readonly sessionId: string; readonly sha256: string; readonly bytes: number } | undefined;
  #parts: Uint8Array[] = [];
  #received = 0;

  get received(): number {
    return this.#received;
  }

  /** Returns the file after its last part. Throws and drops the file when the part does not fit. */
  receive(part: Part): Uint8Array | undefined {
    try {
      return this.#add(part);
    } catch (error) {
      this.forget();
      throw error;
    }
  }

  forget(): void {
    this.#of = undefined;
    this.#parts = [];
  }

  #add(part: Part): Uint8Array | undefined {
    if (part.offset === 0) this.#begin(part);
    const { sessionId, sha256, bytes } = part;
    const of = this.#of;
    const isSame = of?.sha256 === sha256 && of.sessionId === sessionId && of.bytes === bytes;
    if (!isSame || part.offset !== this.#received) {
      const reason = isSame ? `expected offset ${this.#received}` : "no upload of this file is in progress";
      throw new RoundtableError("conflict", `The part at offset ${part.offset} does not fit: ${reason}.`, {
        hint: "Upload the file again from the start, one file at a time.",
      });
    }
    const data = Buffer.from(part.data, "base64");
    this.#received += data.length;
    // An empty part would never make progress.
    if (this.#received > bytes || data.length === 0) throw contentMismatch();
    this.#parts.push(data);
    return this.#received === bytes ? this.#finish(sha256) : undefined;
  }

  #begin({ sessionId, sha256, bytes }: Part): void {
    if (bytes === 0) throw new RoundtableError("bad_command", "The attachment is empty.");
    if (bytes > ATTACHMENT_BYTES_MAX) throw tooLarge(bytes);
    this.#of = { sessionId, sha256, bytes };
    this.#parts = [];
    this.#received = 0;
  }

  #finish(sha256: string): Uint8Array {
    const whole = Buffer.concat(this.#parts);
    this.forget();
    if (createHash("sha256").update(whole).digest("hex") !== sha256) throw contentMismatch();
    return whole;
  }
}

function contentMismatch(): RoundtableError {
  return new RoundtableError("bad_command", "The uploaded file does not match the announced size or hash.", {
    hint: "Upload the file again from the start.",
  });
}

function tooLarge(bytes: number): RoundtableError {
  const max = ATTACHMENT_BYTES_MAX;
  return new RoundtableError("too_large", `The attachment is too large: ${bytes} bytes of at most ${max}.`);
}
