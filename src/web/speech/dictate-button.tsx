/** Writes what is said into the draft, where the browser can hear; elsewhere it is not there. */
import { useEffect, useRef, useState } from "react";
import { Icon } from "../app/icon.tsx";
import { useStore } from "../store/use-store.ts";
import { findRecognition, finalText, dictationError, type Recognition } from "./recognition.ts";

export interface DictateButtonProps {
  readonly onText: (text: string) => void;
  readonly isDisabled: boolean;
}

export function DictateButton({ onText, isDisabled }: DictateButtonProps) {
  const store = useStore();
  const [isListening, setListening] = useState(false);
  const recognition = useRef<Recognition>(undefined);
  const latest = useRef(onText);
  latest.current = onText;
  useEffect(() => () => recognition.current?.abort(), []);
  const create = findRecognition();
  if (create === undefined) return null;

  function toggle(): void {
    if (recognition.current !== undefined) return recognition.current.stop();
    const made = create?.();
    if (made === undefined) return;
    recognition.current = made;
    made.continuous = true;
    made.interimResults = false;
    made.lang = navigator.language;
    made.addEventListener("result", (event) => latest.current(finalText(event)));
    made.addEventListener("error", ({ error }) => store.showProblem(dictationError(error)));
    made.addEventListener("end", () => {
      recognition.current = undefined;
      setListening(false);
    });
    made.start();
    setListening(true);
  }

  return (
    <button
      type="button"
      className="dictate"
      aria-label={isListening ? "Stop dictating" : "Dictate"}
      aria-pressed={isListening}
      title="What you say is heard by your browser's own service"
      disabled={isDisabled}
      onClick={toggle}
    >
      <Icon name="microphone" />
    </button>
  );
}
