/** Cleans up after a mirror that crashed while being switched off, when its session is opened again. */
import path from "node:path";
import { systemClock } from "../../../src/kit/clock.ts";
import type { ThreadMirror } from "../../../src/protocol/index.ts";
import * as kingdom from "../format/kingdom.ts";
import type { ThreadLocation } from "./thread-location.ts";
import { cleanUpAfterCrash } from "./crash-cleanup.ts";
import type { MirrorOptions } from "./mirror.ts";
import { StatusFiles } from "./status-files.ts";

/** Never rejects: a missing or damaged tree is ignored. */
export async function cleanUpInterruptedMirror({
  session,
  log,
  clock = systemClock,
  flock,
}: MirrorOptions): Promise<void> {
  const index = new kingdom.ThreadIndex();
  let last: ThreadMirror | undefined;
  try {
    for await (const events of log.read(0)) {
      for (const event of events) {
        index.apply(event);
        last = index.mirror ?? last;
      }
    }
    const location = last === undefined ? undefined : locationOf(last);
    if (location === undefined) return;
    await cleanUpAfterCrash(location, session.sessionId);
    await new StatusFiles({ location, index, clock, session, warn: () => {} }, undefined, flock).markAllIdle();
  } catch {
    // Files that cannot be read or removed stay; the mirror is off.
  }
}

/** Undefined when it crashed before it had chosen. */
function locationOf({ kd, branch, thread }: ThreadMirror): ThreadLocation | undefined {
  if (kd === undefined || branch === undefined || thread === undefined) return undefined;
  const branchDir = path.join(kd, "branches", kingdom.normaliseName(branch));
  return { kd, branch, thread, branchDir, dir: path.join(branchDir, "threads", thread), isNew: false };
}
