/** Wire 001: the event stream and routes for linggen's clients. */
import { RoundtableError } from "../../../src/protocol/index.ts";
import { alreadySent, type CompatDeps, type CompatWire } from "../../../src/server/index.ts";
import { createChatRoutes } from "./chat-routes.ts";
import { openClientStore } from "./client-store.ts";
import { createConfigRoutes } from "./config-routes.ts";
import { EventBus } from "./event-bus.ts";
import type { LinggenDeps } from "./linggen-deps.ts";
import { reads } from "./linggen-route.ts";
import { createMissionRoutes } from "./mission-routes.ts";
import { createPlanRoutes } from "./plan-routes.ts";
import { createProjectRoutes } from "./project-routes.ts";
import { createSessionReading } from "./session-reading.ts";
import { createRunRoutes } from "./run-routes.ts";
import { createSavedSettings } from "./saved-settings.ts";
import { createSessionRoutes } from "./session-routes.ts";
import { createWorkspaceRoutes } from "./workspace-routes.ts";

export function createLinggenWire(compat: CompatDeps): CompatWire {
  const rejectedPlans = new Set<string>();
  const bus = new EventBus({ ...compat, rejectedPlans });
  const store = openClientStore(compat);
  const settings = createSavedSettings(compat, store);
  const reading = createSessionReading(compat, store);
  const deps: LinggenDeps = { ...compat, bus, rejectedPlans, store, settings, reading };
  // Missions of an earlier run continue by themselves. Unreadable ones are reported on request.
  void compat.host.openIdlePrompts().catch(() => undefined);
  return {
    routes: [
      // Everything, unless the client names a project or session.
      reads("/api/events", async (c) => {
        const { project_root = "", session_id } = c.req.query();
        const root = project_root === "" ? undefined : await reading.directory(project_root);
        const named = await reading.named(session_id, root);
        const isOpen = bus.connect(
          c.env.outgoing,
          ({ cwd, sessionId }) => (root ?? cwd) === cwd && (named ?? sessionId) === sessionId,
        );
        if (!isOpen) throw new RoundtableError("closed", "Too many clients are following the events.");
        // A named session is followed before it changes.
        if (named !== undefined) void bus.follow(named);
        return alreadySent();
      }),
      ...createChatRoutes(deps),
      ...createRunRoutes(deps),
      ...createWorkspaceRoutes(deps),
      ...createMissionRoutes(deps),
      ...createPlanRoutes(deps),
      ...createProjectRoutes(deps),
      ...createSessionRoutes(deps),
      ...createConfigRoutes(deps),
    ],
    close: () => bus.close(),
  };
}
