/** The panel at the right of a session. */
export function Panel(_props: { readonly sessionId: string }) {
  return null;
}
