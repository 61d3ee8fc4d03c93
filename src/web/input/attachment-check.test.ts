import { expect, test } from "vitest";
import { ATTACHMENT_BYTES_MAX } from "../../protocol/index.ts";
import { checkAttachment } from "./attachment-check.ts";

const file = (name: string, ...parts: BlobPart[]) => new File(parts, name, { type: "image/png" });

test("what a file is is found by looking at it, whatever its name and the browser say", async () => {
  expect(await checkAttachment(file("a", new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0])))).toBe(
    "image/png",
  );
  expect(await checkAttachment(file("a.txt", new Uint8Array([0xff, 0xd8, 0xff, 0xe0])))).toBe("image/jpeg");
  expect(await checkAttachment(file("a.png", "GIF89a..."))).toBe("image/gif");
  expect(await checkAttachment(file("a.png", "RIFF1234WEBPVP8 "))).toBe("image/webp");
  expect(await checkAttachment(file("index.ts", "const grüße = 1;"))).toBe("text/plain");
  expect(await checkAttachment(file("cut.txt", `${"a".repeat(64 * 1024 - 1)}ü`))).toBe("text/plain");
});

test("what is too large, empty or of no kind that a member reads is refused in a sentence that names it", async () => {
  const large = { name: "film.mov", size: ATTACHMENT_BYTES_MAX + 1 } as File;
  await expect(checkAttachment(large)).rejects.toThrow("film.mov is too large to attach. The limit is 20 MB.");
  await expect(checkAttachment(file("none.txt"))).rejects.toThrow("none.txt is empty.");
  await expect(checkAttachment(file("a.zip", new Uint8Array([0x50, 0x4b, 0, 1])))).rejects.toThrow(
    "a.zip is neither an image (PNG, JPEG, GIF, WebP) nor a text",
  );
  await expect(checkAttachment(file("half.txt", new Uint8Array([0x61, 0xc3])))).rejects.toThrow("half.txt is neither");
});
