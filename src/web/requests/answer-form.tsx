/** How each kind of request is answered: buttons with numbers, a line, a text, or a form of several questions. */
import { useState } from "react";
import type { Json, UiRequestBody } from "../../protocol/index.ts";
import type { RequestChoice } from "../../transcript/index.ts";
import { inPlainSight } from "../format/plain-sight.ts";
import { QuestionForm } from "./question-form.tsx";

export interface AnswerFormProps {
  readonly request: UiRequestBody;
  /** None for requests that take words. */
  readonly choices: readonly RequestChoice[];
  readonly onChoose: (choice: RequestChoice) => void;
  readonly onAnswer: (result: Json) => void;
  /** The words that the person has written so far; empty when there are none of their own. */
  readonly onWritten: (text: string) => void;
}

export function AnswerForm({ request, choices, onChoose, ...actions }: AnswerFormProps) {
  if (request.method === "question") return <QuestionForm questions={request.questions} {...actions} />;
  if (request.method === "input" || request.method === "editor") return <TextForm request={request} {...actions} />;
  const hasPrimary = request.method === "approval" || request.method === "confirm";
  return <Choices choices={choices} hasPrimary={hasPrimary} onChoose={onChoose} />;
}

interface ChoicesProps {
  readonly choices: readonly RequestChoice[];
  /** The first one is what most people choose. */
  readonly hasPrimary: boolean;
  readonly onChoose: (choice: RequestChoice) => void;
}

function Choices({ choices, hasPrimary, onChoose }: ChoicesProps) {
  return (
    <div className="choices" role="group" aria-label="Answers">
      {choices.map((choice, at) => (
        <button
          key={at}
          type="button"
          className={hasPrimary && at === 0 ? "choice primary" : "choice"}
          onClick={(event) => {
            // The second half of a double click was meant for what stood here before.
            if (event.detail <= 1) onChoose(choice);
          }}
        >
          {choice.keys[0] === undefined ? null : <kbd aria-hidden="true">{choice.keys[0]}</kbd>}
          <span className="choice-label">{inPlainSight(choice.label)}</span>
          {choice.description === undefined ? null : <span className="fact">{inPlainSight(choice.description)}</span>}
        </button>
      ))}
    </div>
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
      <button type="submit" className="primary">
        Answer
      </button>
    </form>
  );
}
