/**
 * One request: who asks, what exactly, and the choices. Nothing is sent while it ignores input or is being answered.
 */
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { type Json, safeDefault } from "../../protocol/index.ts";
import {
  choiceByKey,
  type DescribedRequest,
  describeRequest,
  fieldText,
  type OpenRequest,
  type RequestChoice,
} from "../../transcript/index.ts";
import { formatTimeLeft } from "../format/format-request.ts";
import { inPlainSight } from "../format/plain-sight.ts";
import { isTextField } from "../input/focus.ts";
import { type Rescue, useRescue } from "../input/use-rescue.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { MemberSign, useMemberStyle } from "../ui/sign.tsx";
import { AnswerForm } from "./answer-form.tsx";
import { Block, RequestFacts, RequestThing } from "./request-thing.tsx";

/** Maximum length of a reason. */
const REASON_CHARS_MAX = 2_000;

const TICK_MS = 1_000;

export interface RequestCardProps {
  readonly open: OpenRequest;
  /** Number of requests behind it. */
  readonly waiting: number;
  readonly cardRef: RefObject<HTMLElement | null>;
  readonly isReady: boolean;
  readonly accepts: (requestId: string) => boolean;
  /** A key that answers nothing: the user is typing something else. */
  readonly onUnhandledKey: (key: string) => void;
  /** Rejects with a message when the answer was not accepted. */
  readonly onAnswer: (answer: GivenAnswer) => Promise<void>;
  /** Called before it is removed. */
  readonly onGone: (gone: { hadFocus: boolean }) => void;
}

export function RequestCard(props: RequestCardProps) {
  const { open, waiting, cardRef, isReady, accepts, onUnhandledKey, onAnswer, onGone } = props;
  const { requestId, request, member } = open;
  const described = describeRequest(open);
  const { choices } = described;
  const [denial, setDenial] = useState<RequestChoice>();
  const { hue } = useMemberStyle(member);
  const rescue = useRescue(cardRef, "The request is closed. Your text is in the box.");
  const { give, isBusy, problem } = useGiving({ requestId, accepts, onAnswer, rescue });
  useGone(cardRef, onGone);
  useCardKeys(cardRef, ({ key, isHeld }) => {
    // Digits only: a letter meant for a message must never allow anything.
    const choice = isHeld || !/^\d$/.test(key) ? undefined : choiceByKey(choices, key);
    if (choice === undefined || !accepts(requestId)) onUnhandledKey(key);
    else choose(choice);
  });
  function choose(choice: RequestChoice): void {
    if (choice.takesReason === true) setDenial(choice);
    else void give({ requestId, result: choice.answer });
  }

  return (
    <section
      ref={cardRef}
      className="request"
      tabIndex={-1}
      role="group"
      aria-label={inPlainSight(`${described.heading}: ${described.what}`)}
      aria-busy={isBusy}
      data-hue={hue}
      data-method={request.method}
      data-ready={isReady}
    >
      <CardHeader
        open={open}
        described={described}
        waiting={waiting}
        onDismiss={() => void give({ requestId, result: safeDefault(request.method), error: "dismissed" })}
      />
      <RequestBody described={described} />
      {denial === undefined ? (
        <AnswerForm
          request={request}
          choices={choices}
          onChoose={choose}
          onAnswer={(result) => void give({ requestId, result })}
          onWritten={(text) => rescue.setText(text)}
        >
          <TimeLeft open={open} />
        </AnswerForm>
      ) : (
        <DenialForm
          member={member}
          onDeny={(reason) => void give({ requestId, result: denial.answer, ...(reason === "" ? {} : { reason }) })}
          onBack={() => setDenial(undefined)}
          onWritten={(text) => rescue.setText(text)}
        />
      )}
      <Problem text={problem} />
    </section>
  );
}

function useGone(cardRef: RequestCardProps["cardRef"], onGone: RequestCardProps["onGone"]): void {
  const latest = useRef(onGone);
  useLayoutEffect(
    () => () => latest.current({ hadFocus: cardRef.current?.contains(document.activeElement) ?? false }),
    [cardRef],
  );
}

function Problem({ text }: { text: string }) {
  if (text === "") return null;
  return (
    <p className="problem" aria-live="assertive">
      {text}
    </p>
  );
}

interface CardHeaderProps {
  readonly open: OpenRequest;
  readonly described: DescribedRequest;
  readonly waiting: number;
  readonly onDismiss: () => void;
}

/** An approval has its own denying choice. */
function CardHeader({ open, described, waiting, onDismiss }: CardHeaderProps) {
  const { diff } = described;
  return (
    <header>
      <MemberSign name={open.member} />
      <h2 dir="auto">
        <b>{inPlainSight(open.member)}</b>
        <Purpose open={open} described={described} />
      </h2>
      {diff === undefined ? null : (
        <span className="diff-counts num">
          <span className="plus">+{diff.added}</span> <span className="minus">−{diff.removed}</span>
        </span>
      )}
      <span className="grow" />
      {waiting === 0 ? null : <span className="fact num">1 of {waiting + 1}</span>}
      {open.request.method === "approval" ? null : (
        <Button variant="quiet" isSmall onClick={onDismiss}>
          Dismiss
        </Button>
      )}
    </header>
  );
}

/** " wants to edit shutdown.ts": the file by its name; its whole path stands above the change. */
function Purpose({
  open: { member },
  described: { heading, files },
}: {
  open: OpenRequest;
  described: DescribedRequest;
}) {
  const text = heading.slice(member.length).replace(/^ asks to /, " wants to ");
  const [file] = files;
  if (files.length !== 1 || file === undefined || !text.endsWith(file)) return inPlainSight(text);
  return (
    <>
      {inPlainSight(text.slice(0, -file.length))}
      <span className="mono" title={inPlainSight(file)}>
        {inPlainSight(file.split("/").at(-1) ?? file)}
      </span>
    </>
  );
}

interface GivingProps extends Pick<RequestCardProps, "accepts" | "onAnswer"> {
  readonly requestId: string;
  readonly rescue: Rescue;
}

function useGiving({ requestId, accepts, onAnswer, rescue }: GivingProps) {
  const isAnswering = useRef(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  async function give(answer: GivenAnswer): Promise<void> {
    if (isAnswering.current || !accepts(requestId)) return;
    isAnswering.current = true;
    rescue.setSafe(true);
    setBusy(true);
    setProblem("");
    try {
      await onAnswer(answer);
    } catch (error) {
      // The answer was rejected: if the request is still open, it can be answered again.
      isAnswering.current = false;
      rescue.setSafe(false);
      setBusy(false);
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }
  return { give, isBusy, problem };
}

function TimeLeft({ open }: { open: OpenRequest }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <span className="late fact num">
      <Icon name="clock" size="s" />
      <span className="left">{formatTimeLeft(open, now)}</span>
    </span>
  );
}

/**
 * Printable keys pressed on a card, and nowhere else: a user who types elsewhere means something else. Fields of the
 * card have their own keys. A held key is reported as often as it repeats, and an invisible card answers nothing.
 */
interface CardKey {
  readonly key: string;
  readonly isHeld: boolean;
}

function useCardKeys(cardRef: RefObject<HTMLElement | null>, onKey: (key: CardKey) => void): void {
  const latest = useRef(onKey);
  latest.current = onKey;
  useEffect(() => {
    const card = cardRef.current;
    const listener = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
      // Space activates the focused button.
      if (event.key.length !== 1 || event.key === " " || isTextField(event.target)) return;
      if (card?.checkVisibility() === true) latest.current({ key: event.key, isHeld: event.repeat });
    };
    card?.addEventListener("keydown", listener);
    return () => card?.removeEventListener("keydown", listener);
  }, [cardRef]);
}

/** The reason of a denial, sent to the agent. Escape returns to the choices. */
interface DenialFormProps {
  readonly member: string;
  /** Empty when nothing was typed. */
  readonly onDeny: (reason: string) => void;
  readonly onBack: () => void;
  readonly onWritten: (text: string) => void;
}

function DenialForm({ member, onDeny, onBack, onWritten }: DenialFormProps) {
  const [text, setText] = useState("");
  const form = useRef<HTMLFormElement>(null);
  function goBack(): void {
    // The form goes, and the focus with it: to the card, whose keys answer.
    form.current?.closest<HTMLElement>(".request")?.focus();
    onBack();
  }
  return (
    <form
      ref={form}
      className="text-form"
      onSubmit={(event) => {
        event.preventDefault();
        onDeny(text.trim());
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
        event.stopPropagation();
        goBack();
      }}
    >
      <input
        type="text"
        autoFocus
        autoComplete="off"
        maxLength={REASON_CHARS_MAX}
        aria-label={inPlainSight(`Reason for ${member}`)}
        placeholder={inPlainSight(`Deny, and tell ${member} why`)}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          onWritten(target.value);
        }}
      />
      <Button type="submit" variant="primary">
        Deny and send
      </Button>
      <Button variant="quiet" onClick={goBack}>
        Back
      </Button>
    </form>
  );
}

/** The complete subject, the thing itself on top: the command, the change, or a tool with its arguments. */
function RequestBody({ described }: { described: DescribedRequest }) {
  const { kind, title, message, details } = described;
  return (
    <div className="request-body">
      {kind === "question" ? <Paragraph text={title} /> : null}
      <Paragraph text={message} />
      <RequestThing described={described} />
      {kind === "question" ? null : <Paragraph text={title} />}
      <RequestFacts described={described}>
        {details.length === 0 ? null : (
          <details className="request-details">
            <summary>Details</summary>
            <Block label="Details" text={details.map(fieldText).join("\n")} />
          </details>
        )}
      </RequestFacts>
    </div>
  );
}

function Paragraph({ text }: { text: string | undefined }) {
  if (text === undefined || text === "") return null;
  return (
    <p className="text" dir="auto">
      {inPlainSight(text)}
    </p>
  );
}

/** An answer being sent. */
export interface GivenAnswer {
  readonly requestId: string;
  readonly result: Json;
  /** Why there is none, such as "dismissed". */
  readonly error?: string;
  /** Reason of a denial. */
  readonly reason?: string;
}
