/** Why something is denied, in a line that the agent is told. Escape goes back to the choices. */
import { useState } from "react";
import { inPlainSight } from "../format/plain-sight.ts";

export interface DenialFormProps {
  readonly member: string;
  /** Empty when nothing was written. */
  readonly onDeny: (reason: string) => void;
  readonly onBack: () => void;
  readonly onWritten: (text: string) => void;
}

/** As long as a reason may be. */
const REASON_CHARS_MAX = 2_000;

export function DenialForm({ member, onDeny, onBack, onWritten }: DenialFormProps) {
  const [text, setText] = useState("");
  return (
    <form
      className="text-form"
      onSubmit={(event) => {
        event.preventDefault();
        onDeny(text.trim());
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
        event.stopPropagation();
        onBack();
      }}
    >
      <input
        type="text"
        autoFocus
        autoComplete="off"
        maxLength={REASON_CHARS_MAX}
        aria-label={inPlainSight(`Why, for ${member}`)}
        placeholder={inPlainSight(`Deny, and tell ${member} why`)}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          onWritten(target.value);
        }}
      />
      <button type="submit" className="primary">
        Deny and send
      </button>
      <button type="button" className="quiet" onClick={onBack}>
        Back
      </button>
    </form>
  );
}
