/** Asks once more before a session goes to the trash. */
import { useStore } from "../store/use-store.ts";
import { deleteFrom } from "./session-life.ts";

export interface DeleteQuestionProps {
  readonly sessionId: string;
  readonly name: string;
  readonly onDone: () => void;
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
        onDone();
      }}
    >
      <span dir="auto">Move “{name}” to the trash?</span>
      <span className="delete-answers">
        <button type="button" autoFocus onClick={onDone}>
          Keep
        </button>
        <button
          type="button"
          onClick={() => {
            onDone();
            void store.guarded(() => deleteFrom(store, sessionId));
          }}
        >
          Delete
        </button>
      </span>
    </div>
  );
}
