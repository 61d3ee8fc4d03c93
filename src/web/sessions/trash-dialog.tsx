/** Deleted sessions, latest first, for restoring. */
import { useEffect, useRef, useState } from "react";
import type { TrashedSession } from "../../protocol/index.ts";
import { inPlainSight } from "../format/plain-sight.ts";
import { formatDateTime } from "../format/units.ts";
import { useStore } from "../store/use-store.ts";
import { restoreTo } from "./session-life.ts";

/** Further ones are listed by `roundtable sessions trash`. */
const ROWS_MAX = 200;

export function TrashDialog({ onClose, onRestored }: { onClose: () => void; onRestored: () => void }) {
  const store = useStore();
  const dialog = useRef<HTMLDialogElement>(null);
  const [trash, setTrash] = useState<readonly TrashedSession[]>();
  useEffect(() => {
    dialog.current?.showModal();
    void store.guarded(async () => setTrash(await store.client.trash()));
  }, [store]);
  async function restore(sessionId: string): Promise<void> {
    dialog.current?.close();
    if (await store.guarded(() => restoreTo(store, sessionId))) onRestored();
  }
  const shown = trash?.slice(0, ROWS_MAX) ?? [];
  return (
    <dialog
      ref={dialog}
      className="help trash"
      aria-label="Trash"
      onClose={onClose}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <header>
        <h2>Trash</h2>
        <button type="button" className="btn sm quiet" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </header>
      {trash === undefined || shown.length > 0 ? null : <p>The trash is empty.</p>}
      <ul>
        {shown.map(({ deletedTs, summary: { sessionId, title } }) => (
          <li key={sessionId}>
            <span className="row-title" dir="auto">
              {title === "" ? "Untitled" : inPlainSight(title)}
            </span>
            <span className="fact">deleted {formatDateTime(deletedTs)}</span>
            <button type="button" onClick={() => void restore(sessionId)}>
              Restore
            </button>
          </li>
        ))}
      </ul>
      {(trash?.length ?? 0) > ROWS_MAX ? (
        <p className="fact">Older ones are listed by `roundtable sessions trash`.</p>
      ) : null}
    </dialog>
  );
}
