/** Pages without a session: what a signed-out browser sees, and why a start has failed. */
import { Fragment, useRef, useState, type FormEvent, type ReactNode } from "react";
import { inPlainSight } from "../format/plain-sight.ts";
import { Button } from "../ui/button.tsx";
import { Logo } from "../ui/logo.tsx";
import { messagesOf, type Offer } from "./offer.ts";
import { visitProvider } from "./provider.ts";
import { register, SignedOutError } from "./sign-in.ts";

interface SignInPageProps {
  readonly why: string;
  readonly offer: Offer;
  readonly onSignedIn: () => void;
}

export function SignInPage({ why, offer, onSignedIn }: SignInPageProps) {
  const messages = messagesOf(offer);
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
    if (code === "") return complain(messages.noCode);
    setIsBusy(true);
    try {
      await register(code);
      onSignedIn();
    } catch (error) {
      complain(error instanceof SignedOutError ? error.message : messages.unreachable);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Gate title="Sign in to Roundtable">
      <p>
        <WithCode text={why} />
      </p>
      <ProviderButton offer={offer} onProblem={setProblem} />
      <form onSubmit={(event) => void submit(event)}>
        <label htmlFor="code">Sign-in code</label>
        <input
          ref={field}
          id="code"
          name="code"
          type="text"
          className="mono"
          autoFocus={offer.provider === undefined}
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
        <Button type="submit" {...(offer.provider === undefined ? { variant: "primary" } : {})} disabled={isBusy}>
          {isBusy ? "Signing in…" : "Sign in"}
        </Button>
      </form>
      <p className="fact">{messages.where}</p>
      <pre tabIndex={0}>{messages.command}</pre>
    </Gate>
  );
}

function ProviderButton({ offer, onProblem }: { offer: Offer; onProblem: (text: string) => void }) {
  const [isBusy, setIsBusy] = useState(false);
  if (offer.provider === undefined) return null;
  const leave = async () => {
    setIsBusy(true);
    try {
      await visitProvider("begin");
    } catch (error) {
      onProblem(error instanceof Error ? error.message : messagesOf(offer).unreachable);
      setIsBusy(false);
    }
  };
  return (
    <Button variant="primary" disabled={isBusy} onClick={() => void leave()}>
      Sign in with {inPlainSight(offer.provider)}
    </Button>
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
