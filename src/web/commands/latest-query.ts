/**
 * One question at a time. Of those that come while an answer is awaited only the newest is asked, once it is there: a host
 * that is slow or away is not given a question for every letter that is typed.
 */
export interface LatestQueryOptions<Question, Answer> {
  /** Resolves with nothing when nobody wants to know any more. */
  readonly ask: (question: Question) => Promise<Answer | undefined>;
  /** Not called for a question that was overtaken, or that failed. */
  readonly onAnswer: (question: Question, answer: Answer) => void;
}

export function createLatestQuery<Question, Answer>({
  ask,
  onAnswer,
}: LatestQueryOptions<Question, Answer>): (question: Question) => void {
  let isAsking = false;
  let waiting: { readonly question: Question } | undefined;

  async function run(question: Question): Promise<void> {
    isAsking = true;
    // What fails is not there to be chosen; a command that needs it says why.
    const answer = await ask(question).catch(() => undefined);
    isAsking = false;
    const next = waiting;
    waiting = undefined;
    if (next !== undefined) void run(next.question);
    else if (answer !== undefined) onAnswer(question, answer);
  }

  return (question) => {
    if (isAsking) waiting = { question };
    else void run(question);
  };
}
