/** Keys and commands. */
import { useEffect, useRef } from "react";
import { webCommands } from "../commands/commands.ts";

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ["Enter", "send; steer while members speak"],
  ["Shift+Enter, Ctrl+J", "a new line"],
  ["Tab", "queue, while members speak and something is written"],
  ["Alt+↑", "take the newest queued message back"],
  ["Escape", "interrupt; on a request: back to the draft"],
  ["Shift+Tab", "from the draft to the request"],
  ["1 … 9", "on a request: answer it"],
  ["@ /", "members and files; commands (↑ ↓ choose, Enter takes, Escape leaves)"],
  ["Page Up, Page Down", "scroll the conversation"],
  ["Ctrl+Home, Ctrl+End", "go to the start or the end of the conversation"],
  ["Ctrl+P", "print the whole session"],
  ["Ctrl+K", "find a session, or words in any"],
  ["Alt+N", "a new session (on a Mac outside of the draft)"],
  ["Alt+J, Alt+K", "the next and the previous session (likewise)"],
  ["Space, ← →, Shift+← →", "in a replay: play, one event, a message of yours"],
  ["?", "this help, while nothing is written"],
];

export function HelpDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} className="help" aria-label="Keys and commands" onClose={onClose}>
      <header>
        <h2>Keys and commands</h2>
        <button type="button" className="quiet" onClick={() => dialog.current?.close()}>
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
