/** A modal question with fields; Escape and Cancel change nothing. */
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { Button } from "./button.tsx";

export interface FormDialogProps {
  readonly title: string;
  /** Label of the button that submits. */
  readonly action: string;
  /** It closes first; with a promise it closes when that is fulfilled, and shows the message of a rejection. */
  readonly onSubmit: () => Promise<void> | void;
  readonly onClose: () => void;
  /** Shown while the promise is pending. */
  readonly busyNote?: ReactNode;
  readonly children: ReactNode;
}

export function FormDialog({ title, action, onSubmit, onClose, busyNote, children }: FormDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  useEffect(() => dialog.current?.showModal(), []);
  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    const work = onSubmit();
    if (work === undefined) return dialog.current?.close();
    setBusy(true);
    setProblem("");
    try {
      await work;
      dialog.current?.close();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setBusy(false);
  }
  return (
    <dialog
      ref={dialog}
      className="small-dialog"
      aria-label={title}
      onClose={onClose}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <form onSubmit={(event) => void submit(event)}>
        <h2>{title}</h2>
        {children}
        {isBusy ? <p role="status">{busyNote}</p> : null}
        {problem === "" ? null : (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <div className="dialog-actions">
          <Button onClick={() => dialog.current?.close()}>Cancel</Button>
          <button type="submit" className="btn primary" disabled={isBusy}>
            {action}
          </button>
        </div>
      </form>
    </dialog>
  );
}
