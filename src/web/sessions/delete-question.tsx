/** Asks once more before a session goes to the trash. */
import { focusDraft } from "../input/draft-focus.ts";
import { useStore } from "../store/use-store.ts";
import { deleteFrom } from "./session-life.ts";

export interface DeleteQuestionProps {
  readonly sessionId: string;
  readonly name: string;
  readonly onDone: (how: { isGone: boolean }) => void;
}

export function DeleteQuestion({ sessionId, name, onDone }: DeleteQuestionProps) {
  const store = useStore();
  return (
    <div
      className="delete-question"
      role="group"
      aria-label={`Delete ${name}?`}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onDone({ isGone: false });
      }}
    >
      <span dir="auto">Move “{name}” to the trash?</span>
      <span className="delete-answers">
        <button type="button" autoFocus onClick={() => onDone({ isGone: false })}>
          Cancel
        </button>
        <button
          type="button"
          onClick={() => {
            onDone({ isGone: true });
            focusDraft();
            void store.guarded(() => deleteFrom(store, sessionId));
          }}
        >
          Move to trash
        </button>
      </span>
    </div>
  );
}
