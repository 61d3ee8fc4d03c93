/** One request: who asks, what exactly, and the ways to answer. Nothing is sent while it is deaf or already answering. */
import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";
import { safeDefault } from "../../protocol/index.ts";
import {
  choiceByKey,
  describeRequest,
  type DescribedRequest,
  type OpenRequest,
  type RequestChoice,
} from "../../transcript/index.ts";
import { useRescue, type Rescue } from "../input/use-rescue.ts";
import { MemberName, useMemberStyle } from "../members/member-name.tsx";
import { inPlainSight } from "../format/plain-sight.ts";
import { formatTimeLeft } from "../format/format-request.ts";
import { AnswerForm } from "./answer-form.tsx";
import { useCardKeys } from "./card-keys.ts";
import type { GivenAnswer } from "./given-answer.ts";
import { DenialForm } from "./denial-form.tsx";
import { RequestBody } from "./request-body.tsx";

const TICK_MS = 1_000;

export interface RequestCardProps {
  readonly open: OpenRequest;
  readonly cardRef: RefObject<HTMLElement | null>;
  readonly isReady: boolean;
  readonly accepts: (requestId: string) => boolean;
  /** A key that answers nothing: something else is being typed. */
  readonly onUnhandledKey: (key: string) => void;
  /** Rejects with a sentence for the person when the answer was not taken. */
  readonly onAnswer: (answer: GivenAnswer) => Promise<void>;
  /** Called before it leaves the page. */
  readonly onGone: (gone: { hadFocus: boolean }) => void;
}

export function RequestCard({ open, cardRef, isReady, accepts, onUnhandledKey, onAnswer, onGone }: RequestCardProps) {
  const { requestId, request, member } = open;
  const described = describeRequest(open);
  const { choices } = described;
  const [denial, setDenial] = useState<RequestChoice>();
  const { hue } = useMemberStyle(member);
  const rescue = useRescue(cardRef, "The request is settled; what you wrote is in the draft.");
  const { give, isBusy, problem } = useGiving({ requestId, accepts, onAnswer, rescue });
  const onGoneRef = useRef(onGone);
  useLayoutEffect(
    () => () => onGoneRef.current({ hadFocus: cardRef.current?.contains(document.activeElement) ?? false }),
    [cardRef],
  );
  useCardKeys(cardRef, ({ key, isHeld }) => {
    // Letters are left to whoever writes: one that is meant for a message must never allow anything.
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
        />
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
  readonly onDismiss: () => void;
}

/** An approval has a choice that denies it. */
function CardHeader({ open, described: { heading, diff }, onDismiss }: CardHeaderProps) {
  return (
    <header>
      <h2 dir="auto">
        <MemberName name={open.member} />
        {inPlainSight(heading.slice(open.member.length))}
      </h2>
      {diff === undefined ? null : (
        <span className="diff-counts">
          <span className="added">+{diff.added}</span> <span className="removed">−{diff.removed}</span>
        </span>
      )}
      <TimeLeft open={open} />
      {open.request.method === "approval" ? null : (
        <button type="button" className="quiet" onClick={onDismiss}>
          Dismiss
        </button>
      )}
    </header>
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
      // The answer was not taken: the request may still be open, and then it can be answered again.
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
  return <span className="fact left">{formatTimeLeft(open, now)}</span>;
}
