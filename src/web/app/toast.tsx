import { useApp } from "../store/use-store.ts";

/** A notice of success, for some seconds. */
export function Toast() {
  const note = useApp((state) => state.note);
  const action = useApp((state) => state.noteAction);
  return (
    <div className="toast" role="status" data-shown={note !== ""}>
      {note}
      {action === undefined ? null : (
        <button type="button" className="btn sm" onClick={action.run}>
          {action.label}
        </button>
      )}
    </div>
  );
}
