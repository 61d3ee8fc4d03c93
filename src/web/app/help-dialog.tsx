/** Keys and commands of the page. */
import { useEffect, useRef } from "react";
import { webCommands } from "../commands/commands.ts";

export const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ["Enter", "Send; send now while members are answering"],
  ["Shift+Enter, Ctrl+J", "New line"],
  ["Tab", "Queue your message while members are answering"],
  ["Alt+↑", "Edit the newest queued message"],
  ["Esc", "Stop; in a request, go back to the message box"],
  ["Shift+Tab", "Go from the message box to the request"],
  ["1 … 9", "Answer a request"],
  ["@ /", "Members and files; commands (↑ ↓ to choose, Enter to accept, Esc to close)"],
  ["Page Up, Page Down", "Scroll the conversation"],
  ["Ctrl+Home, Ctrl+End", "Start and end of the conversation"],
  ["Ctrl+P", "Print the whole session"],
  ["Ctrl+K", "Search sessions and messages"],
  ["Alt+N", "New session (on a Mac, outside the message box)"],
  ["Alt+J, Alt+K", "Next and previous session"],
  ["↑ ↓ → F2 E", "In the session list: move, open the menu, rename, archive"],
  ["Space, ← →, Shift+← →", "In a replay: play or pause, step, jump between your messages"],
  ["?", "This help (when the message box is empty)"],
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
