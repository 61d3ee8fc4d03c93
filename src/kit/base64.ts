/** Bytes as base64, where there may be no Buffer. */

/** A call takes only so many arguments. */
const STEP = 8_192;

export function toBase64(bytes: Uint8Array): string {
  let characters = "";
  for (let at = 0; at < bytes.length; at += STEP) characters += String.fromCharCode(...bytes.subarray(at, at + STEP));
  return btoa(characters);
}
