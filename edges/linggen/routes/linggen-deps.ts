/** What the routes of this wire share. */
import type { CompatDeps } from "../../../src/server/index.ts";
import type { ClientStore } from "./client-store.ts";
import type { EventBus } from "./event-bus.ts";
import type { SessionReading } from "./session-reading.ts";
import type { SavedSettings } from "./saved-settings.ts";

export interface LinggenDeps extends CompatDeps {
  readonly reading: SessionReading;
  readonly bus: EventBus;
  readonly store: ClientStore;
  readonly settings: SavedSettings;
  /** Plans that were turned down here and have no place in the log for it. */
  readonly rejectedPlans: Set<string>;
}
