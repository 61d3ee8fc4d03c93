/** Permission rules in order of precedence; the user's own grants can be revoked. */
import { permissionRows, type PermissionRow } from "../../../transcript/index.ts";
import type { PermissionsPage } from "../../commands/command.ts";
import { createListOverlay, type ListControl } from "./list-overlay.ts";
import type { Overlay, OverlaySurface } from "../overlay-surface.ts";
import { shortAge } from "../short-age.ts";

export interface PermissionsOverlayOptions extends PermissionsPage {
  readonly now: () => number;
  readonly onClose: () => void;
}

const REVOKE_KEYS = new Set(["d", "delete", "backspace"]);

export function createPermissionsOverlay(surface: OverlaySurface, options: PermissionsOverlayOptions): Overlay {
  const rows = () => permissionRows(options.list(), (ts) => shortAge(options.now() - ts));
  let isRevoking = false;

  /** Ignores a second key while the list is being fetched, since rows are about to move. */
  async function revoke(permissionId: string, list: ListControl): Promise<void> {
    if (isRevoking) return;
    isRevoking = true;
    try {
      list.note(await options.revoke(permissionId), "good");
    } catch (error) {
      list.note(error instanceof Error ? error.message : String(error));
    } finally {
      isRevoking = false;
      surface.tui.requestRender();
    }
  }

  return createListOverlay<PermissionRow>(surface, {
    title: "Permissions",
    corner: () => "first fit wins",
    items: rows,
    idOf: ({ permissionId, label, description }) => permissionId ?? `${label}\0${description}`,
    empty: () => "",
    hints: () => ["d take back", "Esc close", "↑↓ move"],
    rows: {
      show: ({ label, description, number }) => ({
        label,
        description,
        mark: number === undefined ? "·  " : `${number}. `,
      }),
    },
    onKey(key, row, list) {
      const isRevokeKey = REVOKE_KEYS.has(key);
      if (!isRevokeKey && key !== "enter") return false;
      const { permissionId, why = "" } = row ?? {};
      if (permissionId === undefined) list.note(why);
      else if (isRevokeKey) void revoke(permissionId, list);
      else list.note("d takes it back.");
      return true;
    },
    onClose: options.onClose,
  });
}
