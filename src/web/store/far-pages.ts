/** A page that was scrolled through a long session must not keep all of it: pages far from the newest one are let go. */
import type { Transcript } from "../../transcript/index.ts";

/** Frozen pages kept beside each other; each comes back when it is needed. */
export const CACHED_PAGES_MAX = 24;

export function withoutFarPages(transcript: Transcript, near: number): Transcript {
  const held = transcript.frozen.flatMap((page, index) => (page === undefined ? [] : [index]));
  if (held.length <= CACHED_PAGES_MAX) return transcript;
  const far = new Set(
    held.toSorted((a, b) => Math.abs(b - near) - Math.abs(a - near)).slice(0, held.length - CACHED_PAGES_MAX),
  );
  return { ...transcript, frozen: transcript.frozen.map((page, index) => (far.has(index) ? undefined : page)) };
}
