/** Where a message is written. Enter sends, Shift+Enter makes a line; nothing else ever takes the draft away. */
import { useEffect, useLayoutEffect, useRef, useState, type FocusEvent, type RefObject } from "react";
import { isRunning } from "../../transcript/index.ts";
import { useHasKeys } from "../app/has-keys.ts";
import { DictateButton } from "../speech/dictate-button.tsx";
import { useApp, useHead, useStore } from "../store/use-store.ts";
import { AttachButton, AttachmentChips } from "./attachment-chips.tsx";
import { useAttachments, type Attachments } from "./attachments.ts";
import { handleKey } from "./composer-keys.ts";
import { CompletionList, optionId } from "../commands/completion-list.tsx";
import { focusDraft, setDraftField, consumeCaret } from "./draft-focus.ts";
import { useOfferedText } from "./offered-text.ts";
import { setPullBack } from "../queue/pull-back.ts";
import { RecipientsLine } from "./recipients.tsx";
import { StatusLine } from "./status-line.tsx";
import { TurnNews } from "./turn-news.tsx";
import { useCompletion, type Completion } from "../commands/use-completion.ts";
import { useDraft } from "./use-draft.ts";
import { useSending, type SendingProps } from "./use-sending.ts";
import type { PageActions } from "../commands/command.ts";

const LIST_ID = "completion";

export function Composer({ actions }: { actions: PageActions }) {
  const problem = useApp((state) => state.problem);
  const [text, setText] = useDraft();
  const offered = useOfferedText(text, setText);
  const attachments = useAttachments();
  const sending = useSending({ text, setText, actions, attachments });
  useEffect(() => focusDraft(), []);
  useEffect(() => {
    setPullBack((item) => sending.pullBack(item));
    return () => setPullBack(undefined);
  });
  return (
    <form
      className="composer"
      aria-label="Write"
      onSubmit={(event) => {
        event.preventDefault();
        void sending.submit("send");
      }}
    >
      {problem === "" ? null : (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      {offered}
      <AttachmentChips attachments={attachments} />
      <DraftField {...{ text, setText, sending, attachments }} showHelp={actions.showHelp} />
      <div className="status-row">
        <RecipientsLine text={text} />
        <StatusLine />
      </div>
      <TurnNews />
    </form>
  );
}

interface DraftFieldProps {
  readonly text: string;
  readonly setText: SendingProps["setText"];
  readonly sending: ReturnType<typeof useSending>;
  readonly attachments: Attachments;
  readonly showHelp: () => void;
}

/** Its buttons stand behind it, so that Shift+Tab leads from the draft to the card that asks something. */
function DraftField({ text, setText, sending, attachments, showHelp }: DraftFieldProps) {
  const hasEnded = useApp((state) => state.ended !== undefined);
  const isBusy = useHead(isRunning) ?? false;
  const [caret, setCaret] = useState(0);
  const field = useRef<HTMLTextAreaElement>(null);
  const nextCaret = useHeightAndCaret(field, text);
  const completion = useCompletion(text, caret);

  function write(next: string, position: number): void {
    nextCaret.current = position;
    setText(next);
    setCaret(position);
    field.current?.focus();
  }

  function accept(at: number): void {
    const { wanted, suggestions } = completion;
    const value = suggestions[at]?.value;
    if (wanted === undefined || value === undefined) return;
    // One space stands behind it, also when there was one; a line that follows stays a line.
    const insert = `${value} `;
    write(text.slice(0, wanted.from) + insert + text.slice(wanted.to).replace(/^ /, ""), wanted.from + insert.length);
  }

  function insertLine(): void {
    const { selectionStart: from = text.length, selectionEnd: to = from } = field.current ?? {};
    write(`${text.slice(0, from)}\n${text.slice(to)}`, from + 1);
  }

  const keys = { ...sending, text, isBusy, completion, accept, insertLine, showHelp };
  return (
    <>
      <CompletionList id={LIST_ID} completion={completion} onChoose={accept} />
      <div className="row-of-input">
        <textarea
          ref={(node) => {
            field.current = node;
            setDraftField(node);
          }}
          rows={1}
          placeholder={usePlaceholder(isBusy)}
          aria-label="Message"
          {...ofList(completion)}
          autoComplete="off"
          spellCheck
          // What is written can still be copied.
          readOnly={hasEnded}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setCaret(target.selectionStart);
          }}
          onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart)}
          onKeyDown={(event) => handleKey(event, keys)}
          onPaste={(event) => attachments.onPaste(event)}
        />
        <AttachButton attachments={attachments} isDisabled={hasEnded} />
        <DictateButton
          isDisabled={hasEnded}
          onText={(dictated) => setText((now) => `${now.trimEnd()} ${dictated}`.trim())}
        />
        <SendButtons isBusy={isBusy} hasEnded={hasEnded} />
      </div>
    </>
  );
}

/** What ties the draft to its list. */
function ofList({ suggestions, chosen, close }: Completion) {
  const isChoosing = suggestions.length > 0;
  return {
    "aria-autocomplete": "list" as const,
    "aria-controls": isChoosing ? LIST_ID : undefined,
    "aria-activedescendant": isChoosing ? optionId(LIST_ID, chosen) : undefined,
    // A phone has no Escape. When only the window is left, the draft still is the active element.
    onBlur({ currentTarget, relatedTarget }: FocusEvent) {
      if (document.activeElement !== currentTarget && relatedTarget?.id !== LIST_ID) close();
    },
  };
}

function usePlaceholder(isBusy: boolean): string {
  const hasKeys = useHasKeys();
  if (!isBusy) return "Write to the table…";
  return hasKeys ? "Steer… (Tab queues)" : "Steer…";
}

/**
 * The field is as high as its text. What is returned says where the caret goes with the next text, and not a frame later:
 * what is typed in between would land in the wrong place.
 */
function useHeightAndCaret(
  field: RefObject<HTMLTextAreaElement | null>,
  text: string,
): { current: number | undefined } {
  useFieldHeight(field, text);
  const next = useRef<number>(undefined);
  useLayoutEffect(() => {
    const position = next.current ?? consumeCaret();
    next.current = undefined;
    if (position !== undefined) field.current?.setSelectionRange(position, position);
  });
  return next;
}

function SendButtons({ isBusy, hasEnded }: { isBusy: boolean; hasEnded: boolean }) {
  const store = useStore();
  return (
    <>
      {isBusy ? (
        <button type="button" className="stop" onClick={() => void store.interrupt()}>
          Stop
        </button>
      ) : null}
      <button type="submit" className="primary send" disabled={hasEnded}>
        {isBusy ? "Steer" : "Send"}
      </button>
    </>
  );
}

const FIELD_LINES_MAX = 12;

/** As high as what is written, up to a point. */
function useFieldHeight(fieldRef: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const field = fieldRef.current;
    if (field === null) return;
    field.rows = Math.min(FIELD_LINES_MAX, Math.max(1, text.split("\n").length));
    if (field.scrollHeight > field.clientHeight + 4 && field.rows < FIELD_LINES_MAX) {
      const line = Number.parseFloat(getComputedStyle(field).lineHeight) || 22;
      field.rows = Math.min(FIELD_LINES_MAX, Math.ceil(field.scrollHeight / line));
    }
  }, [fieldRef, text]);
}
