/** Keys and commands of the page. */
import { useEffect, useRef } from "react";
import { webCommands } from "../commands/commands.ts";
import { KEYS } from "./keys.ts";

export function HelpDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} className="help" aria-label="Keys and commands" onClose={onClose}>
      <header>
        <h2>Keys and commands</h2>
        <button type="button" className="btn sm quiet" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </header>
      <div className="help-columns">
        <dl>
          {KEYS.map(([keys, does]) => (
            <div key={keys}>
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
        <dl>
          {webCommands.map(({ usage, summary }) => (
            <div key={usage}>
              <dt>
                <code>{usage}</code>
              </dt>
              <dd>{summary}</dd>
            </div>
          ))}
        </dl>
      </div>
    </dialog>
  );
}
