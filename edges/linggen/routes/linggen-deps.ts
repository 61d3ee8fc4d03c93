/** Dependencies shared by the routes of this wire. */
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
  /** Plans rejected here that the log cannot record. */
  readonly rejectedPlans: Set<string>;
}
