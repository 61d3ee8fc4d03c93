/** Pages without a session: what a signed-out browser sees, and why a start has failed. */
import { Fragment, useRef, useState, type FormEvent, type ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { Logo } from "../ui/logo.tsx";
import { register, SignedOutError } from "./sign-in.ts";

const COMMAND = "roundtable web --code";
const UNREACHABLE = "Can't reach the server. Start it with `roundtable web` and try again.";
const EMPTY = "Type the code that `roundtable web --code` prints.";

export function SignInPage({ why, onSignedIn }: { why: string; onSignedIn: () => void }) {
  const [problem, setProblem] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  function complain(text: string): void {
    setProblem(text);
    field.current?.select();
  }
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const code = field.current?.value.trim() ?? "";
    if (code === "") return complain(EMPTY);
    setIsBusy(true);
    try {
      await register(code);
      onSignedIn();
    } catch (error) {
      complain(error instanceof SignedOutError ? error.message : UNREACHABLE);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Gate title="Sign in to Roundtable">
      <p>
        <WithCode text={why} />
      </p>
      <form onSubmit={(event) => void submit(event)}>
        <label htmlFor="code">Sign-in code</label>
        <input
          ref={field}
          id="code"
          name="code"
          type="text"
          className="mono"
          autoFocus
          autoComplete="one-time-code"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={128}
          placeholder="XXXX-XXXX"
          aria-invalid={problem !== ""}
          aria-describedby="code-problem"
        />
        <p id="code-problem" role="alert">
          <WithCode text={problem} />
        </p>
        <Button type="submit" variant="primary" disabled={isBusy}>
          {isBusy ? "Signing in…" : "Sign in"}
        </Button>
      </form>
      <p className="fact">On the machine that runs Roundtable, a terminal prints a code that works once:</p>
      <pre tabIndex={0}>{COMMAND}</pre>
    </Gate>
  );
}

/** The mark and one card in the middle of the window. */
export function Gate({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="gate">
      <Logo />
      <h1>{title}</h1>
      {children}
    </main>
  );
}

/** Commands between backticks as code. */
function WithCode({ text }: { text: string }) {
  return text
    .split("`")
    .map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : <Fragment key={at}>{part}</Fragment>));
}
