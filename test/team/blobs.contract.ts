/** What any store of a team server does with the blobs of sessions. */
import { createHash, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { newId } from "../../src/kit/ids.ts";
import type { TeamStore } from "../../src/team/store/team-store.ts";
import { createWriter, refusal, shipped } from "./events.ts";

export function storesBlobs(opened: () => TeamStore): void {
  test("blobs come back as they were, small and large", async () => {
    const { blobs } = opened();
    const sessionId = newId();
    for (const size of [0, 10, 1_048_576, 1_048_577, 3_000_000]) {
      const bytes = randomBytes(size);
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      const blob = { sha256, bytes: size, mime: "text/plain" };
      await blobs.put(sessionId, blob, bytes);
      await blobs.put(sessionId, blob, bytes);
      const stored = await blobs.get(sessionId, sha256);
      expect(stored !== undefined && Buffer.compare(stored, bytes)).toBe(0);
      expect(await blobs.get(newId(), sha256)).toBe(undefined);
      const wrong = { ...blob, sha256: "0".repeat(64) };
      expect(await refusal(blobs.put(sessionId, wrong, bytes))).toEqual({ code: "conflict" });
    }
  });

  test("a session that is forgotten takes its blobs along, also those that came before its first event", async () => {
    const store = opened();
    const bytes = randomBytes(1_048_577);
    const blob = { sha256: createHash("sha256").update(bytes).digest("hex"), bytes: bytes.length };
    const [stored, early] = [createWriter(), createWriter()];
    await store.ingest(stored, shipped(stored.sessionId, 1, 2));
    for (const { sessionId } of [stored, early]) await store.blobs.put(sessionId, blob, bytes);
    await store.forget({ ...stored, runnerId: "stranger" });
    expect(await store.blobs.get(stored.sessionId, blob.sha256)).toHaveLength(bytes.length);
    for (const writer of [stored, early]) {
      await store.forget(writer);
      expect(await store.blobs.get(writer.sessionId, blob.sha256)).toBe(undefined);
    }
  });
}
