/** Permission rules in order of precedence; the user's own grants can be revoked here. */
import { useEffect, useRef, useState, type RefObject } from "react";
import { Permissions, Revoked } from "../../protocol/index.ts";
import { permissionRows, formatRevoked, type PermissionRow } from "../../transcript/index.ts";
import { useHead, useStore } from "../store/use-store.ts";
import { formatWhen } from "../format/units.ts";
import { inPlainSight } from "../format/plain-sight.ts";

export function PermissionsDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const { listed, status, revoke } = usePermissions(list);
  useEffect(() => dialog.current?.showModal(), []);
  const [state, ...rows] = listed === undefined ? [] : permissionRows(listed, formatWhen);
  const hasRules = listed?.permissions.some(({ reach }) => reach === "rule") ?? false;
  return (
    <dialog
      ref={dialog}
      className="help permissions"
      aria-label="Permissions"
      onClose={onClose}
      // Keys here are for the dialog only.
      onKeyDown={(event) => event.stopPropagation()}
    >
      <header>
        <h2>Permissions</h2>
        <button type="button" className="btn sm quiet" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </header>
      <p className="said" data-tone={status.isProblem ? "bad" : "good"} role="status">
        {inPlainSight(status.text)}
      </p>
      {state === undefined ? null : (
        <p>
          {state.label} <span className="fact">{state.description}</span>
        </p>
      )}
      <ul ref={list} tabIndex={-1} aria-label="The first match wins">
        {rows.map((row) => (
          <Row key={row.permissionId ?? `${row.label}\0${row.description}`} row={row} onRevoke={revoke} />
        ))}
      </ul>
      {rows.length < 2 ? null : <p className="fact">The first match wins.</p>}
      {hasRules ? <p className="fact">Change a rule in the file it comes from.</p> : null}
    </dialog>
  );
}

function Row({ row, onRevoke }: { row: PermissionRow; onRevoke: (permissionId: string) => Promise<void> }) {
  const { label, description, permissionId } = row;
  const what = inPlainSight(label);
  return (
    <li>
      <div>
        <span className="rule" dir="auto">
          {what}
        </span>
        <span className="fact">{inPlainSight(description)}</span>
      </div>
      {permissionId === undefined ? null : (
        <button type="button" aria-label={`Revoke: ${what}`} onClick={() => void onRevoke(permissionId)}>
          Revoke
        </button>
      )}
    </li>
  );
}

interface Status {
  readonly text: string;
  readonly isProblem: boolean;
}

/** Fetched again after each answered request and settings change: both may change permissions. */
function usePermissions(list: RefObject<HTMLElement | null>) {
  const store = useStore();
  const requests = useHead((head) => head.requests);
  const settings = useHead((head) => head.settings);
  const [listed, setListed] = useState<Permissions>();
  const [status, setStatus] = useState<Status>({ text: "", isProblem: false });
  const [revokedCount, setRevokedCount] = useState(0);
  const isRevoking = useRef(false);
  useEffect(() => {
    let isCurrent = true;
    store.command({ type: "list_permissions" }).then(
      (result) => isCurrent && setListed(Permissions.parse(result)),
      (error: unknown) => isCurrent && setStatus(problemOf(error)),
    );
    return () => {
      isCurrent = false;
    };
  }, [store, requests, settings, revokedCount]);

  async function revoke(permissionId: string): Promise<void> {
    if (isRevoking.current) return;
    isRevoking.current = true;
    try {
      const result = await store.command({ type: "revoke_permission", permissionId });
      setStatus({ text: formatRevoked(Revoked.parse(result)), isProblem: false });
    } catch (error) {
      setStatus(problemOf(error));
    }
    isRevoking.current = false;
    // Its button disappears, and the same key must not press another one.
    list.current?.focus();
    setRevokedCount((before) => before + 1);
  }
  return { listed, status, revoke };
}

function problemOf(error: unknown): Status {
  return { text: error instanceof Error ? error.message : String(error), isProblem: true };
}
