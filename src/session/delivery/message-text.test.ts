import { expect, test } from "vitest";
import type { BlobStore } from "../../log/index.ts";
import { loadAttached } from "./message-text.ts";
import { ATTACHED_IMAGE_BYTES_MAX, ATTACHED_TEXT_BYTES_MAX } from "../limits.ts";

const bytes = Buffer.from("abc");
const blobs: BlobStore = {
  put: () => Promise.reject(new Error("nothing is stored here")),
  get: async (sha256) => (sha256 === "there" ? bytes : undefined),
};

test("images and texts within the limits are read for the member; all others are named, missing ones too", async () => {
  const one = (name: string, mime: string, size: number, sha256 = "there") => ({
    name,
    mime,
    blob: { sha256, bytes: size },
  });
  const attached = await loadAttached(blobs, [
    one("a.png", "image/png", 3),
    one("huge.png", "image/png", ATTACHED_IMAGE_BYTES_MAX + 1),
    one("b.txt", "text/plain", 3),
    one("long.txt", "text/plain", ATTACHED_TEXT_BYTES_MAX + 1),
    one("c.zip", "application/zip", 3),
    one("gone.png", "image/png", 3, "gone"),
  ]);
  expect(attached.map(({ name, data }) => [name, data?.toString()])).toEqual([
    ["a.png", "abc"],
    ["huge.png", undefined],
    ["b.txt", "abc"],
    ["long.txt", undefined],
    ["c.zip", undefined],
    ["gone.png", undefined],
  ]);
});
