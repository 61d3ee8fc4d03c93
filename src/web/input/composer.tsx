/** The draft. Enter sends, Shift+Enter inserts a newline; nothing else clears the draft. */
import {
  createElement,
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { parseCommandLine } from "../../kit/text/command-line.ts";
import { formatRecipients, isRunning, recipientsOf } from "../../transcript/index.ts";
import { consumeCaret, focusDraft, isOfInputMethod, setDraftField } from "./focus.ts";
import type { PageActions } from "../commands/command.ts";
import { type Completion, CompletionList, optionId, useCompletion } from "../commands/use-completion.tsx";
import { folderName } from "../format/folder-name.ts";
import { inPlainSight } from "../format/plain-sight.ts";
import { MembersChip } from "../members/member-picker.tsx";
import { setPullBack } from "../queue/queued-text.ts";
import { DictateButton } from "../speech/speech-buttons.tsx";
import { useApp, useHead, useStore } from "../store/use-store.ts";
import { Icon } from "../ui/icon.tsx";
import { AttachButton, AttachmentChips, type Attachments, useAttachments } from "./attachments.tsx";
import { AccessChip, BudgetChip, FolderChip, useFolder, useHasNoMachine } from "./composer-chips.tsx";
import { StatusLine, TurnNews } from "./status-line.tsx";
import { useDraft } from "./use-draft.ts";
import { type Sending, type SendingProps, useSending } from "./use-sending.ts";

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
      <div className="box">
        <DraftField {...{ text, setText, sending, attachments }} showHelp={actions.showHelp} />
      </div>
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

/** Its buttons follow in tab order, so that Shift+Tab leads from the draft to a request card. */
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
    // Exactly one space follows, also when there was one; a following newline stays.
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
        // The text can still be copied.
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
      <ChipRow {...{ attachments, isBusy, hasEnded, setText }} />
    </>
  );
}

interface ChipRowProps extends Pick<DraftFieldProps, "attachments" | "setText"> {
  readonly isBusy: boolean;
  readonly hasEnded: boolean;
}

function ChipRow({ attachments, setText, isBusy, hasEnded }: ChipRowProps) {
  const cwd = useFolder();
  return (
    <div className="composer-chips">
      <FolderChip />
      <MembersChip folder={folderName(cwd)} />
      <AccessChip />
      <BudgetChip />
      <span className="composer-end">
        <AttachButton attachments={attachments} isDisabled={hasEnded} />
        <DictateButton
          isDisabled={hasEnded}
          onText={(dictated) => setText((now) => `${now.trimEnd()} ${dictated}`.trim())}
        />
        <SendButtons isBusy={isBusy} hasEnded={hasEnded} />
      </span>
    </div>
  );
}

/** ARIA attributes that tie the draft to its list. */
function ofList({ suggestions, chosen, close }: Completion) {
  const isChoosing = suggestions.length > 0;
  return {
    "aria-autocomplete": "list" as const,
    "aria-controls": isChoosing ? LIST_ID : undefined,
    "aria-activedescendant": isChoosing ? optionId(LIST_ID, chosen) : undefined,
    // Phones have no Escape. When only the window loses focus, the draft stays the active element.
    onBlur({ currentTarget, relatedTarget }: FocusEvent) {
      if (document.activeElement !== currentTarget && relatedTarget?.id !== LIST_ID) close();
    },
  };
}

function usePlaceholder(isBusy: boolean): string {
  const folder = folderName(useFolder());
  const isNew = useApp((state) => state.sessionId === undefined);
  const hasNoMachine = useHasNoMachine();
  const isReadOnly = useApp(({ team }) => team?.scope === "read");
  if (isReadOnly) return "This device has read-only access";
  if (hasNoMachine) return "You don't have access to a machine yet";
  if (isNew) return `Ask about ${folder}, or describe a task…`;
  return isBusy ? "Add to the running turn…" : "Message everyone…";
}

/**
 * Adjusts the height to the text. The returned function sets the caret together with the next text: a frame later,
 * typed characters would land in the wrong position.
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
        <button
          type="button"
          className="chip stop"
          aria-label="Stop"
          onClick={({ detail }) => {
            void store.interrupt();
            // It goes, and the focus of the keyboard with it.
            if (detail === 0) focusDraft();
          }}
        >
          <Icon name="square" size="s" />
          <b>Stop</b>
        </button>
      ) : null}
      <button
        type="submit"
        className="send"
        aria-label={isBusy ? "Send now" : "Send"}
        title={isBusy ? "Send now" : "Send"}
        disabled={hasEnded}
      >
        <Icon name="arrow-up" />
      </button>
    </>
  );
}

const FIELD_LINES_MAX = 12;

/** Height of the text, up to a maximum. */
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

/** Keys of the draft. While suggestions are open, navigation keys are theirs. */
interface ComposerKeys extends Sending {
  readonly text: string;
  readonly isBusy: boolean;
  readonly completion: Completion;
  readonly accept: (at: number) => void;
  readonly insertLine: () => void;
  readonly showHelp: () => void;
}

function handleKey(event: KeyboardEvent<HTMLTextAreaElement>, keys: ComposerKeys): void {
  // During composition Enter chooses a word.
  if (isOfInputMethod(event.nativeEvent)) return;
  if (handleChoiceKey(event, keys)) {
    event.preventDefault();
    event.stopPropagation();
  } else if (handleEditKey(event, keys)) {
    event.preventDefault();
  }
}

function handleChoiceKey(event: KeyboardEvent, { completion, accept }: ComposerKeys): boolean {
  if (completion.suggestions.length === 0) return false;
  const step = stepOf(event);
  if (step !== 0) completion.move(step);
  else if (event.key === "Tab" && !event.shiftKey) accept(completion.chosen);
  else if (event.key === "Enter" && !event.shiftKey && !completion.isWhole) accept(completion.chosen);
  else if (event.key === "Escape") completion.close();
  else return false;
  return true;
}

/** Ctrl+N and Ctrl+P as in the terminal, where the browser leaves them to the page. */
function stepOf({ key, ctrlKey, altKey, metaKey }: KeyboardEvent): number {
  const isCtrl = ctrlKey && !altKey && !metaKey;
  if (key === "ArrowDown" || (isCtrl && key === "n")) return 1;
  return key === "ArrowUp" || (isCtrl && key === "p") ? -1 : 0;
}

function handleEditKey(event: KeyboardEvent, keys: ComposerKeys): boolean {
  const { key, shiftKey, altKey, ctrlKey } = event;
  if (key === "Enter" && !shiftKey && !altKey) void keys.submit("send");
  else if (key === "Tab" && !shiftKey && keys.isBusy && keys.text.trim() !== "") void keys.submit("queue");
  else if ((key === "j" && ctrlKey) || (key === "Enter" && altKey)) keys.insertLine();
  else if (key === "ArrowUp" && altKey) void keys.pullBack();
  else if (key === "?" && keys.text === "") keys.showHelp();
  else return false;
  return true;
}

/** Text that an agent puts into the draft: inserted when the draft is empty, offered otherwise. */
function useOfferedText(text: string, setText: (text: string) => void): ReactNode {
  const opening = useApp((state) => state.opening);
  const editorText = useHead((head) => head.ui.editorText);
  const isThere = useApp((state) => state.transcript !== undefined);
  // Text from before the page was opened is outdated.
  const known = useRef<{ opening: number; seq: number }>(undefined);
  const [offer, setOffer] = useState<{ opening: number; text: string }>();
  useEffect(() => {
    if (!isThere) return;
    const seq = editorText?.seq ?? 0;
    const before = known.current;
    known.current = { opening, seq };
    if (before?.opening !== opening || editorText === undefined || seq <= before.seq) return;
    if (text === "") setText(editorText.text);
    else setOffer({ opening, text: editorText.text });
  }, [opening, isThere, editorText, text, setText]);
  if (offer === undefined || offer.opening !== opening) return null;
  const accept = (): void => {
    setText(offer.text);
    setOffer(undefined);
  };
  return createElement(
    "p",
    { className: "offer", role: "group", "aria-label": "An agent suggests a message" },
    "An agent suggests a message. ",
    createElement("button", { type: "button", className: "quiet", onClick: accept }, "Use it"),
    createElement("button", { type: "button", className: "quiet", onClick: () => setOffer(undefined) }, "Dismiss"),
  );
}

/** Recipients of the draft. */
function RecipientsLine({ text }: { text: string }) {
  const label = useApp(({ transcript }) =>
    transcript === undefined ? "" : formatRecipients(recipientsOf(text, transcript)),
  );
  if (text.trim() === "" || label === "" || parseCommandLine(text).kind !== "message") return null;
  return <span className="recipients fact">{inPlainSight(label.charAt(0).toUpperCase() + label.slice(1))}</span>;
}
