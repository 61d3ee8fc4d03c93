/** What a signed-out browser sees: why, and a field for a code. */
import { useState, type FormEvent } from "react";
import { register, SignedOutError } from "./sign-in.ts";

export function SignInPage({ why, onSignedIn }: { why: string; onSignedIn: () => void }) {
  const [problem, setProblem] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const code = new FormData(event.currentTarget).get("code");
    if (typeof code !== "string" || code.trim() === "") return;
    setIsBusy(true);
    try {
      await register(code.trim());
      onSignedIn();
    } catch (error) {
      setProblem(error instanceof SignedOutError ? error.message : "Can't reach the server. Is it running?");
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <main className="gate">
      <h1>Roundtable</h1>
      <p>{why}</p>
      <form onSubmit={(event) => void submit(event)}>
        <label htmlFor="code">Sign-in code</label>
        <input
          id="code"
          name="code"
          autoFocus
          autoComplete="one-time-code"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={128}
          placeholder="XXXX-XXXX"
        />
        <button type="submit" disabled={isBusy}>
          Sign in
        </button>
      </form>
      {problem !== "" && <p role="alert">{problem}</p>}
    </main>
  );
}
