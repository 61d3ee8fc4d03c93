/** Answer controls of each kind of request: numbered buttons, a line, a text, or several questions. */
import { type ReactNode, useId, useState } from "react";
import type { Json, UiRequestBody } from "../../protocol/index.ts";
import type { RequestChoice } from "../../transcript/index.ts";
import { inPlainSight } from "../format/plain-sight.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";

const NOTHING: Given = { chosen: [], own: "" };

export interface AnswerFormProps {
  readonly request: UiRequestBody;
  /** Empty for requests answered with text. */
  readonly choices: readonly RequestChoice[];
  readonly onChoose: (choice: RequestChoice) => void;
  readonly onAnswer: (result: Json) => void;
  /** The text typed so far; empty when unchanged. */
  readonly onWritten: (text: string) => void;
  /** Behind the answers. */
  readonly children?: ReactNode;
}

export function AnswerForm({ request, choices, onChoose, children, ...actions }: AnswerFormProps) {
  if (request.method === "question") return <QuestionForm questions={request.questions} {...actions} />;
  if (request.method === "input" || request.method === "editor") return <TextForm request={request} {...actions} />;
  if (request.method === "approval") {
    return (
      <ApprovalChoices choices={choices} onChoose={onChoose}>
        {children}
      </ApprovalChoices>
    );
  }
  return (
    <div className="choices" role="group" aria-label="Answers">
      {choices.map((choice, at) => (
        <Choice key={at} choice={choice} isPrimary={request.method === "confirm" && at === 0} onChoose={onChoose} />
      ))}
      {children}
    </div>
  );
}

interface ChoiceProps {
  readonly choice: RequestChoice;
  readonly isPrimary?: boolean;
  readonly className?: string;
  readonly onChoose: (choice: RequestChoice) => void;
}

function Choice({ choice, isPrimary = false, className = "", onChoose }: ChoiceProps) {
  return (
    <button
      type="button"
      className={`btn choice ${isPrimary ? "primary" : ""} ${className}`}
      onClick={(event) => {
        // The second half of a double click was meant for what was here before.
        if (event.detail <= 1) onChoose(choice);
      }}
    >
      <span className="choice-label">{inPlainSight(choice.label.replace(/ …$/, "…"))}</span>
      {choice.description === undefined ? null : <span className="fact">{inPlainSight(choice.description)}</span>}
      {choice.keys[0] === undefined ? null : <kbd aria-hidden="true">{choice.keys[0]}</kbd>}
    </button>
  );
}

/** Once, deny, and deny with a reason; wider permissions unfold below, so that they cover nothing of what is asked for. */
function ApprovalChoices({ choices, onChoose, children }: Pick<AnswerFormProps, "choices" | "onChoose" | "children">) {
  const [isOpen, setOpen] = useState(false);
  const once = choices.find(({ keys }) => keys.includes("1"));
  const denials = choices.filter(({ keys }) => keys.includes("4") || keys.includes("5"));
  const scopes = choices.filter((choice) => choice !== once && !denials.includes(choice));
  const id = useId();
  return (
    <>
      <div className="choices" role="group" aria-label="Answers">
        {once === undefined ? null : <Choice choice={once} isPrimary onChoose={onChoose} />}
        {scopes.length === 0 ? null : (
          <Button aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
            Allow…
            <Icon name="chevron-down" size="s" />
          </Button>
        )}
        {denials.map((choice) => (
          <Choice
            key={choice.label}
            choice={choice}
            className={choice.takesReason === true ? "quiet" : "deny"}
            onChoose={onChoose}
          />
        ))}
        {children}
      </div>
      <div className="scopes" id={id} role="group" aria-label="Allow for longer" hidden={!isOpen}>
        {scopes.map((choice) => (
          <Choice key={choice.label} choice={choice} className="scope quiet" onChoose={onChoose} />
        ))}
      </div>
    </>
  );
}

type TextRequest = Extract<UiRequestBody, { method: "input" | "editor" }>;

interface TextFormProps extends Pick<AnswerFormProps, "onAnswer" | "onWritten"> {
  readonly request: TextRequest;
}

function TextForm({ request, onAnswer, onWritten }: TextFormProps) {
  const given = request.method === "editor" ? (request.prefill ?? "") : "";
  const [text, setText] = useState(given);
  const field = {
    "aria-label": request.title,
    autoComplete: "off",
    value: text,
    onChange: ({ target }: { target: { value: string } }) => {
      setText(target.value);
      onWritten(target.value === given ? "" : target.value);
    },
  };
  return (
    <form
      className="text-form"
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer(text);
      }}
    >
      {request.method === "input" ? (
        <input type="text" placeholder={request.placeholder ?? ""} {...field} />
      ) : (
        <textarea rows={6} {...field} />
      )}
      <button type="submit" className="btn primary">
        Answer
      </button>
    </form>
  );
}

/** Several questions answered together: one choice, several, or free text each. Unanswered ones are omitted. */
type Question = Extract<UiRequestBody, { method: "question" }>["questions"][number];

interface Given {
  readonly chosen: readonly string[];
  readonly own: string;
}

interface QuestionFormProps {
  readonly questions: readonly Question[];
  readonly onAnswer: (result: Json) => void;
  readonly onWritten: (text: string) => void;
}

function QuestionForm({ questions, onAnswer, onWritten }: QuestionFormProps) {
  const [given, setGiven] = useState<ReadonlyMap<string, Given>>(new Map());
  function change(id: string, next: Given): void {
    const changed = new Map(given).set(id, next);
    setGiven(changed);
    onWritten([...changed.values()].flatMap(({ own }) => (own.trim() === "" ? [] : [own])).join("\n"));
  }
  return (
    <form
      className="question-form"
      onSubmit={(event) => {
        event.preventDefault();
        const answers = questions.flatMap((question) => {
          const answer = answerOf(question, given.get(question.id) ?? NOTHING);
          return answer === undefined ? [] : [[question.id, answer] as const];
        });
        onAnswer(Object.fromEntries(answers));
      }}
    >
      {questions.map((question) => (
        <Field
          key={question.id}
          question={question}
          given={given.get(question.id) ?? NOTHING}
          onChange={(next) => change(question.id, next)}
        />
      ))}
      <button type="submit" className="btn primary">
        Answer
      </button>
    </form>
  );
}

function answerOf({ multiple, options }: Question, { chosen, own }: Given): Json | undefined {
  const inOrder = options.map(({ value }) => value).filter((value) => chosen.includes(value));
  const all = own.trim() === "" ? inOrder : [...inOrder, own];
  if (multiple) return all.length === 0 ? undefined : all;
  return all.at(-1);
}

interface FieldProps {
  readonly question: Question;
  readonly given: Given;
  readonly onChange: (next: Given) => void;
}

function Field({ question: { text, options, multiple, freeText }, given, onChange }: FieldProps) {
  // Not the agent's name for it: in a form such names can shadow form properties.
  const group = useId();
  function toggle(value: string): void {
    if (!multiple) onChange({ chosen: [value], own: "" });
    else if (given.chosen.includes(value)) onChange({ ...given, chosen: given.chosen.filter((one) => one !== value) });
    else onChange({ ...given, chosen: [...given.chosen, value] });
  }
  return (
    <fieldset>
      <legend dir="auto">{inPlainSight(text)}</legend>
      {options.map(({ value, label, description }) => (
        <label key={value} className="option">
          <input
            type={multiple ? "checkbox" : "radio"}
            name={group}
            checked={given.chosen.includes(value)}
            onChange={() => toggle(value)}
          />
          <span>{inPlainSight(label)}</span>
          {description === undefined ? null : <span className="fact">{inPlainSight(description)}</span>}
        </label>
      ))}
      {freeText ? (
        <input
          type="text"
          autoComplete="off"
          aria-label={options.length === 0 ? text : `${text} In your own words`}
          placeholder={options.length === 0 ? "" : "In your own words"}
          value={given.own}
          // Typing an own answer to a single-choice question selects it.
          onChange={({ target }) =>
            onChange({ chosen: !multiple && target.value !== "" ? [] : given.chosen, own: target.value })
          }
        />
      ) : null}
    </fieldset>
  );
}
